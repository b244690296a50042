#include "rules/dedupe_key.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

model::Event event(std::string payload = "{}") {
    model::Event made;
    made.type = "tool.call.failure";
    made.source = "tool_executor";
    made.payload = model::RawJson::trusted(std::move(payload));
    return made;
}

std::string key(std::string_view pattern, const model::Event& of) {
    const auto parsed = DedupeKey::parse(pattern);
    EXPECT_TRUE(parsed.ok()) << pattern;
    std::string out;
    if (parsed) parsed->append(out, of);
    return out;
}

TEST(DedupeKey, is_made_of_type_source_payload_and_literal_parts) {
    const model::Event failure = event(R"({"tool_name":"vault_search","retry_count":2,"ok":false,"at":null})");
    EXPECT_EQ(key("type:payload.tool_name", failure), "tool.call.failure:vault_search");
    EXPECT_EQ(key("source", failure), "tool_executor");
    EXPECT_EQ(key("nightly:types:payload", failure), "nightly:types:payload");
    EXPECT_EQ(key("payload.retry_count:payload.ok:payload.at", failure), "2:false:null");
    EXPECT_EQ(key("a::b:", failure), "a::b:");
}

TEST(DedupeKey, is_empty_where_the_payload_lacks_the_member) {
    EXPECT_EQ(key("type:payload.tool_name", event()), "tool.call.failure:");
    EXPECT_EQ(key("payload.a.b:x", event(R"({"a":1})")), ":x");
    EXPECT_EQ(key("payload.a.b:x", event(R"({"a":{"c":1}})")), ":x");
}

TEST(DedupeKey, looks_into_objects_and_does_not_mind_spaces_between_their_tokens) {
    EXPECT_EQ(key("payload.repository.name", event(R"({"repository":{"name":"belfry"}})")), "belfry");
    EXPECT_EQ(key("payload.a", event(R"({"a": [1, {"b c": 2}]})")), R"([1,{"b c"\:2}])");
}

TEST(DedupeKey, looks_into_lists_by_index) {
    const model::Event made = event(R"({"a":[{"b":"x"},[1,2]]})");
    EXPECT_EQ(key("payload.a.0.b:payload.a.1.1", made), "x:2");
    EXPECT_EQ(key("payload.a.2:payload.a.b:payload.a.-1:payload.a.:payload.a.0x:z", made), ":::::z");
}

TEST(DedupeKey, may_name_the_whole_payload) {
    EXPECT_EQ(key("source:payload.*", event(R"({"a": 1,  "b": "x"})")), R"(tool_executor:{"a"\:1,"b"\:"x"})");
    EXPECT_NE(key("payload.*", event(R"({"a":1})")), key("payload.*", event(R"({"a":2})")));
}

TEST(DedupeKey, tells_apart_what_is_not_equally_severe) {
    model::Event milder = event();
    model::Event worse = event();
    milder.severity = model::Severity::error;
    worse.severity = model::Severity::critical;
    for (const char* pattern : {"", "type", "payload.a:x"}) EXPECT_NE(key(pattern, milder), key(pattern, worse));
    milder.dedupe_key = worse.dedupe_key = std::string(base::limits::event_dedupe_key_bytes_max, 'k');
    EXPECT_NE(key("", milder), key("", worse));
    worse.severity = model::Severity::error;
    EXPECT_EQ(key("", milder), key("", worse));
}

TEST(DedupeKey, without_a_pattern_is_type_source_and_the_whole_payload) {
    model::Event failure = event(R"({"job":"A"})");
    EXPECT_EQ(key("", failure), R"(tool.call.failure:tool_executor:{"job"\:"A"})");
    EXPECT_NE(key("", failure), key("", event(R"({"job":"B"})")));
    failure.dedupe_key = "tool.call.failure:tool_executor";  // as the log derives it
    EXPECT_EQ(key("", failure), key("", event(R"({"job":"A"})")));
}

TEST(DedupeKey, without_a_pattern_is_the_events_own_if_its_producer_named_one) {
    model::Event own = event(R"({"job":"A"})");
    for (const char* named : {"build:17", "tool.call.failure:tool_executor2", "tool.call.failures:ool_executor"}) {
        own.dedupe_key = named;
        EXPECT_EQ(key("", own), named);
        EXPECT_EQ(key("type", own), "tool.call.failure");
    }
}

TEST(DedupeKey, looks_into_arrays_by_place) {
    const model::Event failure = event(R"({"a":["x",{"b":[1,2]}],"o":{"0":"zero"}})");
    EXPECT_EQ(key("payload.a.0", failure), "x");
    EXPECT_EQ(key("payload.a.1.b.1", failure), "2");
    EXPECT_EQ(key("payload.o.0", failure), "zero");
    for (const char* absent : {"payload.a.2", "payload.a.x", "payload.a.-1", "payload.a.0.0", "payload.a.1x"}) {
        EXPECT_EQ(key(absent, failure), "") << absent;
    }
}

TEST(DedupeKey, does_not_mind_the_order_of_members) {
    EXPECT_EQ(key("payload.*", event(R"({"b":[{"y":1,"x":2}],"a":1})")),
              key("payload.*", event(R"({"a": 1, "b": [{"x": 2, "y": 1}]})")));
    EXPECT_NE(key("payload.*", event(R"({"a":[1,2]})")), key("payload.*", event(R"({"a":[2,1]})")));
}

TEST(DedupeKey, parts_do_not_run_into_each_other) {
    const auto of = [](const char* a, const char* b) {
        return key("payload.a:payload.b", event(std::string(R"({"a":")") + a + R"(","b":")" + b + R"("})"));
    };
    EXPECT_NE(of("x:y", "z"), of("x", "y:z"));
    EXPECT_NE(of("x\\\\", ":z"), of("x\\\\:", "z"));
    EXPECT_NE(of("x", ""), of("", "x"));
}

TEST(DedupeKey, of_great_length_becomes_a_hash_that_still_tells_events_apart) {
    const std::string longest(base::limits::event_dedupe_key_bytes_max, 'a');
    EXPECT_EQ(key("payload.m", event(R"({"m":")" + longest + R"("})")), longest);
    const std::string one = key("payload.m", event(R"({"m":")" + longest + R"(b"})"));
    const std::string other = key("payload.m", event(R"({"m":")" + longest + R"(c"})"));
    EXPECT_EQ(one.size(), std::string("sha256:").size() + 64);
    EXPECT_NE(one, other);
}

TEST(DedupeKey, is_appended_to_what_stands_there) {
    std::string out = "before ";
    DedupeKey::parse("type")->append(out, event());
    EXPECT_EQ(out, "before tool.call.failure");
}

TEST(DedupeKey, of_a_payload_without_a_name_is_refused) {
    for (const char* bad : {"payload.", "type:payload.", "payload.:source"}) {
        const auto parsed = DedupeKey::parse(bad);
        ASSERT_FALSE(parsed.ok()) << bad;
        EXPECT_EQ(parsed.error().field, "dedupe_key");
    }
}

}  // namespace
}  // namespace belfry::rules
