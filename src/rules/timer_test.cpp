#include "rules/timer.hpp"

#include <gtest/gtest.h>
#include <string>

#include "rules/cron.hpp"
#include "rules/schedule.hpp"
#include "rules/zones_test.hpp"

namespace belfry::rules {
namespace {

base::Timestamp at(std::string_view text) {
    return *base::parse_timestamp(text);
}

model::AgentTimer timer_of(model::Schedule schedule, std::string_view now) {
    model::AgentTimer timer;
    timer.name = "t";
    timer.schedule = std::move(schedule);
    EXPECT_TRUE(begin_timer(timer, berlin(), at(now)));
    return timer;
}

model::Schedule daily(std::string_view text) {
    return {model::Daily{*parse_wall_time(text)}, "Europe/Berlin"};
}

TEST(Timer, the_last_occurrence_is_the_one_that_going_through_all_of_them_finds) {
    const model::Schedule schedules[] = {daily("02:30"),
                                         {*parse_cron("*/15 * * * *"), "Europe/Berlin"},
                                         {*parse_cron("30 2 * 3,10 sun"), "Europe/Berlin"},
                                         {model::EveryInterval{base::seconds(4567), at("2026-03-01T00:00:03Z")}, ""},
                                         {model::AtInstant{at("2026-03-29T01:00:00Z")}, ""}};
    const base::Timestamp after = at("2026-03-20T11:00:00Z");
    for (const model::Schedule& schedule : schedules) {
        std::optional<base::Timestamp> last;
        auto next = next_occurrence(schedule, after, berlin());
        for (base::Timestamp until = after; until < at("2026-04-01T00:00:00Z"); until = until + base::minutes(11)) {
            for (; next && next->at <= until; next = next_occurrence(schedule, next->at, berlin())) last = next->at;
            const auto found = last_occurrence(schedule, after, until, berlin());
            ASSERT_EQ(found.has_value(), last.has_value()) << describe(schedule) << base::format_timestamp(until);
            if (last) ASSERT_EQ(found->at, *last) << describe(schedule) << base::format_timestamp(until);
        }
    }
}

TEST(Timer, fires_for_the_last_of_those_that_were_missed_and_goes_on_from_now) {
    model::AgentTimer timer = timer_of(daily("07:00"), "2026-11-16T12:00:00Z");
    EXPECT_EQ(fire_timer(timer, berlin(), at("2026-11-17T05:59:59Z")), std::nullopt);
    EXPECT_EQ(fire_timer(timer, berlin(), at("2026-11-17T06:00:00Z")), (Firing{at("2026-11-17T06:00:00Z"), false}));
    EXPECT_EQ(fire_timer(timer, berlin(), at("2026-11-17T06:00:00Z")), std::nullopt);
    EXPECT_EQ(fire_timer(timer, berlin(), at("2026-11-20T12:00:00Z")), (Firing{at("2026-11-20T06:00:00Z"), true}));
    EXPECT_EQ(timer.next_run_at, at("2026-11-21T06:00:00Z"));
    EXPECT_EQ(timer.last_scheduled_at, at("2026-11-20T06:00:00Z"));
}

TEST(Timer, that_begins_anew_under_a_clock_that_was_set_back_does_not_fire_again_for_what_it_fired_for) {
    model::AgentTimer timer = timer_of(daily("07:00"), "2026-11-16T12:00:00Z");
    ASSERT_TRUE(fire_timer(timer, berlin(), at("2026-11-17T06:00:00Z")));
    stop_timer(timer);
    ASSERT_TRUE(begin_timer(timer, berlin(), at("2026-11-17T04:00:00Z")));
    EXPECT_EQ(timer.next_run_at, at("2026-11-18T06:00:00Z"));
    EXPECT_EQ(fire_timer(timer, berlin(), at("2026-11-17T06:00:00Z")), std::nullopt);
}

TEST(Timer, of_one_instant_is_done_after_it_and_never_begins_behind_it) {
    model::AgentTimer timer = timer_of({model::AtInstant{at("2026-11-17T06:00:00Z")}, ""}, "2026-11-16T12:00:00Z");
    ASSERT_TRUE(fire_timer(timer, berlin(), at("2026-11-17T06:00:00Z")));
    EXPECT_FALSE(timer.active);
    EXPECT_EQ(timer.due_at, std::nullopt);
    EXPECT_FALSE(begin_timer(timer, berlin(), at("2026-11-17T04:00:00Z")));
}

TEST(Timer, the_same_intent_is_told_from_another) {
    const model::Schedule first{model::EveryInterval{base::hours(1), at("2026-11-16T12:00:00Z")}, ""};
    const model::Schedule later{model::EveryInterval{base::hours(1), at("2026-11-16T12:01:00Z")}, ""};
    EXPECT_TRUE(is_same_intent(first, later, false));
    EXPECT_FALSE(is_same_intent(first, later, true));
    EXPECT_FALSE(is_same_intent(first, {model::EveryInterval{base::hours(2), {}}, ""}, false));
    model::Schedule other = daily("07:00");
    EXPECT_TRUE(is_same_intent(other, daily("07:00"), false));
    other.zone = "UTC";
    EXPECT_FALSE(is_same_intent(other, daily("07:00"), false));
}

}  // namespace
}  // namespace belfry::rules
