#include "rules/wall_clock.hpp"

#include <gtest/gtest.h>

#include "rules/zones_test.hpp"

namespace belfry::rules {
namespace {

using How = Coming::How;

// A wall time is written as if it were UTC.
std::int64_t wall(std::string_view text) {
    return second(std::string(text) + "Z");
}

TEST(Stretch, follows_the_rule_of_later_years) {
    const model::Zone zone = berlin();
    EXPECT_EQ(stretch_at(zone, second("2026-03-29T00:59:59Z")).offset_s, hour_s);
    const Stretch summer = stretch_at(zone, second("2026-03-29T01:00:00Z"));
    EXPECT_EQ(summer.offset_s, 2 * hour_s);
    EXPECT_EQ(summer.begin_s, second("2026-03-29T01:00:00Z"));
    EXPECT_EQ(summer.end_s, second("2026-10-25T01:00:00Z"));
    EXPECT_EQ(stretch_at(zone, summer.end_s).end_s, second("2027-03-28T01:00:00Z"));
}

TEST(Stretch, knows_days_that_are_counted_with_and_without_the_leap_day) {
    model::Zone zone = berlin();
    model::ZoneTail::Summer& summer = *zone.tail->summer;
    summer.begins = {model::YearlyMoment::Kind::day_but_leap, 1, 1, 0, 60, 0};  // always 1 March
    summer.ends = {model::YearlyMoment::Kind::day, 1, 1, 0, 365, 2 * hour_s};   // 1 January, in leap years 31 December
    EXPECT_EQ(stretch_at(zone, second("2027-06-01T00:00:00Z")).begin_s, second("2027-02-28T23:00:00Z"));
    EXPECT_EQ(stretch_at(zone, second("2028-06-01T00:00:00Z")).begin_s, second("2028-02-29T23:00:00Z"));
    EXPECT_EQ(stretch_at(zone, second("2028-06-01T00:00:00Z")).end_s, second("2028-12-31T00:00:00Z"));
    EXPECT_EQ(stretch_at(zone, second("2027-06-01T00:00:00Z")).end_s, second("2028-01-01T00:00:00Z"));
}

// RFC 8536 writes it so: EST5EDT,0/0,J365/25.
TEST(Stretch, of_summer_time_all_year_never_ends) {
    model::Zone zone{"X", -4 * hour_s, {}, model::ZoneTail{-5 * hour_s, model::ZoneTail::Summer{-4 * hour_s, {}, {}}}};
    zone.tail->summer->begins = {model::YearlyMoment::Kind::day, 1, 1, 0, 0, 0};
    zone.tail->summer->ends = {model::YearlyMoment::Kind::day_but_leap, 1, 1, 0, 365, 25 * hour_s};
    for (std::int64_t s = second("2030-12-28T00:00:00Z"); s < second("2033-01-05T00:00:00Z"); s += 1800) {
        ASSERT_EQ(stretch_at(zone, s).offset_s, -4 * hour_s) << s;
    }
}

TEST(WallTime, in_a_gap_comes_when_the_clocks_jump) {
    for (const char* inside : {"2026-03-29T02:00:00", "2026-03-29T02:30:00", "2026-03-29T02:59:59"}) {
        const Coming coming = when_shown(berlin(), wall(inside));
        EXPECT_EQ(coming.instant_s, second("2026-03-29T01:00:00Z")) << inside;
        EXPECT_EQ(coming.how, How::after_gap) << inside;
    }
    EXPECT_EQ(when_shown(berlin(), wall("2026-03-29T01:59:59")).how, How::plain);
    EXPECT_EQ(when_shown(berlin(), wall("2026-03-29T03:00:00")).how, How::plain);
    EXPECT_EQ(when_shown(berlin(), wall("2026-03-29T03:00:00")).instant_s, second("2026-03-29T01:00:00Z"));
    EXPECT_EQ(when_shown(apia(), wall("2011-12-30T12:00:00")).instant_s, second("2011-12-30T10:00:00Z"));
}

TEST(WallTime, that_is_shown_twice_comes_the_first_time) {
    for (const char* twice : {"2026-10-25T02:00:00", "2026-10-25T02:30:00", "2026-10-25T02:59:59"}) {
        const Coming coming = when_shown(berlin(), wall(twice));
        EXPECT_EQ(coming.instant_s, wall(twice) - 2 * hour_s) << twice;
        EXPECT_EQ(coming.how, How::first_of_two) << twice;
    }
    EXPECT_EQ(when_shown(berlin(), wall("2026-10-25T01:59:59")).how, How::plain);
    const Coming after = when_shown(berlin(), wall("2026-10-25T03:00:00"));
    EXPECT_EQ(after.how, How::plain);
    EXPECT_EQ(after.instant_s, second("2026-10-25T02:00:00Z"));
}

TEST(LatestShown, stays_while_the_clocks_show_an_hour_again) {
    const model::Zone zone = berlin();
    EXPECT_EQ(latest_shown(zone, second("2026-10-25T00:30:00Z")), wall("2026-10-25T02:30:00"));
    EXPECT_EQ(latest_shown(zone, second("2026-10-25T01:00:00Z")), wall("2026-10-25T02:59:59"));
    EXPECT_EQ(latest_shown(zone, second("2026-10-25T01:59:58Z")), wall("2026-10-25T02:59:59"));
    EXPECT_EQ(latest_shown(zone, second("2026-10-25T02:00:00Z")), wall("2026-10-25T03:00:00"));
}

// What next_occurrence relies on, over clocks that are moved to and fro within hours.
TEST(WallTime, comes_after_an_instant_exactly_if_it_is_later_than_all_that_was_shown) {
    const std::int64_t t = second("2026-06-01T00:00:00Z");
    const model::Zone zone{
        "X", 0, {{t, 2 * hour_s}, {t + 1800, -3 * hour_s}, {t + 5400, 26 * hour_s}, {t + 5460, -26 * hour_s}}, {}};
    for (std::int64_t instant = t - 8 * hour_s; instant < t + 60 * hour_s; instant += 600) {
        const std::int64_t shown = latest_shown(zone, instant);
        for (std::int64_t w = t - 10 * hour_s; w < t + 40 * hour_s; w += 900) {
            ASSERT_EQ(when_shown(zone, w).instant_s > instant, w > shown) << instant - t << " " << w - t;
        }
    }
}

}  // namespace
}  // namespace belfry::rules
