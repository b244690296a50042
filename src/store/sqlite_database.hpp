#pragma once

#include <functional>
#include <memory>
#include <string>

#include "store/database.hpp"

namespace belfry::store {

struct SqliteOptions {
    std::string path;
    bool read_only = false;
    std::string vfs;         // another file system, by its registered name; empty: the system's
    bool exclusive = false;  // one connection alone, no shared memory file
    // Told after each commit how many pages the write-ahead log holds; another connection checkpoints.
    std::function<void(std::int64_t)> on_wal_pages;
};

// WAL with synchronous FULL: a commit is on the disk when it returns. The automatic checkpoint is off, because it would
// stall a commit by tens of milliseconds; see SqliteCheckpointer.
base::Result<std::unique_ptr<Database>> open_sqlite(SqliteOptions options);

extern const Dialect sqlite_dialect;

}  // namespace belfry::store
