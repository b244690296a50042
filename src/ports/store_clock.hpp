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

// What is stored about the clock, for the engine's thread.
class ClockTable {
public:
    virtual ~ClockTable() = default;

    // The latest time that was noted; nothing: none was.
    virtual base::Result<std::optional<base::Timestamp>> latest() = 0;
    virtual base::Result<void> note(base::Timestamp now) = 0;
    // Keeps the newest limits::clock_corrections_kept.
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
    // Agents whose state was written after `now` and says until when they sleep or when they want to be woken; by id,
    // after this one.
    virtual base::Result<std::vector<std::string>> agents_ahead(base::Timestamp now, std::string_view after,
                                                                std::size_t limit) = 0;
    // Moves times that lie further ahead than any wait of their kind can explain: leases end, pauses are over, and
    // waits begin again. Returns how many rows were changed.
    virtual base::Result<std::int64_t> bring_back_deadlines(base::Timestamp now) = 0;
};

// A store that has this table.
class ClockStore {
public:
    virtual ~ClockStore() = default;
    virtual ClockTable& clock() = 0;
};

}  // namespace belfry::ports
