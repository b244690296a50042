#pragma once

#include <cstddef>

#include "base/time.hpp"

// The bounds of stored timers, beside those of limits.hpp.
namespace belfry::base::limits {

inline constexpr std::size_t timers_per_agent_max = 1000;
inline constexpr std::size_t timer_name_bytes_max = 200;
inline constexpr std::size_t timer_input_bytes_max = 32
                                                     << 10;  // it must fit into a signal with what else is said there
inline constexpr Duration timer_late = seconds(60);          // what fires later than this catches up
inline constexpr Duration timer_rest = minutes(1);           // until one without the data of its zone is tried again
inline constexpr std::size_t timer_firings_shown = 5;
inline constexpr std::size_t timer_spans_max = 64;  // times for which one was counted, apart from each other
inline constexpr std::size_t timer_former_max = 8;  // schedules that one had before, whose firings are known

// The clock
inline constexpr Duration clock_step_min = seconds(1);     // a step back that is corrected; a shorter one is waited for
inline constexpr Duration clock_note_pause = seconds(10);  // between two notes of the time, which a restart compares
inline constexpr Duration clock_skew_max = minutes(1);     // by which the clock of another device may be ahead
inline constexpr Duration clock_jump_min = minutes(1);     // a step forward that may end a time of being behind
// A clock that has gone for so long at its usual pace is right: no wait is longer. Nor is a pause of the computer.
inline constexpr Duration clock_trusted_after = days(31);
inline constexpr Duration clock_reset_slack = hours(1);  // between two starts at the same wrong date
inline constexpr std::size_t clock_corrections_kept = 20;
inline constexpr Duration clock_correction_told = days(7);  // so long doctor warns of one
inline constexpr std::size_t clock_timers_named = 20;       // in the record of one correction; the others are counted

}  // namespace belfry::base::limits
