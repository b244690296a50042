#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "store/database.hpp"

namespace belfry::store {

// One step of the schema's history. Forward only; what it says never changes once it was released.
struct Migration {
    std::int64_t version;
    std::string_view name;
    // With @int, @bytes, @table, @keyed, @words, @uuid(column) for what the dialects call differently.
    std::string_view sql;
};

std::span<const Migration> migrations();
inline std::int64_t newest_schema_version() {
    return migrations().back().version;
}

// The version of this database; an error where it is not one of Belfry's.
base::Result<std::int64_t> schema_version(Database& database);

// Brings the database to the newest version, each step in its own transaction. Before the first step of a database that
// already holds something, `copy` is called to keep it aside. A database newer than this program is refused.
using CopyBefore = std::function<base::Result<void>(std::int64_t version)>;
base::Result<void> migrate(Database& database, const CopyBefore& copy);
// The same along another history, its oldest step first.
base::Result<void> migrate(Database& database, std::span<const Migration> history, const CopyBefore& copy);

}  // namespace belfry::store
