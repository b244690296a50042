#include "codec/sync_wire.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "base/sync_limits.hpp"
#include "codec/sync_wire_parts.hpp"

namespace belfry::codec {
namespace {

namespace limits = base::limits;
using base::Code;
using model::CounterRange;
using model::RawJson;
using model::SyncAck;
using model::SyncEntry;
using model::SyncFrame;
using model::SyncGone;
using model::SyncHello;
using model::SyncMessage;
using model::SyncPing;
using model::SyncRefusal;
using model::VectorClock;

constexpr const char* hash = "8ff672bf8fbd87364799602e66d2b1be4b05108c8666978070cfde9b9ce97085";
constexpr const char* uuid = "0198a1b2-0000-7000-8000-00000000abcd";

VectorClock clock_of(std::string_view json) {
    auto clock = VectorClock::parse({json});
    EXPECT_TRUE(clock.ok()) << json;
    return clock.ok() ? *clock : VectorClock();
}

void expect_back(const SyncMessage& message) {
    const std::string text = sync_message_text(message);
    const auto read = read_sync_message(text);
    ASSERT_TRUE(read.ok()) << read.error().field << ' ' << read.error().message << '\n' << text;
    EXPECT_TRUE(*read == message) << text;
    EXPECT_EQ(sync_message_text(*read), text);
}

Code refusal(std::string_view text) {
    const auto read = read_sync_message(text);
    EXPECT_FALSE(read.ok()) << text;
    return read.ok() ? Code::internal : read.error().code;
}

SyncEntry message_entry(std::uint64_t counter, std::uint32_t batch) {
    SyncEntry entry;
    entry.record = {"agent_message", uuid, "ada", {}, RawJson::trusted(R"({"content":"hello"})")};
    EXPECT_TRUE(entry.record.knowledge.clock.raise("laptop.1", counter).ok());
    entry.units = {{counter, batch, false}};
    return entry;
}

SyncEntry task_entry() {
    SyncEntry entry;
    entry.record = {"task", "tea", "ada", {}, RawJson::trusted(R"({"deleted_at":null,"text":"x","title":"y"})")};
    entry.record.knowledge.clock = clock_of(R"({"desk.2":4,"laptop.1":12})");
    entry.record.knowledge.stamps = {
        {"deleted_at", {1, "desk.2", 3}}, {"text", {1, "desk.2", 3}}, {"title", {2, "laptop.1", 12}}};
    entry.units = {{11, 0, true}, {12, 1, false}};
    return entry;
}

SyncFrame any_frame() {
    SyncFrame frame;
    frame.host = "laptop.1";
    frame.after = 10;
    frame.through = 17;
    frame.batches = {hash, "", "odd"};
    frame.entries = {task_entry(), message_entry(15, 2)};
    frame.gone = {{"laptop.1", 13, 14}};
    frame.gone_for_good = {{"laptop.1", 16, 16}};
    frame.erased = {{"laptop.1", 17, 17}};
    return frame;
}

TEST(SyncWire, every_message_is_read_back_as_it_was) {
    SyncHello hello{1, "0.1.0", "Ada's desk", "desk.2", clock_of(R"({"desk.2":9,"laptop.1":4})"), {}, "eyJrIjoxfQ=="};
    hello.hosts = {{"desk.2", "a2V5", "c2ln"}, {"laptop.1", "a2V6", "c2lo"}};
    expect_back(hello);
    expect_back(SyncHello{});
    expect_back(SyncAck{clock_of(R"({"a":1})"), {{"a", 3, 9}, {"b", 1, 1}}, {{"a", 2, 2}}, "e30="});
    expect_back(SyncAck{});
    expect_back(SyncGone{{{"a", 3, 9}}});
    expect_back(SyncRefusal{"protocol", "too old"});
    expect_back(SyncPing{});
}

TEST(SyncWire, so_is_every_frame) {
    expect_back(any_frame());
    SyncFrame bare;
    bare.host = "a";
    expect_back(bare);
    SyncFrame page;
    page.cursor = "agent/a";
    page.next_cursor = "task/b";
    page.cover = clock_of(R"({"a":1,"b":7})");
    page.entries = {task_entry(), message_entry(3, 0)};
    for (SyncEntry& entry : page.entries) entry.units.clear();
    expect_back(page);
    expect_back(SyncFrame{});
}

TEST(SyncWire, a_place_in_the_whole_has_room_for_the_clock_of_all_devices) {
    model::SyncFrame page;
    page.next_cursor = std::string(8'000, 'x');
    const auto read = read_sync_message(sync_message_text(page));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(std::get<model::SyncFrame>(*read).next_cursor, page.next_cursor);
    page.next_cursor = std::string(20'000, 'x');
    EXPECT_FALSE(read_sync_message(sync_message_text(page)).ok());
}

TEST(SyncWire, so_are_stamps_of_all_shapes) {
    SyncFrame frame = any_frame();
    auto& knowledge = frame.entries[0].record.knowledge;
    knowledge.stamps.erase("text");  // a field without one
    expect_back(frame);
    knowledge.stamps = {{"", {0, "", 7}}, {"title", {2, "laptop.1", 12}}};
    expect_back(frame);
    knowledge.stamps.clear();
    expect_back(frame);
    const model::Stamp early{1, "desk.2", 3};  // of all fields, and of elements of a list
    knowledge.stamps = {
        {"deleted_at", early}, {"text", early}, {"text/a", early}, {"text/b", {2, "laptop.1", 12}}, {"title", early}};
    expect_back(frame);
    EXPECT_NE(sync_message_text(frame).find(R"([[1,1,3],[1,1,3,"text/a"],[2,0,12,"text/b"]])"), std::string::npos)
        << sync_message_text(frame);
    knowledge.concurrent["text"] = {{early, RawJson::trusted(R"(["b","a"])")}};
    expect_back(frame);
    knowledge.concurrent.clear();
    knowledge.stamps = {{"text", {1, "desk.2", 3}}, {"title", {2, "laptop.1", 12}}};
    knowledge.concurrent["deleted_at"] = {{{0, "", 3}, RawJson::trusted("5")},
                                          {{2, "desk.2", 4}, RawJson::trusted(R"({"x":[null]})")}};
    expect_back(frame);
    knowledge.stamps.clear();
    expect_back(frame);
    knowledge.clock = {};  // known to nobody, though it is told for changes
    expect_back(frame);
    frame.entries[0].record.body = RawJson::trusted(R"({"\u00e4\"":1})");
    knowledge = {};
    knowledge.clock = clock_of(R"({"laptop.1":12})");
    knowledge.stamps = {{"ä\"", {1, "laptop.1", 12}}};
    expect_back(frame);
}

TEST(SyncWire, an_entry_of_a_message_costs_little) {
    SyncFrame frame;
    frame.host = "0198a1b2-0000-7000-8000-000000000001.0198a1b2-0000-7000-8000-000000000002";
    frame.through = 900;
    frame.batches = {hash};
    const std::size_t empty = sync_message_text(frame).size();
    const std::string body = R"({"agent_id":"coach","content":{"text":")" + std::string(300, 'x') +
                             R"("},"created_at":1763276400000000,"kind":"thought","prev":")" + uuid +
                             R"(","thread_id":"coach:run:)" + hash + R"(","tokens":75})";
    SyncEntry entry = message_entry(812, 0);
    entry.record.knowledge = {};
    ASSERT_TRUE(entry.record.knowledge.clock.raise(frame.host, 812).ok());
    entry.record.body = RawJson::trusted(body);
    for (int i = 0; i < 100; ++i) frame.entries.push_back(entry);
    const std::size_t cost = sync_message_text(frame).size() - empty;
    EXPECT_LE(cost, 100 * body.size() * 108 / 100);
    expect_back(frame);
}

