#pragma once

#include "base/time.hpp"

// The bounds of what waits for a point of an agent's turn, beside those of limits.hpp.
namespace belfry::base::limits {

inline constexpr Duration low_wait_max = minutes(10);  // for the end of a turn; then the next injection point

}  // namespace belfry::base::limits
