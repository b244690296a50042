#include "store/open_store.hpp"

#include <unistd.h>

#include "store/postgres_connection.hpp"
#include "store/postgres_database.hpp"
#include "store/schema.hpp"
#include "store/sql_reading.hpp"
#include "store/sqlite_copy.hpp"
#include "store/sqlite_database.hpp"

namespace belfry::store {
namespace {

using Connected = base::Result<std::unique_ptr<Database>>;

SqlStoreOptions sqlite_writer(const std::string& path, const StoreNotes& notes) {
    SqlStoreOptions options;
    options.connect = [path, on_wal_pages = notes.on_wal_pages]() -> Connected {
        SqliteOptions sqlite;
        sqlite.path = path;
        sqlite.on_wal_pages = on_wal_pages;
        return open_sqlite(std::move(sqlite));
    };
    options.copy_before_migration = [path, note = notes.note](std::int64_t version) -> base::Result<void> {
        const std::string first = path + ".before-v" + std::to_string(newest_schema_version());
        TRY_ASSIGN(const std::int64_t last_commit, last_commit_in(path));
        std::string copy = first;
        for (int number = 2; access(copy.c_str(), F_OK) == 0; ++number) {
            if (const auto copied = last_commit_in(copy); copied.ok() && *copied == last_commit) {
                if (note) note("the copy " + copy + " of an earlier attempt is kept");
                return {};
            }
            copy = first + "-" + std::to_string(number);
        }
        TRY(copy_database(path, copy));
        if (note) note("schema version " + std::to_string(version) + " is kept aside as " + copy);
        return {};
    };
    return options;
}

SqlStoreOptions postgres_writer(const std::string& url, const StoreNotes& notes) {
    SqlStoreOptions options;
    options.connect = [url, last_session = std::make_shared<WriterSession>()]() -> Connected {
        PostgresOptions postgres;
        postgres.url = url;
        postgres.last_session = last_session;
        return open_postgres(std::move(postgres));
    };
    options.copy_before_migration = [note = notes.note](std::int64_t version) -> base::Result<void> {
        if (note) {
            note("schema version " + std::to_string(version) + " in PostgreSQL becomes version " +
                 std::to_string(newest_schema_version()) + "; to go back, restore the server's own backup");
        }
        return {};
    };
    return options;
}

}  // namespace

SqlStoreOptions writer_options(const StoreLocation& location, StoreNotes notes) {
    return location.backend == Backend::sqlite ? sqlite_writer(location.sqlite_path, notes)
                                               : postgres_writer(location.postgres_url, notes);
}

base::Result<std::unique_ptr<ports::Reading>> open_reading(const StoreLocation& location) {
    std::unique_ptr<Database> database;
    if (location.backend == Backend::sqlite) {
        SqliteOptions sqlite;
        sqlite.path = location.sqlite_path;
        sqlite.read_only = true;
        TRY_ASSIGN(database, open_sqlite(std::move(sqlite)));
    } else {
        PostgresOptions postgres;
        postgres.url = location.postgres_url;
        postgres.read_only = true;
        TRY_ASSIGN(database, open_postgres(std::move(postgres)));
    }
    return std::unique_ptr<ports::Reading>(std::make_unique<SqlReading>(std::move(database), describe(location)));
}

std::string describe(const StoreLocation& location) {
    return location.backend == Backend::sqlite ? location.sqlite_path : describe_postgres_url(location.postgres_url);
}

}  // namespace belfry::store
