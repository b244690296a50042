#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/clock_history.hpp"

namespace belfry::store {

struct PostgresFacts {
    std::string server_version;       // "15.8 (Debian 15.8-0+deb12u1)"
    bool is_replica = false;          // the server itself stands by: nobody can write there
    std::string schema;               // the one that the address names, or `belfry`
    std::int64_t schema_version = 0;  // 0: Belfry has not been there yet
    bool may_begin = true;            // where it has not been: this user may make the schema
    std::string writer;               // the session that holds the ledger, in words; empty: nobody
    std::vector<ClockStep> clock_steps;
};

// Looks at a ledger in PostgreSQL without changing or locking anything. An error where the server cannot be reached or
// does not let this user look.
base::Result<PostgresFacts> check_postgres(const std::string& url);

}  // namespace belfry::store