TEST(SyncWire, ids_are_packed_and_none_is_taken_for_another) {
    EXPECT_EQ(packed_id(uuid).size(), 22U);
    EXPECT_EQ(packed_id(hash).size(), 43U);
    for (const std::string& id :
         {std::string(uuid), std::string(hash), std::string("tea"), std::string(22, 'A'), std::string(43, 'A'),
          std::string(64, 'F'), std::string("=x"), std::string("0198A1B2-0000-7000-8000-00000000ABCD")}) {
        const auto back = unpacked_id(packed_id(id));
        ASSERT_TRUE(back) << id;
        EXPECT_EQ(*back, id);
    }
    for (const char* none :
         {"=", "tea", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAA==", "!!!!!!!!!!!!!!!!!!!!!!"}) {
        EXPECT_FALSE(unpacked_id(none)) << none;
    }
}

TEST(SyncWire, a_hello_of_another_version_is_understood_as_far_as_it_goes) {
    const auto read = read_sync_message(R"({"hello":{"protocol":7,"host":"desk.2","proof":{"deep":[1,2]}}})");
    ASSERT_TRUE(read.ok());
    const auto& hello = std::get<SyncHello>(*read);
    EXPECT_EQ(hello.protocol, 7);
    EXPECT_EQ(hello.host, "desk.2");
}

TEST(SyncWire, what_is_no_message_is_refused) {
    for (const char* text : {"", "{", "{\"ping\":{}", "{\"ping\":{}}x", "\xff"}) {
        EXPECT_EQ(refusal(text), Code::malformed) << text;
    }
    for (const char* text :
         {"{}", "[]", "1", R"({"pong":{}})", R"({"ping":{},"ack":{}})", R"({"hello":[]})",
          R"({"hello":{"protocol":"1"}})", R"({"hello":{"has":[]}})", R"({"hello":{"has":{"a":-1}}})",
          R"({"hello":{"hosts":[{}]}})", R"({"ack":{"missing":[["a",1]]}})", R"({"ack":{"missing":[["a",0,1]]}})",
          R"({"ack":{"missing":[["a",2,1]]}})", R"({"ack":{"missing":[["",1,2]]}})", R"({"gone":[1]})",
          R"({"refused":{"code":1}})"}) {
        EXPECT_EQ(refusal(text), Code::invalid) << text;
    }
}

// One frame that is fine, and what each small mistake makes of it.
TEST(SyncWire, frames_that_contradict_themselves_are_refused) {
    const auto frame = [](std::string_view from, std::string_view to) {
        std::string text = R"({"frame":{"h":["a","b"],"k":[["task","ada"]],"a":5,"t":9,"b":["=x"],"g":[[0,7,8]],)"
                           R"("e":[[0,"=id",[1,0,3,1],{"f":1},[0,9],[[1,0,9]],{"g":[[1,0,9,1],[1,1,2,2]]}]]}})";
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    };
    ASSERT_TRUE(read_sync_message(frame("frame", "frame")).ok());
    for (const auto& [from, to] :
         std::initializer_list<std::pair<const char*, const char*>>{{"\"t\":9", "\"t\":4"},
                                                                    {"[0,7,8]", "[2,7,8]"},
                                                                    {"[0,7,8]", "[0,8,7]"},
                                                                    {"[0,\"=id\"", "[1,\"=id\""},
                                                                    {"\"=id\"", "\"id\""},
                                                                    {"[1,0,3,1]", "[1,0,4,1]"},
                                                                    {"[1,0,3,1]", "[0,0,3,1]"},
                                                                    {"[1,0,3,1]", "[1,0,3]"},
                                                                    {"[1,0,3,1]", "[1,2,3,1]"},
                                                                    {"{\"f\":1}", "[1]"},
                                                                    {"[0,9],", "[0],"},
                                                                    {"[0,9],", "[2,9],"},
                                                                    {"[[1,0,9]]", "[[1,0]]"},
                                                                    {"[[1,0,9]]", "[[1,0,9],[1,1,9]]"},
                                                                    {"[[1,0,9]]", "[[1,2,9]]"},
                                                                    {"[1,1,2,2]", "[1,1,2]"},
                                                                    {"\"h\":[\"a\",\"b\"]", "\"h\":[\"\",\"b\"]"},
                                                                    {"\"e\":", "\"E\":"},
                                                                    {"[\"task\",\"ada\"]", "[\"task\"]"},
                                                                    {"\"frame\"", "\"page\""},
                                                                    {"\"t\":9,", ""},
                                                                    {"\"h\":[\"a\",\"b\"],", ""}}) {
        EXPECT_EQ(refusal(frame(from, to)), Code::invalid) << from << " -> " << to;
    }
}

TEST(SyncWire, everything_that_can_be_many_is_bounded) {
    EXPECT_EQ(refusal(std::string(limits::sync_message_bytes_max + 1, ' ')), Code::too_large);
    const auto many = [](std::size_t count, std::string_view one) {
        std::string list = "[";
        for (std::size_t i = 0; i < count; ++i) (list += i == 0 ? "" : ",") += one;
        return list + "]";
    };
    const std::string ranges = many(limits::sync_ranges_max + 1, R"(["a",1,1])");
    EXPECT_EQ(refusal(R"({"ack":{"missing":)" + ranges + "}}"), Code::too_large);
    EXPECT_EQ(refusal(R"({"ack":{"confirm":)" + ranges + "}}"), Code::too_large);
    EXPECT_EQ(refusal(R"({"gone":)" + ranges + "}"), Code::too_large);
    const std::string seals = many(limits::sync_hosts_max + 1, R"({"host":"a"})");
    EXPECT_EQ(refusal(R"({"hello":{"hosts":)" + seals + "}}"), Code::too_large);
    const std::string start = R"({"frame":{"h":["a"],"k":[["task","ada"]],"a":0,"t":9000,"b":["=x"],)";
    const std::string entry = R"([0,"=id",[1,0],{}])";
    EXPECT_TRUE(read_sync_message(start + R"("e":)" + many(2 * limits::sync_frame_records_max, entry) + "}}").ok());
    EXPECT_EQ(refusal(start + R"("e":)" + many(2 * limits::sync_frame_records_max + 1, entry) + "}}"), Code::too_large);
    const std::string units = R"([0,"=id",)" + many(limits::sync_frame_units_max + 1, "1,0") + ",{}]";
    EXPECT_EQ(refusal(start + R"("e":[)" + units + "]}}"), Code::too_large);
    const std::string half = R"([0,"=id",)" + many(limits::sync_frame_units_max / 2 + 1, "1,0") + ",{}]";
    EXPECT_EQ(refusal(start + R"("e":[)" + half + "," + half + "]}}"), Code::too_large);
    EXPECT_EQ(refusal(R"({"frame":{"h":)" + many(limits::sync_hosts_max + 1, "\"a\"") + "}}"), Code::too_large);
    EXPECT_EQ(refusal(R"({"hello":{"name":")" + std::string(limits::peer_name_bytes_max + 1, 'x') + "\"}}"),
              Code::too_large);
    const std::string big = '"' + std::string(limits::sync_record_bytes_max, 'x') + '"';
    EXPECT_EQ(refusal(start + R"("e":[[0,"=id",[1,0],{"a":)" + big + "}]]}}"), Code::too_large);
}

