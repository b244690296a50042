#pragma once

#include <vector>

#include "cli/doctor_checks.hpp"
#include "store/clock_history.hpp"

namespace belfry::cli {

// Reports the newest correction of the clock: when, by how much, and which timers were computed again. Adds nothing if
// there was none.
void check_clock_steps(const std::vector<store::ClockStep>& steps, base::Timestamp now, std::vector<Finding>& findings);

}  // namespace belfry::cli
