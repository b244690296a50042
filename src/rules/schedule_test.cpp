#include "rules/schedule.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

TEST(WallTimeText, is_two_digits_each) {
    EXPECT_EQ(*parse_wall_time("07:05"), (model::WallTime{7, 5}));
    EXPECT_EQ(*parse_wall_time("23:59"), (model::WallTime{23, 59}));
    EXPECT_EQ(model::format_wall_time({7, 5}), "07:05");
    for (const char* bad : {"", "7:00", "07.00", "24:00", "12:60", "07:00:00", "ab:cd", "-1:00", " 7:00"}) {
        const auto time = parse_wall_time(bad);
        ASSERT_FALSE(time.ok()) << bad;
        EXPECT_EQ(time.error().message,
                  "must be a time from 00:00 to 23:59, like 07:00, not \"" + std::string(bad) + '"');
    }
}

TEST(WeeklyText, is_days_and_a_time) {
    EXPECT_EQ(*parse_weekly("mon,thu@18:30"), (model::Weekly{0b0010010, {18, 30}}));
    EXPECT_EQ(*parse_weekly("MON-Fri@07:00"), (model::Weekly{0b0111110, {7, 0}}));
    EXPECT_EQ(*parse_weekly("sat-mon,wed@00:00"), (model::Weekly{0b1001011, {0, 0}}));
    EXPECT_EQ(*parse_weekly("sun-sat@00:00"), (model::Weekly{0b1111111, {0, 0}}));
    for (const char* bad : {"", "mon", "@18:30", "mon@", "mon@25:00", "monday@18:30", "mon,@18:30", "mon-@18:30",
                            "1@18:30", "mon 18:30"}) {
        const auto weekly = parse_weekly(bad);
        ASSERT_FALSE(weekly.ok()) << bad;
        EXPECT_TRUE(weekly.error().message.starts_with("must be weekdays and a time like mon,thu@18:30")) << bad;
    }
}

TEST(IntervalText, has_limits) {
    EXPECT_EQ(*parse_interval("90m"), base::minutes(90));
    EXPECT_EQ(*parse_interval("1s"), base::seconds(1));
    EXPECT_EQ(*parse_interval("3660d"), base::days(3660));
    for (const char* bad : {"", "0", "999ms", "3661d", "-5m", "5 minutes"}) {
        const auto interval = parse_interval(bad);
        ASSERT_FALSE(interval.ok()) << bad;
        EXPECT_TRUE(interval.error().message.starts_with("must be a time from 1s to 3660d"))
            << interval.error().message;
    }
}

TEST(Schedule, is_described_in_a_line) {
    EXPECT_EQ(describe({model::Daily{{7, 0}}, ""}), "every day at 07:00");
    EXPECT_EQ(describe({model::Weekly{0b0010011, {18, 30}}, ""}), "every mon, thu, sun at 18:30");
    EXPECT_EQ(describe({model::Cron{"@daily", {}}, ""}), "cron @daily");
    EXPECT_EQ(describe({model::EveryInterval{base::minutes(90), {0}}, ""}), "every 90m from 1970-01-01T00:00:00Z");
    EXPECT_EQ(describe({model::AtInstant{{0}}, ""}), "once at 1970-01-01T00:00:00Z");
}

}  // namespace
}  // namespace belfry::rules
