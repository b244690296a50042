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

}  // namespace belfry::base::limits
