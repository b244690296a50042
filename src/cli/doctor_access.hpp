#pragma once

#include <vector>

#include "cli/doctor_checks.hpp"

namespace belfry::cli {

// Root can read everything, the daemon cannot: as root, tries the files that a daemon reads as the user who owns the
// data folder. Finds nothing to say where there is no such user.
void check_access(const host::LoadedConfig& loaded, std::vector<Finding>& findings);

}  // namespace belfry::cli
