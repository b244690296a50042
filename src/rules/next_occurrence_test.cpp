#include "rules/next_occurrence.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "rules/cron.hpp"
#include "rules/schedule.hpp"
#include "rules/zones_test.hpp"

namespace belfry::rules {
namespace {

using How = Coming::How;

base::Timestamp at(std::string_view text) {
    return *base::parse_timestamp(text);
}

model::Schedule cron(std::string_view text) {
    return {*parse_cron(text), "Europe/Berlin"};
}

model::Schedule daily(std::string_view text) {
    return {model::Daily{*parse_wall_time(text)}, "Europe/Berlin"};
}

std::vector<std::string> firings(const model::Schedule& schedule, std::string_view after, const model::Zone& zone,
                                 std::size_t count) {
    std::vector<std::string> found;
    auto next = next_occurrence(schedule, at(after), zone);
    while (next && found.size() < count) {
        found.push_back(base::format_timestamp(next->at));
        next = next_occurrence(schedule, next->at, zone);
    }
    return found;
}

using Instants = std::vector<std::string>;

TEST(NextOccurrence, of_a_wall_time_in_the_spring_gap_is_once_at_the_first_valid_instant) {
    EXPECT_EQ(firings(daily("02:30"), "2026-03-27T12:00:00Z", berlin(), 3),
              (Instants{"2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"}));
    const auto moved = next_occurrence(daily("02:30"), at("2026-03-28T12:00:00Z"), berlin());
    EXPECT_EQ(moved->how, How::after_gap);
    EXPECT_EQ(moved->wall_times, 1);
}

TEST(NextOccurrence, of_a_wall_time_that_comes_twice_in_autumn_is_once_at_the_first) {
    EXPECT_EQ(firings(daily("02:30"), "2026-10-24T12:00:00Z", berlin(), 2),
              (Instants{"2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}));
    EXPECT_EQ(next_occurrence(daily("02:30"), at("2026-10-24T12:00:00Z"), berlin())->how, How::first_of_two);
    // Whoever asks between the two is too late for the first, and there is no second.
    EXPECT_EQ(firings(daily("02:30"), "2026-10-25T01:10:00Z", berlin(), 1), (Instants{"2026-10-26T01:30:00Z"}));
}

TEST(NextOccurrence, of_several_wall_times_on_one_instant_is_one) {
    const model::Schedule often = cron("*/15 * * * *");
    EXPECT_EQ(firings(often, "2026-03-29T00:44:59Z", berlin(), 3),
              (Instants{"2026-03-29T00:45:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:15:00Z"}));
    const auto jump = next_occurrence(often, at("2026-03-29T00:45:00Z"), berlin());
    EXPECT_EQ(jump->wall_times, 5);
    EXPECT_EQ(jump->last_wall_s - jump->first_wall_s, hour_s);
}

TEST(NextOccurrence, passes_over_the_hour_that_comes_again) {
    EXPECT_EQ(firings(cron("*/30 * * * *"), "2026-10-25T00:00:00Z", berlin(), 3),
              (Instants{"2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z", "2026-10-25T02:30:00Z"}));
}

TEST(NextOccurrence, of_a_day_that_was_left_out_is_at_its_end) {
    EXPECT_EQ(firings(daily("07:00"), "2011-12-29T00:00:00Z", apia(), 3),
              (Instants{"2011-12-29T17:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T17:00:00Z"}));
}

TEST(NextOccurrence, is_later_than_the_instant_also_by_a_fraction_of_a_second) {
    EXPECT_EQ(firings(daily("07:00"), "2026-01-05T05:59:59.999999Z", berlin(), 1), (Instants{"2026-01-05T06:00:00Z"}));
    EXPECT_EQ(firings(daily("07:00"), "2026-01-05T06:00:00Z", berlin(), 1), (Instants{"2026-01-06T06:00:00Z"}));
    EXPECT_EQ(firings(daily("07:00"), "2026-01-05T06:00:00.000001Z", berlin(), 1), (Instants{"2026-01-06T06:00:00Z"}));
}

TEST(NextOccurrence, keeps_the_wall_time_when_the_zone_changes) {
    EXPECT_EQ(firings(daily("07:00"), "2026-07-01T00:00:00Z", berlin(), 1), (Instants{"2026-07-01T05:00:00Z"}));
    EXPECT_EQ(firings(daily("07:00"), "2026-07-01T00:00:00Z", utc(), 1), (Instants{"2026-07-01T07:00:00Z"}));
}

TEST(NextOccurrence, of_a_leap_day_passes_over_2100) {
    EXPECT_EQ(firings(cron("0 0 29 2 *"), "2095-01-01T00:00:00Z", utc(), 2),
              (Instants{"2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"}));
    // 29 February on a Sunday: forty years between two of them.
    EXPECT_EQ(firings(cron("0 0 29 2 */7"), "2088-02-29T00:00:00Z", utc(), 1), (Instants{"2128-02-29T00:00:00Z"}));
}

TEST(NextOccurrence, takes_days_as_vixies_cron_does) {
    EXPECT_EQ(firings(cron("0 0 13 * fri"), "2026-11-09T00:00:00Z", utc(), 3),
              (Instants{"2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z"}));
    EXPECT_EQ(firings(cron("0 0 */2 * fri"), "2026-11-09T00:00:00Z", utc(), 2),
              (Instants{"2026-11-13T00:00:00Z", "2026-11-27T00:00:00Z"}));
}

TEST(NextOccurrence, of_weekdays_goes_over_the_end_of_the_week) {
    const model::Schedule weekly{*parse_weekly("fri-mon@18:30"), "UTC"};
    EXPECT_EQ(
        firings(weekly, "2026-11-13T18:30:00Z", utc(), 4),
        (Instants{"2026-11-14T18:30:00Z", "2026-11-15T18:30:00Z", "2026-11-16T18:30:00Z", "2026-11-20T18:30:00Z"}));
}

TEST(NextOccurrence, of_elapsed_time_counts_from_its_anchor_whatever_clocks_show) {
    const model::Schedule every{model::EveryInterval{base::minutes(90), at("2026-10-24T23:00:00Z")}, ""};
    EXPECT_EQ(firings(every, "2026-10-20T00:00:00Z", berlin(), 3),
              (Instants{"2026-10-24T23:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z"}));
    EXPECT_EQ(firings(every, "2026-10-25T00:30:00Z", berlin(), 1), (Instants{"2026-10-25T02:00:00Z"}));
    EXPECT_EQ(firings(every, "2026-10-25T00:29:59.999999Z", berlin(), 1), (Instants{"2026-10-25T00:30:00Z"}));
}

TEST(NextOccurrence, of_an_instant_is_there_once) {
    const model::Schedule once{model::AtInstant{at("2026-12-24T17:00:00Z")}, ""};
    EXPECT_EQ(firings(once, "2026-12-24T16:59:59Z", utc(), 5), (Instants{"2026-12-24T17:00:00Z"}));
    EXPECT_TRUE(firings(once, "2026-12-24T17:00:00Z", utc(), 5).empty());
}

TEST(NextOccurrence, ends_with_the_year_9999) {
    EXPECT_EQ(firings(cron("0 0 31 12 *"), "9998-01-01T00:00:00Z", utc(), 5),
              (Instants{"9998-12-31T00:00:00Z", "9999-12-31T00:00:00Z"}));
    const model::Schedule every{model::EveryInterval{base::days(3660), at("9995-01-01T00:00:00Z")}, ""};
    EXPECT_EQ(firings(every, "9990-01-01T00:00:00Z", utc(), 5), (Instants{"9995-01-01T00:00:00Z"}));
    EXPECT_TRUE(firings(daily("23:00"), "9999-12-31T00:00:00Z", {"X", -5 * hour_s, {}, {}}, 5).size() <= 1);
}

}  // namespace
}  // namespace belfry::rules
