#include "rules/timer.hpp"

#include <algorithm>
#include <utility>

#include "base/date.hpp"
#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "rules/cron.hpp"
#include "rules/schedule.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;

template <class T>
base::Result<T> under(const char* field, base::Result<T> read) {
    if (read.ok()) return read;
    base::Error error = std::move(read).error();
    error.field = field;
    return error;
}

base::Error missing(const char* field) {
    return base::error(Code::invalid, "must be given", field);
}

base::Result<model::Weekly> read_weekly(const model::ScheduleWords& words) {
    std::string text;
    for (const std::string& day : words.days) text += (text.empty() ? "" : ",") + day;
    return under("schedule.days", parse_weekly(text + '@' + words.time));
}

model::TimerFiring::Note note_of(Coming::How how) {
    using Note = model::TimerFiring::Note;
    if (how == Coming::How::after_gap) return Note::gap;
    return how == Coming::How::first_of_two ? Note::repeated : Note::plain;
}

void schedule_next(model::AgentTimer& timer, const std::optional<Occurrence>& next) {
    timer.fault.clear();
    if (!next) return stop_timer(timer);
    timer.active = true;
    timer.next_run_at = next->at;
    timer.due_at = next->at;
}

// Nobody has said when the elapsed time begins: it is when the timer was made, or was given its schedule.
bool is_unsaid(base::Timestamp anchor, const model::AgentTimer& timer) {
    return anchor == timer.begun_at || anchor == timer.created_at;
}

// True if the timer has fired for this instant by a schedule that it had before. Without the data of a zone every
// instant of a span counts: none fires twice.
bool has_fired_before(const CountedTimes& counted, base::Timestamp instant) {
    static const model::Zone utc{"UTC", 0, {}, {}};
    return std::ranges::any_of(counted.former, [&](const FormerSchedule& former) {
        if (span_at(former.spans, instant) == nullptr) return false;
        if (former.zone == nullptr && has_wall_times(former.schedule)) return true;
        const model::Zone& zone = former.zone != nullptr ? *former.zone : utc;
        const auto there = next_occurrence(former.schedule, instant - base::microseconds(1), zone);
        return there && there->at == instant;
    });
}

// Returns the first firing after `after` that has not fired.
std::optional<Occurrence> next_uncounted(const model::AgentTimer& timer, base::Timestamp after,
                                         const CountedTimes& counted, const model::Zone& zone) {
    const model::Schedule schedule = counted_schedule(timer);
    auto next = next_occurrence(schedule, after, zone);
    while (next) {
        const CountedSpan* const span = span_at(counted.spans, next->at);
        if (span == nullptr && !has_fired_before(counted, next->at)) break;
        next = next_occurrence(schedule, span != nullptr ? span->to : next->at, zone);
    }
    return next;
}

// Returns the last firing from `first` to `until` that has not fired; `first` has not.
base::Timestamp last_uncounted(const model::AgentTimer& timer, base::Timestamp first, base::Timestamp until,
                               const CountedTimes& counted, const model::Zone& zone) {
    const model::Schedule schedule = counted_schedule(timer);
    while (true) {
        const auto last = last_occurrence(schedule, first, until, zone);
        if (!last) return first;
        if (!has_fired_before(counted, last->at)) return last->at;
        until = last->at - base::microseconds(1);
    }
}

}  // namespace

base::Result<model::Schedule> read_schedule(const model::ScheduleWords& words, base::Timestamp now) {
    model::Schedule schedule;
    if (words.kind == "cron") {
        TRY_ASSIGN(schedule.when, under("schedule.cron", parse_cron(words.cron)));
    } else if (words.kind == "daily") {
        TRY_ASSIGN(const model::WallTime time, under("schedule.time", parse_wall_time(words.time)));
        schedule.when = model::Daily{time};
    } else if (words.kind == "weekly") {
        TRY_ASSIGN(schedule.when, read_weekly(words));
    } else if (words.kind == "every") {
        TRY_ASSIGN(const base::Duration interval, under("schedule.interval", parse_interval(words.interval)));
        schedule.when = model::EveryInterval{interval, words.anchor.value_or(now)};
    } else if (words.kind == "at") {
        if (!words.at) return missing("schedule.at");
        schedule.when = model::AtInstant{*words.at};
    } else {
        return base::error(Code::invalid, "must be cron, daily, weekly, every or at", "schedule.kind");
    }
    return schedule;
}

