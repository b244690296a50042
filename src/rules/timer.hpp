#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/timer.hpp"
#include "model/zone.hpp"
#include "rules/counted_spans.hpp"
#include "rules/next_occurrence.hpp"

namespace belfry::rules {

// The schedule that was meant, without its zone; elapsed time counts from `now` unless it is said from when. Errors are
// of code invalid and name the field.
base::Result<model::Schedule> read_schedule(const model::ScheduleWords& words, base::Timestamp now);
// Whether it goes by the clocks of a zone.
[[nodiscard]] bool has_wall_times(const model::Schedule& schedule);
// Whether the second is what the first was asked for with: elapsed time whose beginning was not said has none to
// differ.
[[nodiscard]] bool is_same_intent(const model::Schedule& there, const model::Schedule& wanted, bool anchor_was_said);

// Name, input and priority.
base::Result<void> check_timer(const model::AgentTimer& timer);

// The last firing after `after` and not after `until`, found in few steps however many there are.
std::optional<Occurrence> last_occurrence(const model::Schedule& schedule, base::Timestamp after, base::Timestamp until,
                                          const model::Zone& zone);

// Returns the schedule by which a timer is counted. Elapsed time whose beginning was not said has no beginning: the
// clock may have been ahead when the timer was made.
[[nodiscard]] model::Schedule counted_schedule(const model::AgentTimer& timer);

// Returns the next firings from `next_run_at` on.
std::vector<model::TimerFiring> next_firings(const model::AgentTimer& timer, const model::Zone& zone,
                                             std::size_t count);

// Tells that `timer` has another schedule than `before`, whose zone this is. Instants that fired by the schedule of
// before do not fire again. Other times of its spans do not count for the new schedule.
void change_schedule(CountedTimes& counted, const model::AgentTimer& before, std::shared_ptr<const model::Zone> zone,
                     const model::AgentTimer& timer);

// Starts the timer from `now` on by its schedule. An instant that has fired does not fire again. Returns false if no
// firing is left: the timer is not active then.
bool begin_timer(model::AgentTimer& timer, CountedTimes& counted, const model::Zone& zone, base::Timestamp now);
void stop_timer(model::AgentTimer& timer);
// Sets the time from which a timer counts that another device has sent; `before`: the timer as this device had it.
// Firings of other devices do not count here: the claim of the run says whether another device sees to it. A timer that
// is new here begins behind them. A time that lies ahead of the clock by more than limits::clock_skew_max comes from a
// clock that was ahead: the timer counts from `now`.
void count_as_told(model::AgentTimer& timer, const model::AgentTimer* before, base::Timestamp now);
// Computes the next firing from the time from which the timer counts.
void resume_timer(model::AgentTimer& timer, const CountedTimes& counted, const model::Zone& zone);
// Computes the next firing again after the clock was set back: the timer counts from `now`, if that is earlier.
void recount_timer(model::AgentTimer& timer, const CountedTimes& counted, const model::Zone& zone, base::Timestamp now);
// Its zone cannot be asked: it is looked at again after a pause.
void rest_timer(model::AgentTimer& timer, std::string fault, base::Timestamp now);
// The same after the clock was set back: when its zone can be asked, the timer counts from `now`, if that is earlier.
void rest_recounted_timer(model::AgentTimer& timer, std::string fault, base::Timestamp now);

// What a timer fires for.
struct Firing {
    base::Timestamp scheduled_at;  // of those that were missed the last
    bool catch_up = false;         // more than one was missed, or the one that was is a minute old

    bool operator==(const Firing&) const = default;
};

// Looks at a timer that is due: returns the firing, if there is one, and computes the next. The schedule is asked
// again, so that moved clocks and changed zones count. All firings that were missed are one. Time that was counted
// before, by a clock that went to and fro, is not counted again. The timer counts from `now` on, also if nothing fires:
// its next firing goes by the clock as it is now.
std::optional<Firing> fire_timer(model::AgentTimer& timer, CountedTimes& counted, const model::Zone& zone,
                                 base::Timestamp now);

// Whether it was to fire once, and some device has.
[[nodiscard]] bool is_used_up(const model::AgentTimer& timer);
// Whether that was before that time, and it was left alone since.
[[nodiscard]] bool is_spent(const model::AgentTimer& timer, base::Timestamp older_than);

// Whether somebody waited for that instant too long.
[[nodiscard]] bool is_late(base::Timestamp scheduled_at, base::Timestamp now);

}  // namespace belfry::rules
