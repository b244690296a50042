#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/timer.hpp"
#include "model/zone.hpp"
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

// The next of them after the instant that it counts from.
std::vector<model::TimerFiring> next_firings(const model::AgentTimer& timer, const model::Zone& zone,
                                             std::size_t count);

// It fires from now on by what it says now, and not again for what it has fired for. False where it never fires: then
// it is not active any more.
bool begin_timer(model::AgentTimer& timer, const model::Zone& zone, base::Timestamp now);
void stop_timer(model::AgentTimer& timer);
// Another device has told it; `before`: as it was here, if it was. What others have fired for does not count: whoever
// comes to it, too, finds that they see to it, or that they do not any more. What is new here begins behind all that.
void count_as_told(model::AgentTimer& timer, const model::AgentTimer* before);
// It goes on behind what it counts from.
void resume_timer(model::AgentTimer& timer, const model::Zone& zone);
// Its zone cannot be asked: it is looked at again after a pause.
void rest_timer(model::AgentTimer& timer, std::string fault, base::Timestamp now);

// What a timer fires for.
struct Firing {
    base::Timestamp scheduled_at;  // of those that were missed the last
    bool catch_up = false;         // more than one was missed, or the one that was is a minute old

    bool operator==(const Firing&) const = default;
};

// It was looked at: whether it fires, and when it does next. What was meant is asked again and not what was once
// computed from it, so that clocks that were moved and zones that were changed are heeded. However many firings were
// missed, they are one.
std::optional<Firing> fire_timer(model::AgentTimer& timer, const model::Zone& zone, base::Timestamp now);

// Whether it was to fire once, and some device has.
[[nodiscard]] bool is_used_up(const model::AgentTimer& timer);
// Whether that was before that time, and it was left alone since.
[[nodiscard]] bool is_spent(const model::AgentTimer& timer, base::Timestamp older_than);

// Whether somebody waited for that instant too long.
[[nodiscard]] bool is_late(base::Timestamp scheduled_at, base::Timestamp now);

}  // namespace belfry::rules
