#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "ports/reading.hpp"
#include "store/sql_store.hpp"

namespace belfry::store {

// Which database holds the ledger, and where. The one place where a backend is chosen.
enum class Backend { sqlite, postgres };

struct StoreLocation {
    Backend backend = Backend::sqlite;
    std::string sqlite_path;
    std::string postgres_url;
};

// What the writer's store tells about itself, on the writer's thread.
struct StoreNotes {
    // After each commit, how many pages SQLite's write-ahead log holds; never called for PostgreSQL. See
    // SqliteCheckpointer, which is to be woken by it.
    std::function<void(std::int64_t)> on_wal_pages;
    // A sentence for the log.
    std::function<void(const std::string&)> note;
};

// For SqlStore: a connection of the one writer, and the copy before a migration. SQLite's file is copied beside itself
// as `<file>.before-v<N>`, N being the version that the binary brings. A copy of the same commit, from a migration that
// did not come to its end, is kept, because it is the older one; beside a copy of another commit, from an upgrade that
// was taken back, the new one is called `…-2`, `…-3`. PostgreSQL has its own backups: only a note.
SqlStoreOptions writer_options(const StoreLocation& location, StoreNotes notes);

// A reader on a connection of its own. The store must have been opened by a writer once.
base::Result<std::unique_ptr<ports::Reading>> open_reading(const StoreLocation& location);

// For people: the path, or the address without its password.
std::string describe(const StoreLocation& location);

}  // namespace belfry::store
