#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "model/timer.hpp"
#include "model/zone.hpp"

// The times for which a timer was counted on this device. They keep an instant that fired from firing again, whatever
// the clock does, and they let instants fire that a clock which was ahead passed over.
namespace belfry::rules {

// Every instant of the schedule from `from` to `to`, both included, has fired.
struct CountedSpan {
    base::Timestamp from;
    base::Timestamp to;

    bool operator==(const CountedSpan&) const = default;
};

// In order of time; no two of them touch.
using CountedSpans = std::vector<CountedSpan>;

// A schedule that a timer had before. Only its instants in these spans have fired, not every time in them.
struct FormerSchedule {
    model::Schedule schedule;
    CountedSpans spans;
    std::shared_ptr<const model::Zone> zone;  // of wall times; none: its data is not there
};

// All that is known on this device of what a timer has fired for.
struct CountedTimes {
    CountedSpans spans;                  // by the schedule that it has
    std::vector<FormerSchedule> former;  // the oldest first, at most limits::timer_former_max
};

// Adds a span and unites the spans that touch. Of more than limits::timer_spans_max the two become
// one that are nearest to each other.
void add_span(CountedSpans& spans, CountedSpan span);
// Returns the span that contains the time, or null.
[[nodiscard]] const CountedSpan* span_at(const CountedSpans& spans, base::Timestamp time);
// Returns the latest end of a span that is not later than `now`.
[[nodiscard]] std::optional<base::Timestamp> counted_until(const CountedSpans& spans, base::Timestamp now);

// Returns the span of a timer that begins: from then on. The instant of the beginning itself has not fired, and elapsed
// time has one there.
[[nodiscard]] CountedSpan begun_span(base::Timestamp now);

// Returns the spans of a timer for which none are stored: from its last firing to the time from which it counts.
[[nodiscard]] CountedSpans spans_of(const model::AgentTimer& timer);

// Puts the spans of the schedule `before` aside because the timer has another schedule now. A schedule that the timer
// had before gets its spans back.
void set_spans_aside(CountedTimes& counted, FormerSchedule before, const model::Schedule& now);

// As they are stored: an array of pairs of microseconds, and of objects with a former schedule and such an array. A
// text that is none gives no spans. Zones are not stored.
[[nodiscard]] std::string format_counted(const CountedTimes& counted);
[[nodiscard]] CountedTimes parse_counted(std::string_view text);

}  // namespace belfry::rules
