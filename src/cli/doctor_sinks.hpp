#pragma once

#include <string>
#include <vector>

#include "cli/doctor_checks.hpp"
#include "host/environment.hpp"

namespace belfry::cli {

// Looks at the sink files, at who else may read their secrets, and whether the programs that they start are there.
void check_sinks(const std::string& folder, const host::Environment& environment, std::vector<Finding>& findings);

}  // namespace belfry::cli
