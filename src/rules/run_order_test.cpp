#include "rules/run_order.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

TEST(RunOrder, the_greatest_host_is_first_and_does_not_wait) {
    EXPECT_EQ(place_in_order("c.1", {"a.1", "b.1"}, {}), 0U);
    EXPECT_EQ(place_in_order("b.1", {"a.1", "c.1"}, {}), 1U);
    EXPECT_EQ(place_in_order("a.1", {"b.1"}, {"c.1"}), 2U) << "a device behind a relay counts, too";
    EXPECT_EQ(claim_delay(0), base::Duration{});
    EXPECT_EQ(claim_delay(2), claim_step * 2);
}

TEST(RunOrder, a_device_counts_once_however_often_its_store_was_restored) {
    EXPECT_EQ(place_in_order("a.7", {"b.3"}, {"b.1", "b.2", "a.1", "a.9"}), 1U);
    EXPECT_EQ(place_in_order("a.7", {}, {"b.1", "b.2", "b.3"}), 1U);
}

TEST(RunOrder, two_devices_from_one_backup_are_two) {
    EXPECT_EQ(place_in_order("a.2", {"a.3"}, {"a.1"}), 1U);
    EXPECT_EQ(place_in_order("a.3", {"a.2"}, {"a.1"}), 0U);
}

TEST(RunOrder, hosts_are_of_one_device_by_what_stands_before_the_dot) {
    EXPECT_TRUE(are_of_one_device("a.1", "a.2"));
    EXPECT_TRUE(are_of_one_device("a", "a.2"));
    EXPECT_FALSE(are_of_one_device("a.1", "b.1"));
    EXPECT_FALSE(are_of_one_device("a.1", "ab.1"));
}

TEST(RunOrder, has_an_end) {
    EXPECT_EQ(claim_delay(1000), claim_step * static_cast<std::int64_t>(claim_steps_max));
}

}  // namespace
}  // namespace belfry::rules