TEST(SyncWire, a_place_in_our_pages_is_one_that_can_be_read) {
    const auto of = [](const char* kind, std::string_view cursor) {
        return read_sync_message("{\"" + std::string(kind) + R"(":{"whole_cursor":")" + std::string(cursor) + "\"}}")
            .ok();
    };
    for (const char* kind : {"hello", "ack"}) {
        EXPECT_TRUE(of(kind, "")) << kind;
        EXPECT_TRUE(of(kind, base::base64(R"({"kind":"task","place":""})"))) << kind;
        for (const char* text :
             {R"({"kind":"task"x})", R"({"kind":")", R"({"kind":)", "task/a", "{\"kind\":\"\xFF\"}"}) {
            EXPECT_FALSE(of(kind, base::base64(text))) << kind << ' ' << text;
        }
        EXPECT_FALSE(of(kind, "no base64!")) << kind;
    }
}

TEST(SyncWire, a_body_may_be_as_deep_as_json_is_here) {
    std::string body = R"({"content":)";
    for (int i = 0; i < 63; ++i) body += '[';
    for (int i = 0; i < 63; ++i) body += ']';
    SyncFrame frame = any_frame();
    frame.entries[1].record.body = RawJson::trusted(body + "}");
    expect_back(frame);
}

}  // namespace
}  // namespace belfry::codec
