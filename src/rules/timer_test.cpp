#include "rules/timer.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "base/timer_limits.hpp"
#include "rules/cron.hpp"
#include "rules/schedule.hpp"
#include "rules/zones_test.hpp"

namespace belfry::rules {
namespace {

base::Timestamp at(std::string_view text) {
    return *base::parse_timestamp(text);
}

// A timer of one device, with the times for which it was counted there.
struct Counted {
    model::AgentTimer timer;
    CountedTimes counted;

    bool begin(std::string_view now) { return begin_timer(timer, counted, berlin(), at(now)); }
    std::optional<Firing> fire(std::string_view now) {
        store();
        return fire_timer(timer, counted, berlin(), at(now));
    }
    void recount(std::string_view now) { recount_timer(timer, counted, berlin(), at(now)); }
    bool change(model::Schedule schedule, std::string_view now) {
        store();
        const model::AgentTimer before = timer;
        timer.schedule = std::move(schedule);
        change_schedule(counted, before, zone(), timer);
        return begin(now);
    }
    // The times are stored and read again.
    void store() {
        counted = parse_counted(format_counted(counted));
        for (FormerSchedule& one : counted.former) one.zone = zone();
    }
    static std::shared_ptr<const model::Zone> zone() { return std::make_shared<const model::Zone>(berlin()); }
};

Counted timer_of(model::Schedule schedule, std::string_view now) {
    Counted counted;
    counted.timer.name = "t";
    counted.timer.schedule = std::move(schedule);
    EXPECT_TRUE(counted.begin(now));
    return counted;
}

model::Schedule every(base::Duration interval, std::string_view anchor) {
    return {model::EveryInterval{interval, at(anchor)}, ""};
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
    Counted it = timer_of(daily("07:00"), "2026-11-16T12:00:00Z");
    EXPECT_EQ(it.fire("2026-11-17T05:59:59Z"), std::nullopt);
    EXPECT_EQ(it.fire("2026-11-17T06:00:00Z"), (Firing{at("2026-11-17T06:00:00Z"), false}));
    EXPECT_EQ(it.fire("2026-11-17T06:00:00Z"), std::nullopt);
    EXPECT_EQ(it.fire("2026-11-20T12:00:00Z"), (Firing{at("2026-11-20T06:00:00Z"), true}));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-21T06:00:00Z"));
    EXPECT_EQ(it.timer.last_scheduled_at, at("2026-11-20T06:00:00Z"));
}

TEST(Timer, that_begins_anew_under_a_clock_that_was_set_back_does_not_fire_again_for_what_it_fired_for) {
    Counted it = timer_of(daily("07:00"), "2026-11-16T12:00:00Z");
    ASSERT_TRUE(it.fire("2026-11-17T06:00:00Z"));
    stop_timer(it.timer);
    ASSERT_TRUE(it.begin("2026-11-17T04:00:00Z"));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-18T06:00:00Z"));
    EXPECT_EQ(it.fire("2026-11-17T06:00:00Z"), std::nullopt);
}

TEST(Timer, of_one_instant_is_done_after_it_and_never_begins_behind_it) {
    Counted it = timer_of({model::AtInstant{at("2026-11-17T06:00:00Z")}, ""}, "2026-11-16T12:00:00Z");
    ASSERT_TRUE(it.fire("2026-11-17T06:00:00Z"));
    EXPECT_FALSE(it.timer.active);
    EXPECT_EQ(it.timer.due_at, std::nullopt);
    EXPECT_FALSE(it.begin("2026-11-17T04:00:00Z"));
}

TEST(Timer, is_computed_again_from_its_schedule_when_a_clock_that_was_ahead_is_right_again) {
    Counted it = timer_of(daily("07:00"), "2026-11-16T12:00:00Z");
    EXPECT_EQ(it.fire("2099-01-01T00:00:00Z"), (Firing{at("2098-12-31T06:00:00Z"), true}));
    it.recount("2026-11-17T05:59:58Z");
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-17T06:00:00Z"));
    EXPECT_EQ(it.fire("2026-11-17T06:00:00Z"), (Firing{at("2026-11-17T06:00:00Z"), false}));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-18T06:00:00Z"));
    EXPECT_EQ(it.fire("2098-12-31T07:00:00Z"), (Firing{at("2098-12-30T06:00:00Z"), true}))
        << "it has fired for the next one";
}

// A clock without a battery shows the same wrong date at each start.
TEST(Timer, is_computed_again_though_nothing_fired_while_the_clock_was_ahead_once_more) {
    Counted it = timer_of(daily("07:00"), "2026-11-16T12:00:00Z");
    EXPECT_EQ(it.fire("2099-01-01T00:00:00Z"), (Firing{at("2098-12-31T06:00:00Z"), true}));
    it.recount("2026-11-16T12:01:00Z");
    EXPECT_EQ(it.fire("2099-01-01T00:00:05Z"), std::nullopt);
    EXPECT_EQ(it.timer.next_run_at, at("2099-01-01T06:00:00Z"));
    EXPECT_EQ(it.timer.counted_from, at("2099-01-01T00:00:05Z"))
        << "a correction looks at timers that count from the future";
    it.recount("2026-11-16T12:02:00Z");
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-17T06:00:00Z"));
}

TEST(Timer, fires_once_for_each_instant_though_the_clock_goes_to_and_fro) {
    Counted it = timer_of(every(base::hours(1), "2026-11-16T12:00:00Z"), "2026-11-16T12:30:00Z");
    EXPECT_EQ(it.fire("2026-11-16T13:00:00Z"), (Firing{at("2026-11-16T13:00:00Z"), false}));
    EXPECT_EQ(it.fire("2026-11-16T18:10:00Z"), (Firing{at("2026-11-16T18:00:00Z"), true})) << "ahead by five hours";
    EXPECT_EQ(it.fire("2026-11-16T19:00:00Z"), (Firing{at("2026-11-16T19:00:00Z"), false}));
    it.recount("2026-11-16T14:00:00Z");
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-16T15:00:00Z"));
    for (const char* hour : {"15", "16", "17"}) {
        const std::string now = "2026-11-16T" + std::string(hour) + ":00:00Z";
        EXPECT_EQ(it.fire(now), (Firing{at(now), false}));
    }
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-16T20:00:00Z")) << "18:00 and 19:00 have fired";
    EXPECT_EQ(it.fire("2026-11-16T18:30:00Z"), std::nullopt);
    EXPECT_EQ(it.fire("2026-11-16T20:00:00Z"), (Firing{at("2026-11-16T20:00:00Z"), false}));
}

TEST(Timer, catches_up_with_nothing_when_a_clock_that_was_behind_is_right_again) {
    Counted it = timer_of(daily("07:00"), "2026-06-01T12:00:00Z");
    ASSERT_TRUE(it.fire("2026-11-17T06:00:00Z"));
    it.recount("2000-01-01T00:00:00Z");
    EXPECT_EQ(it.timer.next_run_at, at("2000-01-01T06:00:00Z"));
    EXPECT_EQ(it.fire("2026-11-17T12:00:00Z"), std::nullopt);
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-18T06:00:00Z"));
    it.recount("2000-01-01T00:00:00Z");
    EXPECT_EQ(it.fire("2026-11-20T12:00:00Z"), (Firing{at("2026-11-20T06:00:00Z"), true})) << "these were missed";
}

// The clock was ahead by a day while an hourly timer fired.
Counted hourly_that_was_ahead() {
    Counted it = timer_of({*parse_cron("0 * * * *"), "Europe/Berlin"}, "2026-11-16T12:30:00Z");
    for (const char* hour : {"10", "11", "12", "13"}) {
        const std::string now = "2026-11-17T" + std::string(hour) + ":00:00Z";
        EXPECT_TRUE(it.fire(now));
    }
    it.recount("2026-11-16T12:40:00Z");
    return it;
}

TEST(Timer, with_another_schedule_fires_for_instants_that_only_the_one_of_before_was_counted_for) {
    Counted it = hourly_that_was_ahead();
    ASSERT_TRUE(it.change({model::AtInstant{at("2026-11-17T11:30:00Z")}, ""}, "2026-11-16T12:41:00Z"));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-17T11:30:00Z"));
    ASSERT_TRUE(it.change(daily("12:30"), "2026-11-16T12:42:00Z"));
    EXPECT_EQ(it.fire("2026-11-17T11:30:00Z"), (Firing{at("2026-11-17T11:30:00Z"), false}));
}

TEST(Timer, with_another_schedule_and_with_the_one_of_before_does_not_fire_again_for_what_it_fired_for) {
    Counted it = hourly_that_was_ahead();
    EXPECT_FALSE(it.change({model::AtInstant{at("2026-11-17T11:00:00Z")}, ""}, "2026-11-16T12:41:00Z"));
    ASSERT_TRUE(it.change({*parse_cron("0,30 * * * *"), "Europe/Berlin"}, "2026-11-17T09:40:00Z"));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-17T10:30:00Z")) << "10:00 has fired";
    EXPECT_EQ(it.fire("2026-11-17T12:10:00Z"), (Firing{at("2026-11-17T11:30:00Z"), true})) << "and so has 12:00";
    it.recount("2026-11-17T09:40:00Z");
    ASSERT_TRUE(it.change({*parse_cron("0 * * * *"), "Europe/Berlin"}, "2026-11-17T09:41:00Z"));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-17T14:00:00Z"));
    ASSERT_TRUE(it.change({*parse_cron("0,30 * * * *"), "Europe/Berlin"}, "2026-11-17T09:42:00Z"));
    EXPECT_EQ(it.counted.former.size(), 2U) << "a schedule is known once";
}

TEST(Timer, whose_new_schedule_has_the_same_instants_does_not_fire_again_for_what_it_fired_for) {
    Counted it = timer_of(every(base::hours(1), "2026-11-16T12:20:00Z"), "2026-11-16T12:20:00Z");
    ASSERT_TRUE(it.fire("2026-11-16T13:20:00Z"));
    const model::Schedule same = every(base::hours(1), "1970-01-01T00:20:00Z");
    ASSERT_TRUE(it.change(same, "2026-11-16T12:30:00Z"));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-16T14:20:00Z"));
    ASSERT_TRUE(it.change(daily("07:00"), "2026-11-16T12:31:00Z"));
    EXPECT_EQ(it.counted.former.size(), 1U) << "a schedule is known once";
    ASSERT_TRUE(it.change(same, "2026-11-16T12:32:00Z"));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-16T14:20:00Z"));
}

TEST(CountedSpans, of_former_schedules_are_those_of_the_last_few) {
    CountedTimes counted;
    for (int i = 0; i < 20; ++i) {
        counted.spans = {{{i}, {i}}};
        set_spans_aside(counted, {every(base::hours(i + 1), "2026-11-16T12:00:00Z"), {}, {}}, daily("07:00"));
    }
    EXPECT_EQ(counted.former.size(), base::limits::timer_former_max);
    EXPECT_EQ(counted.former.back().spans, (CountedSpans{{{19}, {19}}}));
}

TEST(Timer, of_elapsed_time_that_began_under_a_clock_that_was_ahead_keeps_its_pace) {
    Counted it = timer_of(every(base::hours(1), "2099-01-01T00:20:00Z"), "2099-01-01T00:20:00Z");
    it.recount("2026-11-17T06:59:58Z");
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-17T07:20:00Z"));
    stop_timer(it.timer);
    ASSERT_TRUE(it.begin("2026-11-17T08:00:00Z"));
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-17T08:20:00Z"));
    Counted switched = timer_of(every(base::hours(1), "2099-01-01T00:20:00Z"), "2099-01-01T00:20:00Z");
    stop_timer(switched.timer);
    ASSERT_TRUE(switched.begin("2099-01-01T00:21:00Z"));
    switched.recount("2026-11-17T06:59:58Z");
    EXPECT_EQ(switched.timer.next_run_at, at("2026-11-17T07:20:00Z"));
    Counted said = timer_of(every(base::hours(1), "2027-01-01T00:00:00Z"), "2026-11-17T06:00:00Z");
    EXPECT_EQ(said.timer.next_run_at, at("2027-01-01T00:00:00Z")) << "a beginning that was said";
}

TEST(Timer, of_elapsed_time_fires_also_for_the_instant_of_its_beginning_when_the_clock_comes_to_it_again) {
    Counted it = timer_of(every(base::hours(3), "2026-11-16T16:18:31Z"), "2026-11-16T16:18:31Z");
    it.recount("2026-11-16T14:40:00Z");
    EXPECT_EQ(it.timer.next_run_at, at("2026-11-16T16:18:31Z")) << "it has not fired";
    EXPECT_EQ(it.fire("2026-11-16T16:18:31Z"), (Firing{at("2026-11-16T16:18:31Z"), false}));
    model::AgentTimer stored = it.timer;
    stored.last_scheduled_at.reset();
    EXPECT_EQ(span_at(spans_of(stored), stored.counted_from), nullptr) << "nor has it where no spans are stored";
}

TEST(Timer, that_another_device_sent_does_not_rest_until_that_devices_clock) {
    const base::Timestamp now = at("2026-11-17T06:59:58Z");
    model::AgentTimer told;
    told.schedule = daily("07:00");
    told.begun_at = at("2026-01-01T00:00:00Z");
    told.last_scheduled_at = at("2098-12-31T06:00:00Z");
    count_as_told(told, nullptr, now);
    EXPECT_EQ(told.counted_from, now);
    told.begun_at = at("2099-01-01T00:00:00Z");
    count_as_told(told, nullptr, now);
    EXPECT_EQ(told.counted_from, now);
    told.begun_at = at("2026-11-17T07:00:20Z");
    told.last_scheduled_at.reset();
    count_as_told(told, nullptr, now);
    EXPECT_EQ(told.counted_from, told.begun_at) << "clocks differ a little";
}

TEST(CountedSpans, unite_where_they_touch_and_stay_few) {
    CountedSpans spans;
    add_span(spans, {{10}, {20}});
    add_span(spans, {{40}, {50}});
    add_span(spans, {{20}, {30}});
    EXPECT_EQ(spans, (CountedSpans{{{10}, {30}}, {{40}, {50}}}));
    add_span(spans, {{25}, {45}});
    EXPECT_EQ(spans, (CountedSpans{{{10}, {50}}}));
    for (std::int64_t i = 2; i < 100; ++i) add_span(spans, {{i * 100}, {i * 100 + 1}});
    EXPECT_EQ(spans.size(), base::limits::timer_spans_max);
    EXPECT_EQ(spans.front(), (CountedSpan{{10}, {50}})) << "the gap behind it is not the narrowest";
    EXPECT_EQ(spans.back().to.us, 9901);
    EXPECT_EQ(parse_counted(format_counted({spans, {}})).spans, spans);
    EXPECT_EQ(parse_counted("no spans").spans, CountedSpans{});
    EXPECT_EQ(parse_counted("[[5,3]]").spans, CountedSpans{});
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

TEST(CheckTimer, names_the_field_that_breaks_a_limit) {
    const auto field_of = [](auto change) {
        model::AgentTimer timer;
        timer.name = "nightly";
        change(timer);
        const auto checked = check_timer(timer);
        return checked.ok() ? std::string("ok")
                            : std::string(base::code_name(checked.error().code)) + ' ' + checked.error().field;
    };
    const auto input = [](std::size_t bytes) {
        return model::RawJson::trusted('"' + std::string(bytes - 2, 'x') + '"');
    };
    EXPECT_EQ(field_of([](auto& timer) { timer.name.clear(); }), "invalid name");
    EXPECT_EQ(field_of([](auto& timer) { timer.name.assign(base::limits::timer_name_bytes_max, 'n'); }), "ok");
    EXPECT_EQ(field_of([](auto& timer) { timer.name.assign(base::limits::timer_name_bytes_max + 1, 'n'); }),
              "invalid name");
    EXPECT_EQ(field_of([&](auto& timer) { timer.input = input(base::limits::timer_input_bytes_max); }), "ok");
    EXPECT_EQ(field_of([&](auto& timer) { timer.input = input(base::limits::timer_input_bytes_max + 1); }),
              "too_large input");
    EXPECT_EQ(field_of([](auto& timer) { timer.priority = -100; }), "ok");
    EXPECT_EQ(field_of([](auto& timer) { timer.priority = 101; }), "invalid priority");
}

}  // namespace
}  // namespace belfry::rules
