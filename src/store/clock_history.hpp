#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "store/database.hpp"

namespace belfry::store {

// A correction of the clock, as `belfry doctor` shows it.
struct ClockStep {
    base::Timestamp noticed_at;
    base::Duration set_back;
    std::int64_t timers = 0;         // that were computed again
    std::vector<std::string> named;  // the first of them that are still there: "coach/morning, next 2026-…"
    std::int64_t agents = 0;
    std::int64_t deadlines = 0;
};

// Returns the recorded corrections, the newest first; none from a store whose schema is older than them.
base::Result<std::vector<ClockStep>> read_clock_history(Database& database, std::int64_t schema_version);

}  // namespace belfry::store
