#include <algorithm>
#include <array>
#include <map>
#include <rapidcheck.h>

#include "model/journal.hpp"
#include "rules/merge_records_test.hpp"

namespace belfry::rules {
namespace {

using model::ClockOrder;
using model::SyncRecord;

int between(int low, int high) {
    return *rc::gen::inRange(low, high);
}

// A field of a kind and the values that it may be given; null too.
struct FieldValues {
    std::string_view name;
    std::vector<std::string_view> values;
};
struct Kind {
    std::string_view name;
    std::vector<FieldValues> fields;  // by name
};

const Kind& any_kind() {
    static const std::vector<std::string_view> numbers{"null", "5", "40", "300", "-7"};
    static const std::vector<std::string_view> texts{"null", R"("a")", R"("b")", R"({"x":[1,2]})"};
    static const std::vector<std::string_view> maps{"null", "{}", R"({"a":4,"b":1})", R"({"a":2,"c":9})",
                                                    R"({"b":30})"};
    static const std::vector<std::string_view> lives{R"("created")", R"("active")", R"("dormant")", R"("destroyed")"};
    static const std::vector<std::string_view> times{"5", "40", "300"};
    static const std::vector<std::string_view> pins{"[]",           R"(["a"])",         R"(["b"])",    R"(["a","b"])",
                                                    R"(["b","a"])", R"(["c","a","d"])", R"(["d","b"])"};
    static const std::vector<std::string_view> blocks{"[]",
                                                      R"([{"id":"x","start_at":5}])",
                                                      R"([{"id":"x","start_at":9}])",
                                                      R"([{"id":"y","start_at":1},{"id":"x","start_at":5}])",
                                                      R"([{"id":"x","start_at":5},{"id":"z","start_at":5}])",
                                                      R"([{"id":"z","start_at":5},{"id":"x","start_at":5}])",
                                                      R"([{"id":"z","start_at":7},{"id":"y","start_at":8}])"};
    static const std::array<Kind, 6> kinds{{
        {"day_plan", {{"blocks", blocks}, {"created_at", times}, {"note", texts}, {"pinned_task_ids", pins}}},
        {model::agent_state_kind,
         {{"destroyed_at", numbers},
          {"last_wake_at", numbers},
          {"lifecycle", lives},
          {"next_wake_at", numbers},
          {"processed", maps},
          {"sleep_until", numbers},
          {"slot.primary_goal", texts}}},
        {"task",
         {{"created_at", numbers}, {"deleted_at", numbers}, {"label_ids", pins}, {"text", texts}, {"title", texts}}},
        {model::link_kind, {{"deleted_at", numbers}, {"hidden", texts}, {"relation", texts}}},
        {model::run_claim_kind, {{"host", texts}, {"state", {R"("claimed")", R"("done")"}}}},
        {model::agent_message_kind, {{"content", texts}, {"forgotten", {"null", "null", "null", "true"}}}},
    }};
    return kinds[static_cast<std::size_t>(between(0, static_cast<int>(kinds.size())))];
}

std::string_view any_of(const std::vector<std::string_view>& values) {
    return values[static_cast<std::size_t>(between(0, static_cast<int>(values.size())))];
}

// A body with some of its fields changed.
std::string any_body(const Kind& kind, const model::RawJson& before, int percent) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    for (const FieldValues& field : kind.fields) {
        const auto was = before.member(field.name);
        const bool is_new = !was || between(0, 100) < percent;
        writer.name(field.name).raw(is_new ? any_of(field.values) : was->text);
    }
    writer.end_object();
    return body;
}

// Some devices write a record and tell each other of it, in any way. All that any of them ever knew, as it was then.
struct Past {
    Kind kind;
    std::vector<SyncRecord> states;
};

Past any_past() {
    Past past{any_kind(), {}};
    const std::array<std::string, 4> hosts{"a", "b", "c", "d"};
    std::array<SyncRecord, 4> devices;
    devices.fill(nothing_of(past.kind.name));
    std::array<std::uint64_t, 4> counters{};
    const int steps = between(3, 14);
    for (int i = 0; i < steps; ++i) {
        const auto who = static_cast<std::size_t>(between(0, 4));
        if (const auto other = static_cast<std::size_t>(between(0, 4)); between(0, 5) < 2 && other != who) {
            devices[who] = merged(devices[who], devices[other]);
        } else {
            counters[who] += static_cast<std::uint64_t>(between(1, 4));
            const std::string body = any_body(past.kind, devices[who].body, 40);
            devices[who] = written(devices[who], body, hosts[who], counters[who]);
        }
        past.states.push_back(devices[who]);
    }
    return past;
}

const SyncRecord& any_state(const Past& past) {
    return past.states[static_cast<std::size_t>(between(0, static_cast<int>(past.states.size())))];
}

// A record that no past need explain, though each by itself could be true.
SyncRecord any_record(const Kind& kind) {
    static const std::array<std::string, 3> hosts{"a", "b", "c"};
    SyncRecord record = nothing_of(kind.name);
    std::map<std::string, std::string> body;
    for (const std::string& host : hosts) {
        RC_ASSERT(record.knowledge.clock.raise(host, static_cast<std::uint64_t>(between(0, 5))).ok());
    }
    // One without a clock and without fields is one that is not there.
    RC_ASSERT(record.knowledge.clock.raise(hosts[0], 1).ok());
    for (const FieldValues& field : kind.fields) {
        if (between(0, 8) == 0) continue;
        body[std::string(field.name)] = any_of(field.values);
        if (is_said_once(kind.name)) continue;
        const std::string& host = hosts[static_cast<std::size_t>(between(0, 3))];
        const std::uint64_t known = record.knowledge.clock.counter_of(host);
        if (known == 0 || between(0, 4) == 0) {
            record.knowledge.stamps[std::string(field.name)] = {0, "", static_cast<std::uint64_t>(between(1, 4))};
        } else {
            const auto counter = static_cast<std::uint64_t>(between(1, static_cast<int>(known) + 1));
            record.knowledge.stamps[std::string(field.name)] = {static_cast<std::uint64_t>(between(1, 4)), host,
                                                                counter};
        }
    }
    std::string json = "{";
    for (const auto& [name, value] : body) json += (json.size() > 1 ? ",\"" : "\"") + name + "\":" + value;
    record.body = model::RawJson::trusted(json + "}");
    return record;
}

// Sets of concurrent values come from merging.
SyncRecord any_joined_record(const Kind& kind) {
    SyncRecord record = any_record(kind);
    for (int i = between(0, 3); i > 0; --i) record = merged(record, any_record(kind));
    return record;
}

bool is_same(const SyncRecord& a, const SyncRecord& b) {
    // Of what is said once nothing is kept beside it.
    return is_said_once(a.kind) ? a.body == b.body : a == b;
}

void check_laws(const SyncRecord& a, const SyncRecord& b, const SyncRecord& c) {
    for (const SyncRecord& record : {a, b, c}) {
        RC_LOG() << record.kind << ' ' << record.knowledge.clock.to_json() << ' ' << knowledge_json(record) << ' '
                 << record.body.bytes() << '\n';
    }
    RC_ASSERT(is_same(merged(a, b), merged(b, a)));
    RC_ASSERT(is_same(merged(a, a), merged(merged(a, a), a)));
    RC_ASSERT(is_same(merged(merged(a, b), b), merged(a, b)));
    RC_ASSERT(is_same(merged(merged(a, b), c), merged(a, merged(b, c))));
    RC_ASSERT(is_same(merged(merged(a, b), c), merged(merged(a, c), b)));
    RC_ASSERT(is_same(merged(merged(a, b), merged(b, c)), merged(merged(c, a), b)));
    const Merged once = merge_records(a, b);
    RC_ASSERT(once.differs_from_ours == !is_same(once.record, a));
    RC_ASSERT(once.differs_from_theirs == !is_same(once.record, b));
    RC_ASSERT(record_digest(merged(a, b)) == record_digest(merged(b, a)));
}

TEST(MergeProperty, whatever_devices_have_lived_through_order_grouping_and_repeats_do_not_matter) {
    EXPECT_TRUE(rc::check([] {
        const Past past = any_past();
        check_laws(any_state(past), any_state(past), any_state(past));
    }));
}

TEST(MergeProperty, so_it_is_for_records_that_no_past_explains) {
    EXPECT_TRUE(rc::check([] {
        const Kind& kind = any_kind();
        check_laws(any_joined_record(kind), any_joined_record(kind), any_joined_record(kind));
    }));
}

TEST(MergeProperty, a_record_that_knows_all_of_another_wins_whole) {
    EXPECT_TRUE(rc::check([] {
        const Past past = any_past();
        const SyncRecord& a = any_state(past);
        const SyncRecord& b = any_state(past);
        const ClockOrder order = a.knowledge.clock.compare(b.knowledge.clock);
        if (order == ClockOrder::before || order == ClockOrder::equal) RC_ASSERT(is_same(merged(a, b), b));
        if (order == ClockOrder::after) RC_ASSERT(is_same(merged(a, b), a));
        if (order != ClockOrder::concurrent) RC_ASSERT(merge_records(a, b).notes.empty());
    }));
}

TEST(MergeProperty, all_that_devices_write_and_merge_can_be_taken) {
    EXPECT_TRUE(rc::check([] {
        const Past past = any_past();
        for (const SyncRecord& state : past.states) RC_ASSERT(check_sync_record(state).ok());
        const SyncRecord both = merged(any_state(past), any_state(past));
        RC_ASSERT(check_sync_record(both).ok());
        SyncRecord spelled = both;
        spell_stamps(spelled);
        RC_ASSERT(is_same(spelled, both));
    }));
}

TEST(MergeProperty, any_order_of_all_states_ends_at_the_same) {
    EXPECT_TRUE(rc::check([] {
        const Past past = any_past();
        SyncRecord forwards = nothing_of(past.kind.name);
        for (const SyncRecord& state : past.states) forwards = merged(forwards, state);
        std::vector<SyncRecord> pile = past.states;
        pile.push_back(any_state(past));  // one of them twice
        while (pile.size() > 1) {         // grouped in any way
            const auto at = static_cast<std::size_t>(between(0, static_cast<int>(pile.size())));
            const SyncRecord taken = pile[at];
            pile.erase(pile.begin() + static_cast<std::ptrdiff_t>(at));
            SyncRecord& into = pile[static_cast<std::size_t>(between(0, static_cast<int>(pile.size())))];
            into = merged(into, taken);
        }
        RC_ASSERT(is_same(pile.front(), forwards));
    }));
}

TEST(MergeProperty, tombstones_and_read_marks_are_never_undone) {
    EXPECT_TRUE(rc::check([] {
        const Past past = any_past();
        const SyncRecord& a = any_state(past);
        const SyncRecord both = merged(a, any_state(past));
        for (const std::string_view name : {"deleted_at", "destroyed_at", "created_at", "host", "state"}) {
            const auto was = a.body.member(name);
            const bool grows = field_rule(a.kind, name) != FieldRule::latest && a.kind != model::link_kind;
            if (was && was->text != "null" && grows) RC_ASSERT(both.body.member(name)->text != "null");
        }
        if (is_said_once(a.kind) && member(a, "forgotten") == "true") RC_ASSERT(member(both, "forgotten") == "true");
    }));
}

// The set that a field is of: what none of the writers of the others knew of, in the plainest words.
TEST(MergeProperty, a_field_of_concurrent_values_has_what_no_later_write_has_replaced) {
    struct Write {
        model::Stamp stamp;
        std::string value;
        model::VectorClock known;  // by its writer
    };
    EXPECT_TRUE(rc::check([] {
        const std::array<std::string, 3> hosts{"a", "b", "c"};
        std::array<SyncRecord, 3> devices;
        devices.fill(nothing_of(model::agent_state_kind));
        std::vector<Write> writes;
        const int steps = between(1, 12);
        for (int i = 0; i < steps; ++i) {
            const auto who = static_cast<std::size_t>(between(0, 3));
            if (between(0, 2) == 0) {
                devices[who] = merged(devices[who], devices[static_cast<std::size_t>(between(0, 3))]);
                continue;
            }
            Write write{{}, std::to_string(i + 1), devices[who].knowledge.clock};
            const std::uint64_t counter = write.known.counter_of(hosts[who]) + 1;
            devices[who] = written(devices[who], R"({"next_wake_at":)" + write.value + "}", hosts[who], counter);
            write.stamp = devices[who].knowledge.stamps.at("next_wake_at");
            writes.push_back(std::move(write));
        }
        const SyncRecord end = merged(merged(devices[0], devices[1]), devices[2]);
        std::vector<int> left;
        for (const Write& write : writes) {
            const bool is_replaced = std::ranges::any_of(writes, [&write](const Write& other) {
                return other.known.includes(write.stamp.host, write.stamp.counter);
            });
            if (!is_replaced) left.push_back(std::stoi(write.value));
        }
        if (left.empty()) return;
        const auto& concurrent = end.knowledge.concurrent;
        RC_ASSERT((left.size() > 1 ? concurrent.at("next_wake_at").size() : concurrent.size() + 1) == left.size());
        RC_ASSERT(member(end, "next_wake_at") == std::to_string(*std::ranges::min_element(left)));
    }));
}

}  // namespace
}  // namespace belfry::rules
