#include "cli/doctor_postgres.hpp"

#include "cli/doctor_clock.hpp"
#include "store/open_store.hpp"
#include "store/postgres_check.hpp"

namespace belfry::cli {
namespace {

using State = Finding::State;

Finding writer_finding(const store::PostgresFacts& facts, bool is_served) {
    if (!facts.writer.empty()) return {"writer", State::good, facts.writer, {}};
    if (is_served) {
        return {"writer", State::warning, "a daemon runs here, and nobody holds the ledger", "look at its log"};
    }
    return {"writer", State::good, "nobody holds the ledger", {}};
}

}  // namespace

void check_postgres_store(const std::string& url, bool is_served, base::Timestamp now, std::vector<Finding>& findings) {
    store::StoreLocation location;
    location.backend = store::Backend::postgres;
    location.postgres_url = url;
    const auto facts = store::check_postgres(url);
    if (!facts.ok()) {
        findings.push_back({"database", State::bad, facts.error().message,
                            "start the server, or mend store.postgres_url; docs/operating.md tells what it needs"});
        return;
    }
    const std::string where =
        "PostgreSQL " + facts->server_version + ", " + store::describe(location) + ", schema " + facts->schema;
    if (facts->is_replica) {
        findings.push_back({"database", State::bad, where + ": the server is a replica, which cannot be written",
                            "name the primary in store.postgres_url"});
    } else if (!facts->may_begin) {
        findings.push_back({"database", State::bad, where + ": it is not there yet, and this user may not make it",
                            "let the user own the database, or GRANT it CREATE"});
    } else {
        findings.push_back({"database", State::good, where, {}});
    }
    if (facts->schema_version > 0) {
        findings.push_back(
            schema_finding(facts->schema_version, "pg_dump it first: the next `belfry serve` migrates it"));
    }
    check_clock_steps(facts->clock_steps, now, findings);
    findings.push_back(writer_finding(*facts, is_served));
}

}  // namespace belfry::cli
