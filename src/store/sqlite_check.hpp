#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/clock_history.hpp"

namespace belfry::store {

struct DatabaseFacts {
    std::int64_t schema_version = 0;
    std::vector<std::string> damage;  // what the integrity check found; empty: sound
    std::vector<ClockStep> clock_steps;
};

enum class Integrity : std::uint8_t { none, quick, full };

// Looks into a database without changing it. An error where it cannot be opened or is not one of Belfry's.
base::Result<DatabaseFacts> check_database(const std::string& path, Integrity integrity);

// Writes what lies in the write-ahead log into the file itself, so that the file alone is the database. Nobody else may
// have it open.
base::Result<void> fold_write_ahead_log(const std::string& path);

std::string sqlite_version();

}  // namespace belfry::store
