#include "model/vector_clock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/wake_limits.hpp"

namespace belfry::model {
namespace {

namespace limits = base::limits;

VectorClock clock(std::string_view json) {
    auto read = VectorClock::parse({json});
    EXPECT_TRUE(read.ok()) << json;
    return read.ok() ? *read : VectorClock();
}

base::Code refusal(std::string_view json) {
    const auto read = VectorClock::parse({json});
    EXPECT_FALSE(read.ok()) << json;
    return read.ok() ? base::Code::internal : read.error().code;
}

bool is_too_large(const base::Result<void>& done) {
    return !done.ok() && done.error().code == base::Code::too_large;
}

VectorClock of_hosts(std::size_t from, std::size_t count) {
    VectorClock made;
    for (std::size_t i = from; i < from + count; ++i) EXPECT_TRUE(made.raise("h" + std::to_string(i), i + 1).ok());
    return made;
}

TEST(VectorClock, tells_before_after_equal_and_concurrent) {
    const VectorClock a = clock(R"({"h0":1,"h1":2})");
    EXPECT_EQ(a.compare(clock(R"({"h1":2,"h0":1})")), ClockOrder::equal);
    EXPECT_EQ(a.compare(clock(R"({"h0":1,"h1":3})")), ClockOrder::before);
    EXPECT_EQ(a.compare(clock(R"({"h0":1,"h1":2,"h2":1})")), ClockOrder::before);
    EXPECT_EQ(a.compare(clock(R"({"h1":2})")), ClockOrder::after);
    EXPECT_EQ(a.compare(clock(R"({"h0":2,"h1":1})")), ClockOrder::concurrent);
    EXPECT_EQ(a.compare(clock(R"({"h2":1})")), ClockOrder::concurrent);
    EXPECT_EQ(VectorClock().compare(a), ClockOrder::before);
    EXPECT_EQ(VectorClock().compare(VectorClock()), ClockOrder::equal);
}

TEST(VectorClock, is_written_with_its_hosts_in_byte_order) {
    EXPECT_EQ(clock(R"({ "b" : 2, "a":1, "B":3, "\u00e4":4 })").to_json(), "{\"B\":3,\"a\":1,\"b\":2,\"ä\":4}");
    EXPECT_EQ(clock("{}").to_json(), "{}");
    EXPECT_EQ(clock(R"({"a\"b":1})").to_json(), R"({"a\"b":1})");
}

TEST(VectorClock, a_counter_of_zero_is_not_kept_and_the_last_of_two_counts) {
    EXPECT_EQ(clock(R"({"a":0})"), VectorClock());
    EXPECT_EQ(clock(R"({"a":7,"b":1,"a":3})").to_json(), R"({"a":3,"b":1})");
    EXPECT_EQ(clock(R"({"a":7,"\u0061":0})"), VectorClock());
}

TEST(VectorClock, refuses_what_is_no_clock) {
    for (const char* json : {"[]", "1", "null", R"("a")", R"({"a":-1})", R"({"a":1.5})", R"({"a":1.0})", R"({"a":"1"})",
                             R"({"a":null})", R"({"a":9223372036854775808})", R"({"":1})", R"({"a\u200bb":1})"}) {
        EXPECT_EQ(refusal(json), base::Code::invalid) << json;
    }
    EXPECT_EQ(clock(R"({"a":9223372036854775807})").counter_of("a"), VectorClock::counter_max);
}

TEST(VectorClock, allows_names_and_hosts_up_to_the_bounds) {
    const std::string name(limits::host_bytes_max, 'x');
    EXPECT_EQ(clock("{\"" + name + "\":1}").counter_of(name), 1U);
    EXPECT_EQ(refusal("{\"" + name + "x\":1}"), base::Code::invalid);

    VectorClock full = of_hosts(0, limits::clock_hosts_max);
    EXPECT_EQ(clock(full.to_json()), full);
    EXPECT_TRUE(is_too_large(full.raise("one more", 1)));
    EXPECT_TRUE(full.raise("one more", 0).ok());
    EXPECT_TRUE(full.raise("h3", 99).ok());
    const std::string json = full.to_json();
    EXPECT_EQ(refusal(json.substr(0, json.size() - 1) + R"(,"one more":1})"), base::Code::too_large);
}

TEST(VectorClock, a_merge_beyond_the_hosts_is_refused_and_changes_nothing) {
    VectorClock mine = of_hosts(0, limits::clock_hosts_max - 1);
    const VectorClock before = mine;
    VectorClock theirs = of_hosts(limits::clock_hosts_max - 2, 3);
    ASSERT_TRUE(theirs.raise("h0", 1000).ok());
    EXPECT_TRUE(is_too_large(mine.merge(theirs)));
    EXPECT_EQ(mine, before);
    EXPECT_TRUE(mine.merge(of_hosts(limits::clock_hosts_max - 2, 2)).ok());
    EXPECT_EQ(mine.counters().size(), limits::clock_hosts_max);
}

TEST(VectorClock, never_goes_back) {
    VectorClock made;
    EXPECT_TRUE(made.raise("a", 5).ok());
    EXPECT_TRUE(made.raise("a", 3).ok());
    EXPECT_EQ(made.counter_of("a"), 5U);
    EXPECT_TRUE(made.includes("a", 5));
    EXPECT_FALSE(made.includes("a", 6));
    EXPECT_TRUE(made.includes("b", 0));
    EXPECT_FALSE(made.raise("", 1).ok());
    EXPECT_FALSE(made.raise("a", VectorClock::counter_max + 1).ok());
}

rc::Gen<VectorClock> any_clock() {
    const auto counter = rc::gen::inRange<std::uint64_t>(0, 4);
    return rc::gen::map(rc::gen::tuple(counter, counter, counter), [](const auto& counters) {
        VectorClock made;
        RC_ASSERT(made.raise("a", std::get<0>(counters)).ok());
        RC_ASSERT(made.raise("b", std::get<1>(counters)).ok());
        RC_ASSERT(made.raise("c", std::get<2>(counters)).ok());
        return made;
    });
}

VectorClock merged(VectorClock a, const VectorClock& b) {
    RC_ASSERT(a.merge(b).ok());
    return a;
}

TEST(VectorClock, merging_is_a_least_upper_bound) {
    EXPECT_TRUE(rc::check([] {
        const VectorClock a = *any_clock();
        const VectorClock b = *any_clock();
        const VectorClock c = *any_clock();
        const VectorClock both = merged(a, b);
        RC_ASSERT(both == merged(b, a));
        RC_ASSERT(merged(both, b) == both);
        RC_ASSERT(merged(both, c) == merged(a, merged(b, c)));
        for (const char* host : {"a", "b", "c"}) {
            RC_ASSERT(both.counter_of(host) == std::max(a.counter_of(host), b.counter_of(host)));
        }
        RC_ASSERT(clock(both.to_json()) == both);
        RC_ASSERT((both == a) == (b.compare(a) == ClockOrder::before || b.compare(a) == ClockOrder::equal));
    }));
}

TEST(VectorClock, an_order_seen_from_the_other_side_is_its_opposite) {
    EXPECT_TRUE(rc::check([] {
        const VectorClock a = *any_clock();
        const VectorClock b = *any_clock();
        const auto opposite = [](ClockOrder order) {
            if (order == ClockOrder::before) return ClockOrder::after;
            return order == ClockOrder::after ? ClockOrder::before : order;
        };
        RC_ASSERT(b.compare(a) == opposite(a.compare(b)));
        RC_ASSERT((a == b) == (a.compare(b) == ClockOrder::equal));
    }));
}

}  // namespace
}  // namespace belfry::model
