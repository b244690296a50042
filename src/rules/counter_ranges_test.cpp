#include "rules/counter_ranges.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <set>

namespace belfry::rules {
namespace {

constexpr std::uint64_t last_of_all = model::VectorClock::counter_max;

TEST(CounterRanges, have_one_form) {
    EXPECT_EQ(joined_ranges({{"b", 1, 2}, {"a", 5, 9}, {"a", 1, 3}, {"a", 4, 4}, {"a", 8, 7}, {"a", 12, 12}}),
              (CounterRanges{{"a", 1, 9}, {"a", 12, 12}, {"b", 1, 2}}));
    EXPECT_EQ(joined_ranges({{"a", 1, last_of_all}, {"a", 5, 6}}), (CounterRanges{{"a", 1, last_of_all}}));
    EXPECT_TRUE(joined_ranges({}).empty());
}

TEST(CounterRanges, are_taken_from_each_other) {
    EXPECT_EQ(ranges_without({{"a", 1, 10}, {"b", 1, 2}}, {{"a", 3, 4}, {"a", 9, 20}, {"c", 1, 9}}),
              (CounterRanges{{"a", 1, 2}, {"a", 5, 8}, {"b", 1, 2}}));
    EXPECT_TRUE(ranges_without({{"a", 3, last_of_all}}, {{"a", 1, last_of_all}}).empty());
    EXPECT_EQ(ranges_without({{"a", 1, 3}, {"a", 5, 7}}, {{"a", 2, 6}}), (CounterRanges{{"a", 1, 1}, {"a", 7, 7}}));
}

TEST(CounterRanges, reach_as_far_as_a_clock) {
    model::VectorClock clock;
    ASSERT_TRUE(clock.raise("a", 5).ok());
    EXPECT_EQ(ranges_within({{"a", 1, 9}, {"a", 7, 9}, {"b", 1, 2}}, clock), (CounterRanges{{"a", 1, 5}}));
}

// Against sets of single counters.
TEST(CounterRanges, are_sets) {
    using Counters = std::set<std::pair<std::string, std::uint64_t>>;
    const auto any = [] {
        CounterRanges ranges;
        for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
            const auto from = *rc::gen::inRange<std::uint64_t>(1, 20);
            ranges.push_back(
                {*rc::gen::element<std::string>("a", "b"), from, from + *rc::gen::inRange<std::uint64_t>(0, 6)});
        }
        return ranges;
    };
    const auto counters = [](const CounterRanges& ranges) {
        Counters set;
        for (const auto& range : ranges) {
            for (std::uint64_t i = range.from; i <= range.to; ++i) set.emplace(range.host, i);
        }
        return set;
    };
    EXPECT_TRUE(rc::check([&] {
        const CounterRanges a = any();
        const CounterRanges b = any();
        RC_ASSERT(counters(joined_ranges(a)) == counters(a));
        RC_ASSERT(joined_ranges(joined_ranges(a)) == joined_ranges(a));
        Counters left = counters(a);
        for (const auto& one : counters(b)) left.erase(one);
        RC_ASSERT(counters(ranges_without(a, b)) == left);
        RC_ASSERT(joined_ranges(ranges_without(a, b)) == ranges_without(a, b));
    }));
}

}  // namespace
}  // namespace belfry::rules
