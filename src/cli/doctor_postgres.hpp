#pragma once

#include <string>
#include <vector>

#include "cli/doctor_checks.hpp"

namespace belfry::cli {

// Looks at a ledger that is kept in PostgreSQL: whether it can be reached, what it holds, and who writes it.
// `is_served`: a daemon runs on this data folder.
void check_postgres_store(const std::string& url, bool is_served, base::Timestamp now, std::vector<Finding>& findings);

}  // namespace belfry::cli
