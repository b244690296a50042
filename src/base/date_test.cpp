#include "base/date.hpp"

#include <gtest/gtest.h>

namespace belfry::base {
namespace {

TEST(Date, is_counted_from_1970_and_back) {
    EXPECT_EQ(days_from_date({1970, 1, 1}), 0);
    EXPECT_EQ(days_from_date({2000, 2, 29}), 11'016);
    Date before = date_from_days(-800'000);
    for (std::int64_t day = -799'999; day < 3'000'000; ++day) {
        const Date date = date_from_days(day);
        ASSERT_LT(before, date) << day;
        ASSERT_EQ(days_from_date(date), day);
        before = date;
    }
}

TEST(Date, has_a_weekday_also_before_1970) {
    EXPECT_EQ(weekday_of(0), 4U);   // a Thursday
    EXPECT_EQ(weekday_of(-5), 6U);  // a Saturday
    EXPECT_EQ(weekday_of(days_from_date({2026, 3, 29})), 0U);
}

TEST(Date, division_rounds_down) {
    EXPECT_EQ(floor_divide(7, 7), 1);
    EXPECT_EQ(floor_divide(-1, 7), -1);
    EXPECT_EQ(floor_divide(-7, 7), -1);
    EXPECT_EQ(floor_divide(-8, 7), -2);
}

TEST(LocalTime, has_its_offset) {
    const Timestamp time = *parse_timestamp("2026-03-29T01:00:00Z");
    EXPECT_EQ(format_local(time, 7200), "2026-03-29T03:00:00+02:00");
    EXPECT_EQ(format_local(time, 0), "2026-03-29T01:00:00+00:00");
    EXPECT_EQ(format_local(time, -12'600), "2026-03-28T21:30:00-03:30");
    EXPECT_EQ(format_local(time, -2670), "2026-03-29T00:15:30-00:44:30");
}

TEST(Date, is_read_as_it_is_written) {
    EXPECT_EQ(parse_date("2026-11-16"), (Date{2026, 11, 16}));
    EXPECT_EQ(parse_date("2024-02-29"), (Date{2024, 2, 29}));
    for (const char* text : {"", "2026-11-1", "2026-11-016", "2026-13-01", "2026-00-01", "2026-11-31", "2025-02-29",
                             "2026-11-00", "2026/11/16", "+026-11-16", "2026-1x-16", " 2026-11-16"}) {
        EXPECT_FALSE(parse_date(text)) << text;
    }
}

}  // namespace
}  // namespace belfry::base
