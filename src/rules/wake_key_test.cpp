#include "rules/wake_key.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <set>

#include "base/hash.hpp"
#include "model/value_json.hpp"
#include "rules/canonical_json.hpp"

namespace belfry::rules {
namespace {

using model::ChangeToken;
using model::ChangeUnit;
using Strings = std::vector<std::string>;

const std::vector<ChangeUnit> units{{"h0", 7, "task", "t1"}, {"h0", 10, "task", "t1"}, {"h1", 2, "day_plan", "d"}};

std::string hash_of(std::string_view json) {
    return arguments_hash(model::value_from({json}));
}

std::string canonical(std::string_view json) {
    std::string out;
    append_canonical_json(out, model::value_from({json}));
    return out;
}

std::string key_of(const Strings& tokens) {
    std::vector<ChangeToken> read;
    for (const std::string& token : tokens) read.push_back(*ChangeToken::parse(token));
    return token_set_key(read);
}

// Stored and exchanged between devices: a red line here is a change that breaks both.
TEST(WakeKeys, are_what_they_always_were) {
    EXPECT_EQ(batch_id(units), "c3a21825ffd241b2f2da61faeebd9c1ffec489507b9cede3579a6778a986fbe5");
    EXPECT_EQ(batch_id({}), "31a818de2293fd836cdf176679d9e9a31ef5e260ece24cb5341fc22dc8e6153d");
    EXPECT_EQ(subscription_run_key("a", "s", batch_id(units)),
              "e835cc951874a9952524dc12becda7dc764e2b6011f33b9c87c81235055d10aa");
    EXPECT_EQ(event_run_key("a", "s", Strings{"e1", "e2"}),
              "b3bcfecf4bc03d2d0ea8f0e225681ad10c450e31e45edf32e5c217118250e3a1");
    EXPECT_EQ(timer_run_key("a", "t", base::Timestamp{1'763'251'200'000'000}),
              "06b43fcd18ec26a2c8d481cee3d8e59bf94b87e4515dbda0674d169b2b35d7fe");
    EXPECT_EQ(turn_run_key("a", "s", "t"), "5235c45b8c277fa982f477457f724f6e22e7db5058df8c0d5dbc574819d976c2");
    EXPECT_EQ(manual_run_key("a", "r"), "448b036f5c0a8b9b2fd1247c9478c93fe564557dc4da2cb2f84aee6814cc0708");
    EXPECT_EQ(operation_id("k", 0, "create_task"), "1f31fa5d6ee5ccced3c49bbd9f8f3e09af6eeb31013a4200054635925b9eb00c");
    EXPECT_EQ(hash_of(R"({"title":"x","n":1})"), "99f390ef683991819d656041bdad6f15419689f4d1812777fc485d0cf18140a2");
    EXPECT_EQ(key_of({"key:agentChanged", "sub:workout/running", "id:1"}),
              "3e8097119311a425ce2f601e1bfb8db049d44d34e851447638d8b757ff753717");
}

TEST(WakeKeys, are_the_hash_of_length_prefixed_parts) {
    const auto part = [](std::string_view text) {
        return std::string(7, '\0') + static_cast<char>(text.size()) + std::string(text);
    };
    const base::Sha256 hash = base::sha256(part("wake.timer") + part("a") + part("t") + part("-5"));
    EXPECT_EQ(timer_run_key("a", "t", base::Timestamp{-5}),
              base::hex({reinterpret_cast<const char*>(hash.data()), hash.size()}));
}

TEST(WakeKeys, the_order_and_repeats_of_units_change_nothing) {
    EXPECT_TRUE(rc::check([] {
        std::vector<ChangeUnit> some = units;
        some.push_back(units[*rc::gen::inRange<std::size_t>(0, units.size())]);
        const auto moved = *rc::gen::inRange<std::size_t>(0, some.size());
        std::ranges::rotate(some, some.begin() + static_cast<std::ptrdiff_t>(moved));
        RC_ASSERT(batch_id(some) == batch_id(units));
    }));
}

TEST(WakeKeys, each_member_of_a_unit_counts) {
    const ChangeUnit unit{"h", 1, "task", "t"};
    std::set<std::string> ids{batch_id({}), batch_id(std::vector{unit})};
    for (const ChangeUnit& other :
         {ChangeUnit{"i", 1, "task", "t"}, ChangeUnit{"h", 2, "task", "t"}, ChangeUnit{"h", 1, "tasks", "t"},
          ChangeUnit{"h", 1, "task", "u"}, ChangeUnit{"h", 1, "tas", "kt"}, ChangeUnit{"h1", 1, "task", "t"}}) {
        ids.insert(batch_id(std::vector{other}));
        ids.insert(batch_id(std::vector{unit, other}));
    }
    EXPECT_EQ(ids.size(), 14U);
}

TEST(WakeKeys, of_different_reasons_never_agree) {
    const std::set<std::string> keys{subscription_run_key("a", "b", "c"),
                                     event_run_key("a", "b", Strings{"c"}),
                                     timer_run_key("a", "b", base::Timestamp{0}),
                                     turn_run_key("a", "b", "c"),
                                     manual_run_key("a", "b"),
                                     turn_run_key("a", "bc", ""),
                                     turn_run_key("ab", "", "c"),
                                     turn_run_key("b", "a", "c")};
    EXPECT_EQ(keys.size(), 8U);
    for (const std::string& key : keys) {
        EXPECT_EQ(key.size(), 64U);
        EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos);
    }
}

TEST(WakeKeys, the_order_and_repeats_of_events_change_nothing) {
    const std::string key = event_run_key("a", "s", Strings{"e1", "e2"});
    EXPECT_EQ(event_run_key("a", "s", Strings{"e2", "e1", "e2"}), key);
    EXPECT_NE(event_run_key("a", "s", Strings{"e1"}), key);
    EXPECT_NE(event_run_key("a", "s", Strings{"e1e2"}), key);
    EXPECT_NE(event_run_key("a", "s", Strings{"e1", "e2", "e3"}), key);
}

TEST(WakeKeys, of_timers_tell_microseconds_apart) {
    EXPECT_NE(timer_run_key("a", "t", base::Timestamp{1}), timer_run_key("a", "t", base::Timestamp{2}));
    EXPECT_NE(timer_run_key("a", "t", base::Timestamp{1}), timer_run_key("a", "t1", base::Timestamp{1}));
}

TEST(WakeKeys, of_a_signal_that_all_devices_get_are_those_of_its_reason) {
    model::WakeSignal signal;
    signal.rule = "t";
    const auto key_of = [&signal](model::SignalKind kind, std::string key) {
        signal.kind = kind;
        signal.key = std::move(key);
        return shared_run_key("a", signal);
    };
    EXPECT_EQ(key_of(model::SignalKind::timer, "2025-11-16T00:00:00Z"),
              timer_run_key("a", "t", base::Timestamp{1'763'251'200'000'000}));
    EXPECT_EQ(key_of(model::SignalKind::timer, "soon"), std::nullopt) << "it is no instant";
    EXPECT_EQ(key_of(model::SignalKind::change, "b"), subscription_run_key("a", "t", "b"));
    EXPECT_EQ(key_of(model::SignalKind::manual, "r"), manual_run_key("a", "r"));
    EXPECT_EQ(key_of(model::SignalKind::event, "e"), std::nullopt);
}

TEST(WakeKeys, threads_are_named_by_their_agent_and_their_run_or_session) {
    EXPECT_EQ(run_thread_id("coach", "ab12"), "coach:run:ab12");
    EXPECT_EQ(session_thread_id("coach", "s 1"), "coach:session:s 1");
}

TEST(WakeKeys, two_actions_of_one_plan_are_two_operations) {
    const std::set<std::string> ids{operation_id("k", 0, "t"), operation_id("k", 1, "t"),  operation_id("k", 0, "u"),
                                    operation_id("l", 0, "t"), operation_id("k", 10, "t"), operation_id("k1", 0, "t")};
    EXPECT_EQ(ids.size(), 6U);
}

TEST(WakeKeys, tokens_are_a_set) {
    const std::string key = key_of({"id:a", "id:b"});
    EXPECT_EQ(key_of({"id:b", "id:a", "id:b"}), key);
    EXPECT_NE(key_of({"id:a|b"}), key);
    EXPECT_NE(key_of({"id:a"}), key);
    EXPECT_NE(key_of({"key:a", "id:b"}), key);
    EXPECT_NE(key_of({}), key);
}

TEST(ArgumentsHash, neither_the_order_of_members_nor_the_spelling_of_numbers_counts) {
    EXPECT_EQ(hash_of(R"({"b":[{"y":1,"x":2}],"a":{"d":1.0,"c":null}})"),
              hash_of(R"({ "a": {"c":null, "d":1e0}, "b": [{"x":2.0,"y":1}] })"));
    for (const char* one : {"1", "1.0", "1e0", "10e-1", "0.1e1", "1.000"}) EXPECT_EQ(hash_of(one), hash_of("1")) << one;
    for (const char* zero : {"-0", "0.0", "-0.0", "0e5"}) EXPECT_EQ(hash_of(zero), hash_of("0")) << zero;
    EXPECT_EQ(hash_of("1e22"), hash_of("10000000000000000000000"));
    EXPECT_EQ(hash_of("18446744073709551615"), hash_of("18446744073709551615.0"));
    EXPECT_EQ(hash_of(R"("\u0061")"), hash_of(R"("a")"));
    EXPECT_EQ(hash_of(R"({"a":1,"a":2})"), hash_of(R"({"a":2})"));
}

TEST(ArgumentsHash, everything_else_counts) {
    const char* different[] = {"1",
                               "2",
                               "\"1\"",
                               "true",
                               "null",
                               "[]",
                               "{}",
                               "[1,2]",
                               "[2,1]",
                               "[[1],2]",
                               R"({"a":1})",
                               R"({"a":2})",
                               R"({"b":1})",
                               R"(["a","b"])",
                               R"(["a,b"])",
                               "9007199254740993",
                               "9007199254740992",
                               "0.1",
                               "0.10000000000000001"};
    std::set<std::string> hashes;
    for (const char* json : different) hashes.insert(hash_of(json));
    EXPECT_EQ(hashes.size(), std::size(different));
}

TEST(CanonicalJson, sorts_members_by_their_bytes_at_every_depth) {
    EXPECT_EQ(canonical(R"({"b":1.50,"a":{"ä":1,"z":2,"Z":3},"":[{"y":0,"x":-0.0}]})"),
              R"({"":[{"x":0,"y":0}],"a":{"Z":3,"z":2,"ä":1},"b":1.5})");
}

TEST(CanonicalJson, keeps_the_order_of_a_list) {
    EXPECT_EQ(canonical(R"([ 2, 1.0, [], [null], "x" ])"), R"([2,1,[],[null],"x"])");
}

}  // namespace
}  // namespace belfry::rules
