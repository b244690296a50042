#include "daemon/engine_thread.hpp"

#include <gtest/gtest.h>

namespace belfry::daemon {
namespace {

constexpr base::Timestamp now{1'794'657'600'000'000};

TEST(Patience, lasts_until_something_is_due) {
    EXPECT_EQ(patience_until(now + base::milliseconds(1500), now), base::milliseconds(1500));
    EXPECT_EQ(patience_until(now, now), base::Duration{0});
    EXPECT_EQ(patience_until(now - base::days(1), now), base::Duration{0});
}

TEST(Patience, is_never_longer_than_ten_seconds_because_the_clock_may_jump) {
    EXPECT_EQ(patience_until(now + base::seconds(300), now), base::seconds(10));
    EXPECT_EQ(patience_until(now + base::days(30), now), base::seconds(10));
    EXPECT_EQ(patience_until(std::nullopt, now), base::seconds(10));
}

TEST(ClockJump, of_a_few_seconds_leaves_links_alone) {
    EXPECT_TRUE(has_slept(base::minutes(10)));
    EXPECT_FALSE(has_slept(base::seconds(4)));
    EXPECT_FALSE(has_slept(base::Duration{} - base::hours(2))) << "the clock was set back";
}

}  // namespace
}  // namespace belfry::daemon
