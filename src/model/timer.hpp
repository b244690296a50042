#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"
#include "model/schedule.hpp"

// What wakes an agent by the clock.
namespace belfry::model {

using TimerId = base::Id<struct TimerTag>;

// A stored intent: by which schedule an agent is to be woken. What was meant stands in the schedule; the instants here
// are only what came of it.
struct AgentTimer {
    TimerId id;
    std::string agent_id;
    std::string user_id;  // the agent's
    std::string name;     // of its agent's timers only this one has it
    Schedule schedule;
    bool active = true;
    std::optional<base::Timestamp> next_run_at;        // of an active one
    std::optional<base::Timestamp> last_scheduled_at;  // the instant that it last fired for
    base::Timestamp begun_at;                          // when it was said last that it fires, and by which schedule
    base::Timestamp counted_from;                      // firings on this device are later than this
    std::optional<base::Timestamp> due_at;  // of an active one: when it is looked at, later than the above if it rests
    std::string fault;                      // of one that rests: why; empty: it does not
    RawJson input;                          // what its agent is given
    std::int64_t priority = 0;
    base::Timestamp created_at;
    base::Timestamp updated_at;

    bool operator==(const AgentTimer&) const = default;
};

// An instant at which a timer fires, as the clocks of its zone show it.
struct TimerFiring {
    base::Timestamp at;
    std::int32_t offset_s = 0;
    enum class Note : std::uint8_t { plain, gap, repeated };
    Note note = Note::plain;

    bool operator==(const TimerFiring&) const = default;
};

// A timer as it is shown: with the next few of its firings.
struct ShownTimer {
    AgentTimer timer;
    std::vector<TimerFiring> next;

    bool operator==(const ShownTimer&) const = default;
};

// A schedule as somebody wrote it, not yet understood: its kind, and of the rest what that has.
struct ScheduleWords {
    std::string kind;  // cron, daily, weekly, every, at
    std::string cron;
    std::vector<std::string> days;          // mon, thu
    std::string time;                       // 18:30
    std::string interval;                   // 90m
    std::optional<base::Timestamp> anchor;  // of `every`; without one, when it was asked for
    std::optional<base::Timestamp> at;

    bool operator==(const ScheduleWords&) const = default;
};

// A schedule as it is kept, with its zone. What is read back was written by this.
void append_kept_schedule(JsonWriter& writer, const Schedule& schedule);
// Nothing where it is no such thing.
[[nodiscard]] std::optional<Schedule> kept_schedule_of(JsonView json);

}  // namespace belfry::model