bool has_wall_times(const model::Schedule& schedule) {
    return !std::holds_alternative<model::AtInstant>(schedule.when) &&
           !std::holds_alternative<model::EveryInterval>(schedule.when);
}

bool is_same_intent(const model::Schedule& there, const model::Schedule& wanted, bool anchor_was_said) {
    const auto* const every = std::get_if<model::EveryInterval>(&there.when);
    const auto* const asked = std::get_if<model::EveryInterval>(&wanted.when);
    if (every != nullptr && asked != nullptr && !anchor_was_said) return every->interval == asked->interval;
    return there == wanted;
}

base::Result<void> check_timer(const model::AgentTimer& timer) {
    if (timer.name.empty() || timer.name.size() > limits::timer_name_bytes_max) {
        return base::error(Code::invalid, "must have 1 to " + std::to_string(limits::timer_name_bytes_max) + " bytes",
                           "name");
    }
    if (timer.input.bytes().size() > limits::timer_input_bytes_max) {
        return base::error(Code::too_large,
                           "is longer than " + std::to_string(limits::timer_input_bytes_max) + " bytes", "input");
    }
    if (timer.priority < -limits::wake_priority_max || timer.priority > limits::wake_priority_max) {
        return base::error(Code::invalid, "must lie between -100 and 100", "priority");
    }
    return {};
}

// Each round halves the time in which the last one may be: there is none after `end`.
std::optional<Occurrence> last_occurrence(const model::Schedule& schedule, base::Timestamp after, base::Timestamp until,
                                          const model::Zone& zone) {
    std::optional<Occurrence> last;
    base::Timestamp end = until;
    for (auto next = next_occurrence(schedule, after, zone); next && next->at <= until;) {
        last = next;
        const base::Timestamp middle = last->at + base::microseconds((end - last->at).us / 2);
        const auto later = next_occurrence(schedule, middle, zone);
        if (later && later->at <= until) last = later;
        else end = middle;
        next = next_occurrence(schedule, last->at, zone);
    }
    return last;
}

model::Schedule counted_schedule(const model::AgentTimer& timer) {
    model::Schedule schedule = timer.schedule;
    auto* const every = std::get_if<model::EveryInterval>(&schedule.when);
    if (every != nullptr && is_unsaid(every->anchor, timer)) every->anchor = {every->anchor.us % every->interval.us};
    return schedule;
}

std::vector<model::TimerFiring> next_firings(const model::AgentTimer& timer, const model::Zone& zone,
                                             std::size_t count) {
    std::vector<model::TimerFiring> firings;
    if (!timer.active) return firings;
    const model::Schedule schedule = counted_schedule(timer);
    base::Timestamp after = timer.counted_from;
    if (timer.next_run_at && timer.fault.empty()) after = std::max(after, *timer.next_run_at - base::microseconds(1));
    auto next = next_occurrence(schedule, after, zone);
    for (; next && firings.size() < count; next = next_occurrence(schedule, next->at, zone)) {
        const std::int64_t at_s = base::floor_divide(next->at.us, base::seconds(1).us);
        firings.push_back({next->at, stretch_at(zone, at_s).offset_s, note_of(next->how)});
    }
    return firings;
}

void change_schedule(CountedTimes& counted, const model::AgentTimer& before, std::shared_ptr<const model::Zone> zone,
                     const model::AgentTimer& timer) {
    set_spans_aside(counted, {counted_schedule(before), {}, std::move(zone)}, counted_schedule(timer));
}

