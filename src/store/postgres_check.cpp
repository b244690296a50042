#include "store/postgres_check.hpp"

#include <cstdlib>

#include "store/postgres_connection.hpp"
#include "store/postgres_database.hpp"

namespace belfry::store {
namespace {

// 0 where there is no schema, or one without Belfry's tables.
base::Result<std::int64_t> version_in(const PostgresConnection& connection, const std::string& schema) {
    TRY_ASSIGN(const std::string table, connection.ask("SELECT 1 FROM pg_tables WHERE schemaname = '" + schema +
                                                       "' AND tablename = 'schema_versions'"));
    if (table.empty()) return std::int64_t{0};
    TRY_ASSIGN(const std::string version,
               connection.ask("SELECT coalesce(max(version), 0) FROM " + schema + ".schema_versions"));
    return static_cast<std::int64_t>(std::atoll(version.c_str()));
}

base::Result<std::vector<ClockStep>> clock_steps_in(const std::string& url, std::int64_t schema_version) {
    PostgresOptions options;
    options.url = url;
    options.read_only = true;
    TRY_ASSIGN(const std::unique_ptr<Database> database, open_postgres(std::move(options)));
    return read_clock_history(*database, schema_version);
}

}  // namespace

base::Result<PostgresFacts> check_postgres(const std::string& url) {
    TRY_ASSIGN(const PostgresConnection connection, PostgresConnection::connect_to_look(url));
    PostgresFacts facts;
    TRY_ASSIGN(facts.server_version, connection.ask("SHOW server_version"));
    TRY_ASSIGN(const std::string recovers, connection.ask("SELECT pg_is_in_recovery()"));
    facts.is_replica = recovers == "t";
    TRY_ASSIGN(facts.schema, connection.choose_schema());
    TRY_ASSIGN(facts.schema_version, version_in(connection, facts.schema));
    if (facts.schema_version == 0) {
        TRY_ASSIGN(const std::string may,
                   connection.ask("SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '" +
                                  facts.schema + "') THEN has_schema_privilege('" + facts.schema +
                                  "', 'CREATE') ELSE has_database_privilege(current_database(), 'CREATE') END"));
        facts.may_begin = may == "t";
    }
    TRY_ASSIGN(facts.writer, connection.find_writer(facts.schema));
    if (facts.schema_version == 0) return facts;
    auto steps = clock_steps_in(url, facts.schema_version);
    if (steps.ok()) facts.clock_steps = std::move(*steps);
    return facts;
}

}  // namespace belfry::store
