#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/timer.hpp"

namespace belfry::ports {

// The clock was set back, or was found to be behind the store at a start.
struct ClockCorrection {
    base::Timestamp noticed_at;  // by the clock as it is now
    base::Duration set_back;
    std::int64_t timers = 0;            // that were computed again
    std::vector<model::TimerId> named;  // the first of them
    std::int64_t agents = 0;            // whose `next_wake_at` or `sleep_until` was moved
    std::int64_t deadlines = 0;         // leases, pauses and waits that ended too late

    bool operator==(const ClockCorrection&) const = default;
};

// What is stored about the clock as it was seen.
struct ClockState {
    base::Timestamp latest;  // the latest time that was noted; 0: none was
    // The clock was set back from the first to the second time and has not shown the first one since; 0: it was not.
    base::Timestamp set_back_from;
    base::Timestamp set_back_to;

    bool operator==(const ClockState&) const = default;
};

// A clock that was set back to `set_back_to` jumps forward.
struct ClockJump {
    base::Timestamp from;
    base::Duration by;
    base::Timestamp set_back_to;

    bool operator==(const ClockJump&) const = default;
};

// When an agent's `next_wake_at` or `sleep_until` got its value, and how a correction has moved it: this device takes
// the value `was` for `is`. The record of the agent keeps `was`, which is the same on all devices.
struct SaidTime {
    base::Timestamp at;
    std::optional<base::Timestamp> was;
    std::optional<base::Timestamp> is;

    bool operator==(const SaidTime&) const = default;
};

struct SaidTimes {
    std::string agent_id;
    SaidTime wake;
    SaidTime sleep;

    bool operator==(const SaidTimes&) const = default;
};

// The origin of a new value of a wake time or a sleep.
enum class SaidBy : std::uint8_t { nobody, this_device, another_device };

// What is stored about the clock, for the engine's thread.
class ClockTable {
public:
    virtual ~ClockTable() = default;

    virtual base::Result<ClockState> state() = 0;
    virtual base::Result<void> put_state(const ClockState& state) = 0;
    // Keeps the newest limits::clock_corrections_kept, and as many of the largest of limits::clock_correction_told.
    virtual base::Result<void> add(const ClockCorrection& correction) = 0;
    // The newest first.
    virtual base::Result<std::vector<ClockCorrection>> corrections() = 0;

    // The times for which timers were counted, as rules::format_spans writes them; timers that have none are absent.
    struct TimerSpans {
        model::TimerId id;
        std::string user_id;
        std::string spans;
    };
    virtual base::Result<std::vector<TimerSpans>> spans(std::span<const model::TimerId> timers) = 0;
    virtual base::Result<void> put_spans(std::span<const TimerSpans> spans) = 0;

    // Active timers that count from a time after `now`, and those that rest; by id, after this one.
    virtual base::Result<std::vector<model::TimerId>> timers_ahead(base::Timestamp now, const model::TimerId& after,
                                                                   std::size_t limit) = 0;
    // Agents whose wake time or sleep was said at a time after `now`; by id, after this one.
    virtual base::Result<std::vector<SaidTimes>> said_ahead(base::Timestamp now, std::string_view after,
                                                            std::size_t limit) = 0;
    // Agents whose wake time or sleep was said while the clock was behind and would be over by the jump; by id, after
    // this one.
    virtual base::Result<std::vector<SaidTimes>> said_behind(const ClockJump& jump, std::string_view after,
                                                             std::size_t limit) = 0;
    // Keeps how they were moved, until all of it is dropped. Agents that are not there are left out.
    virtual base::Result<void> put_moved(std::span<const SaidTimes> moved) = 0;
    virtual base::Result<void> drop_moved() = 0;
    // Moved times that the jump would end keep their distance.
    virtual base::Result<void> carry_on_moved(const ClockJump& jump) = 0;
    // Until when this device takes the agent to sleep whose record says `until`.
    virtual base::Result<base::Timestamp> moved_sleep(std::string_view agent_id, base::Timestamp until) = 0;
    // Agents whose sleep was moved and is over.
    virtual base::Result<std::vector<std::string>> ended_sleeps(base::Timestamp now, std::size_t limit) = 0;
    // The agent's wake time or sleep has another value now, which was not moved. A value that another device has said
    // is never moved: this device's clock was not asked for it.
    virtual base::Result<void> note_said(std::string_view agent_id, SaidBy wake, SaidBy sleep) = 0;
    // Moves times that lie further ahead than any wait of their kind can explain: leases end, pauses are over, and
    // waits begin again. Returns how many rows were changed.
    virtual base::Result<std::int64_t> bring_back_deadlines(base::Timestamp now) = 0;
    // Waits go on with the time that they had left before the jump.
    virtual base::Result<void> carry_on_waits(const ClockJump& jump) = 0;
    // The clock was behind: threads that were spoken in and corrections that were noticed since `set_back_to` get the
    // dates of the clock that is right.
    virtual base::Result<void> carry_on_records(const ClockJump& jump) = 0;
};

// A store that has this table.
class ClockStore {
public:
    virtual ~ClockStore() = default;
    virtual ClockTable& clock() = 0;
};

}  // namespace belfry::ports