bool begin_timer(model::AgentTimer& timer, CountedTimes& counted, const model::Zone& zone, base::Timestamp now) {
    // A beginning that was not said is not said by another `begun_at` either.
    const auto* const every = std::get_if<model::EveryInterval>(&timer.schedule.when);
    if (every != nullptr && every->anchor != timer.created_at) timer.schedule = counted_schedule(timer);
    timer.counted_from = now;
    timer.begun_at = now;
    add_span(counted.spans, begun_span(now));
    schedule_next(timer, next_uncounted(timer, now, counted, zone));
    return timer.active;
}

void stop_timer(model::AgentTimer& timer) {
    timer.active = false;
    timer.next_run_at.reset();
    timer.due_at.reset();
    timer.fault.clear();
}

void count_as_told(model::AgentTimer& timer, const model::AgentTimer* before, base::Timestamp now) {
    const bool is_as_before =
        before != nullptr && before->begun_at == timer.begun_at && before->schedule == timer.schedule;
    if (is_as_before) {
        timer.counted_from = before->counted_from;
        return;
    }
    const base::Timestamp behind = std::max(timer.begun_at, timer.last_scheduled_at.value_or(timer.begun_at));
    timer.counted_from = behind <= now + limits::clock_skew_max ? behind : now;
}

void resume_timer(model::AgentTimer& timer, const CountedTimes& counted, const model::Zone& zone) {
    if (!timer.active) return stop_timer(timer);
    schedule_next(timer, next_uncounted(timer, timer.counted_from, counted, zone));
}

void recount_timer(model::AgentTimer& timer, const CountedTimes& counted, const model::Zone& zone,
                   base::Timestamp now) {
    timer.counted_from = std::min(timer.counted_from, now);
    resume_timer(timer, counted, zone);
}

void rest_timer(model::AgentTimer& timer, std::string fault, base::Timestamp now) {
    timer.fault = std::move(fault);
    timer.due_at = now + limits::timer_rest;
}

void rest_recounted_timer(model::AgentTimer& timer, std::string fault, base::Timestamp now) {
    timer.counted_from = std::min(timer.counted_from, now);
    rest_timer(timer, std::move(fault), now);
}

bool is_used_up(const model::AgentTimer& timer) {
    const auto* const once = std::get_if<model::AtInstant>(&timer.schedule.when);
    return once != nullptr && timer.last_scheduled_at && *timer.last_scheduled_at == once->at;
}

bool is_spent(const model::AgentTimer& timer, base::Timestamp older_than) {
    return !timer.active && is_used_up(timer) && *timer.last_scheduled_at < older_than && timer.updated_at < older_than;
}

bool is_late(base::Timestamp scheduled_at, base::Timestamp now) {
    return now - scheduled_at > limits::timer_late;
}

std::optional<Firing> fire_timer(model::AgentTimer& timer, CountedTimes& counted, const model::Zone& zone,
                                 base::Timestamp now) {
    const base::Timestamp after =
        std::max(timer.counted_from, counted_until(counted.spans, now).value_or(timer.counted_from));
    const CountedSpan* const around = span_at(counted.spans, now);
    const base::Timestamp until = around != nullptr ? around->from - base::microseconds(1) : now;
    const auto first = next_uncounted(timer, after, counted, zone);
    if (!first || first->at > until) {
        timer.counted_from = now;
        schedule_next(timer, first);
        return std::nullopt;
    }
    const base::Timestamp last = last_uncounted(timer, first->at, until, counted, zone);
    timer.last_scheduled_at = last;
    timer.counted_from = now;
    add_span(counted.spans, {last == first->at ? after : last, now});
    schedule_next(timer, next_uncounted(timer, now, counted, zone));
    return Firing{last, last != first->at || is_late(first->at, now)};
}

}  // namespace belfry::rules
