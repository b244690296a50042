#pragma once

#include <memory>
#include <string>

#include "store/database.hpp"

namespace belfry::store {

// The last session of a process that held the ledger: its backend and when that began. It tells a dead session of our
// own from the session of another node.
struct WriterSession {
    std::string id;  // empty: there was none
};

struct PostgresOptions {
    // As libpq takes it: `postgresql://user@host/database?sslmode=require`, or `host=… dbname=…`. The schema is
    // `belfry`, unless the address names another as `options=-csearch_path=NAME`. Address and environment (PGHOST, …)
    // decide over the time-outs set here.
    std::string url;
    // A reader takes no lock, may not write, and connects again by itself when its session was lost.
    bool read_only = false;
    // Of a writer: shared by its sessions, one after the other. Nothing: each session is the first.
    std::shared_ptr<WriterSession> last_session = nullptr;
};

// PostgreSQL through libpq. Statements are prepared once a session; parameters and results travel in binary; many sets
// of parameters travel as one pipeline. A writer is refused (`conflict`, naming the holder) while another session
// holds this ledger; what fences a writer that lost its session is the ledger's epoch, see SqlStore.
base::Result<std::unique_ptr<Database>> open_postgres(PostgresOptions options);

extern const Dialect postgres_dialect;

}  // namespace belfry::store
