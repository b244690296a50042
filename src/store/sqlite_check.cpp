#include "store/sqlite_check.hpp"

#include <sqlite3.h>

#include "store/schema.hpp"
#include "store/sqlite_database.hpp"

namespace belfry::store {
namespace {

const Sql quick_check{"PRAGMA quick_check(10)"};
const Sql full_check{"PRAGMA integrity_check(10)"};

base::Error named(const std::string& path, base::Error error) {
    error.message = path + ": " + error.message;
    return error;
}

}  // namespace

base::Result<DatabaseFacts> check_database(const std::string& path, Integrity integrity) {
    SqliteOptions options;
    options.path = path;
    options.read_only = true;
    auto database = open_sqlite(std::move(options));
    if (!database.ok()) return named(path, database.error());
    DatabaseFacts facts;
    auto version = schema_version(**database);
    if (!version.ok()) return named(path, version.error());
    facts.schema_version = *version;
    auto steps = read_clock_history(**database, *version);
    if (steps.ok()) facts.clock_steps = std::move(*steps);
    if (integrity == Integrity::none) return facts;
    const auto collect = [&facts](const Row& row) {
        const std::string_view finding = row.bytes(0);
        if (finding != "ok") facts.damage.emplace_back(finding);
    };
    auto checked = (*database)->run(integrity == Integrity::quick ? quick_check : full_check, {}, collect);
    if (!checked.ok()) facts.damage.push_back(checked.error().message);
    return facts;
}

base::Result<void> fold_write_ahead_log(const std::string& path) {
    SqliteOptions options;
    options.path = path;
    auto database = open_sqlite(std::move(options));
    if (!database.ok()) return named(path, database.error());
    auto folded = (*database)->script("PRAGMA wal_checkpoint(TRUNCATE)");
    if (!folded.ok()) return named(path, folded.error());
    return {};
}

std::string sqlite_version() {
    return sqlite3_libversion();
}

}  // namespace belfry::store
