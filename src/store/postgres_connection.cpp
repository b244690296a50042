#include "store/postgres_connection.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>

#include "base/hash.hpp"
#include "store/postgres_database.hpp"

namespace belfry::store {
namespace {

using base::Code;

constexpr std::size_t schema_name_max = 63;

// A statement of Belfry touches a bounded number of rows, so a minute means that something is wrong; migrations take
// their time.
constexpr const char* session_settings =
    "SET client_encoding = 'UTF8'; SET lock_timeout = '5s'; SET statement_timeout = '60s'; "
    "SET idle_in_transaction_session_timeout = '60s'; SET standard_conforming_strings = on; "
    // The server too must notice that we are gone, or our lock would keep the next writer out. Keepalives are sent on a
    // silent connection only; an answer that nobody acknowledges is ended by the user timeout.
    "SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 2; "
    "SET tcp_user_timeout = 2000";

Code code_of_state(std::string_view state) {
    const bool took_too_long = state == "55P03" || state == "57014";
    if (state.starts_with("08") || state.starts_with("57P") || took_too_long) return Code::unavailable;
    return Code::io;
}

bool is_plain_name(std::string_view name) {
    if (name.empty() || name.size() > schema_name_max || (name.front() >= '0' && name.front() <= '9')) return false;
    return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// The advisory lock of a schema's ledger; locks are the database's own, so the schema alone tells ledgers apart.
std::int64_t lock_key(const std::string& schema) {
    const base::Sha256 hash = base::sha256("belfry ledger writer: " + schema);
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 8; ++i) key = key << 8U | hash[i];
    return static_cast<std::int64_t>(key);
}

// Returns a condition on a row `l` of pg_locks: a session holds the advisory lock of this key.
std::string is_writer_lock(std::int64_t key) {
    return "l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database "
           "WHERE datname = current_database()) AND (l.classid::bigint << 32 | l.objid::bigint) = " +
           std::to_string(key);
}

// Returns an expression over a row of pg_stat_activity: a text that identifies one session of the server.
std::string session_id(const std::string& row) {
    return row + ".pid || '@' || extract(epoch FROM " + row + ".backend_start)";
}

void ignore_notice(void*, const char*) {}

std::string one_line(const char* text) {
    std::string line = text != nullptr ? text : "";
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
    for (char& c : line) c = c == '\n' || c == '\t' ? ' ' : c;
    return line;
}

}  // namespace

base::Result<PostgresConnection> PostgresConnection::begin(const std::string& url, const char* name) {
    TRY_ASSIGN(std::shared_ptr<const Libpq> pq, load_libpq());
    // What comes later wins: the address may say otherwise.
    const std::array<const char*, 8> names{"connect_timeout",
                                           "keepalives_idle",
                                           "keepalives_interval",
                                           "keepalives_count",
                                           "tcp_user_timeout",
                                           "fallback_application_name",
                                           "dbname",
                                           nullptr};
    const std::array<const char*, 8> values{"3", "1", "1", "2", "2000", name, url.c_str(), nullptr};
    PostgresConnection connection(pq, pq->connect(names.data(), values.data(), 1));
    if (connection.handle() == nullptr) return base::error(Code::io, "out of memory for a connection to PostgreSQL");
    if (connection.is_lost()) {
        return base::error(Code::unavailable,
                           "cannot connect to PostgreSQL: " + one_line(pq->error_message(connection.handle())));
    }
    pq->set_notice_processor(connection.handle(), &ignore_notice, nullptr);
    TRY(connection.exec(session_settings));
    return connection;
}

base::Result<PostgresConnection> PostgresConnection::connect(const PostgresOptions& options) {
    TRY_ASSIGN(PostgresConnection connection,
               begin(options.url, options.read_only ? "belfry reader" : "belfry writer"));
    TRY_ASSIGN(const std::string schema, connection.choose_schema());
    if (!options.read_only) TRY(connection.take_writer_lock(schema, options.last_session.get()));
    TRY(connection.enter_schema(schema, options));
    if (options.read_only) TRY(connection.exec("SET default_transaction_read_only = on"));
    else TRY(connection.insist_on_durability());
    return connection;
}

base::Result<PostgresConnection> PostgresConnection::connect_to_look(const std::string& url) {
    TRY_ASSIGN(PostgresConnection connection, begin(url, "belfry doctor"));
    TRY(connection.exec("SET default_transaction_read_only = on"));
    return connection;
}

bool PostgresConnection::is_in_transaction() const {
    const PGTransactionStatusType status = pq_->transaction_status(handle_.get());
    return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

base::Result<PgResult> PostgresConnection::exec(const std::string& text) const {
    return check(pq_->exec(handle_.get(), text.c_str()));
}

base::Result<PgResult> PostgresConnection::check(PGresult* raw) const {
    PgResult result(raw, PgResultDeleter{pq_.get()});
    if (!result) return lost();
    const ExecStatusType status = pq_->result_status(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC) return result;
    const char* state = pq_->result_error_field(result.get(), PG_DIAG_SQLSTATE);
    if (state == nullptr) return lost();
    return base::error(code_of_state(state),
                       "postgres refused: " + one_line(pq_->result_error_field(result.get(), PG_DIAG_MESSAGE_PRIMARY)) +
                           " (" + state + ")",
                       {}, std::string_view(state) == "53100" ? ports::no_room : "");
}

base::Error PostgresConnection::lost() const {
    return base::error(Code::unavailable,
                       "the connection to PostgreSQL failed: " + one_line(pq_->error_message(handle_.get())));
}

std::string PostgresConnection::text_of(const PgResult& result, int row, int column) const {
    return {pq_->value(result.get(), row, column), static_cast<std::size_t>(pq_->length(result.get(), row, column))};
}

base::Result<std::string> PostgresConnection::ask(const std::string& text) const {
    TRY_ASSIGN(const PgResult result, exec(text));
    return pq_->row_count(result.get()) > 0 ? text_of(result, 0, 0) : std::string();
}

base::Result<std::string> PostgresConnection::choose_schema() const {
    TRY_ASSIGN(std::string named,
               ask("SELECT setting FROM pg_settings WHERE name = 'search_path' AND source = 'client'"));
    if (named.empty()) return std::string("belfry");
    if (!is_plain_name(named)) {
        return base::error(Code::invalid,
                           "the search_path of store.postgres_url must be one name of lower-case "
                           "letters, digits and _, not '" +
                               named + "'",
                           "store.postgres_url");
    }
    return named;
}

base::Result<void> PostgresConnection::enter_schema(const std::string& schema, const PostgresOptions& options) const {
    TRY_ASSIGN(const std::string exists, ask("SELECT 1 FROM pg_namespace WHERE nspname = '" + schema + "'"));
    if (exists.empty()) {
        if (options.read_only) return base::error(Code::not_found, "PostgreSQL has no schema " + schema + " yet");
        TRY(exec("CREATE SCHEMA " + schema));
    }
    TRY(exec("SET search_path = " + schema));
    return {};
}

// A reply of ours means that it is on the disk. A server that is set to answer earlier is told otherwise for this
// session; waiting for replicas too is more, not less.
base::Result<void> PostgresConnection::insist_on_durability() const {
    TRY_ASSIGN(std::string mode, ask("SELECT current_setting('synchronous_commit')"));
    if (mode != "on" && mode != "remote_apply") {
        TRY(exec("SET synchronous_commit = on"));
        TRY_ASSIGN(mode, ask("SELECT current_setting('synchronous_commit')"));
    }
    if (mode == "on" || mode == "remote_apply") return {};
    return base::error(Code::unsupported, "PostgreSQL's synchronous_commit stays " + mode +
                                              ": a reply of Belfry would not mean that the disk has it");
}

// After a cut of the network the server may still believe in our last session, whose lock is in our own way. No session
// but that one is ended: another node that holds the lock is alive as far as the server knows.
base::Result<bool> PostgresConnection::replace_own_session(std::int64_t key, const WriterSession& last) const {
    if (last.id.empty()) return false;
    TRY_ASSIGN(const std::string ended,
               ask("SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a "
                   "ON a.pid = l.pid WHERE " +
                   is_writer_lock(key) + " AND " + session_id("a") + " = '" + last.id + "'"));
    if (ended != "t") return false;
    TRY(exec("SET lock_timeout = '2s'"));
    TRY(exec("SELECT pg_advisory_lock(" + std::to_string(key) + ")"));
    TRY(exec("SET lock_timeout = '5s'"));
    return true;
}

base::Result<void> PostgresConnection::take_writer_lock(const std::string& schema, WriterSession* last) const {
    const std::int64_t key = lock_key(schema);
    TRY_ASSIGN(const std::string taken, ask("SELECT pg_try_advisory_lock(" + std::to_string(key) + ")"));
    bool is_ours = taken == "t";
    if (!is_ours && last != nullptr) {
        TRY_ASSIGN(is_ours, replace_own_session(key, *last));
    }
    if (is_ours) {
        if (last == nullptr) return {};
        TRY_ASSIGN(last->id,
                   ask("SELECT " + session_id("a") + " FROM pg_stat_activity a WHERE a.pid = pg_backend_pid()"));
        return {};
    }
    TRY_ASSIGN(std::string who, find_writer(schema));
    if (who.empty()) who = "a session that just ended: try again";
    return base::error(Code::conflict, "the ledger in schema " + schema + " has a writer already: " + who);
}

base::Result<std::string> PostgresConnection::find_writer(const std::string& schema) const {
    TRY_ASSIGN(const PgResult holder,
               exec("SELECT l.pid::text, coalesce(nullif(a.application_name, ''), 'unnamed'), "
                    "coalesce(host(a.client_addr), 'this machine'), coalesce(a.usename::text, 'unknown') "
                    "FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid WHERE " +
                    is_writer_lock(lock_key(schema))));
    if (pq_->row_count(holder.get()) == 0) return std::string();
    return "backend pid " + text_of(holder, 0, 0) + " (application '" + text_of(holder, 0, 1) + "', user '" +
           text_of(holder, 0, 3) + "', from " + text_of(holder, 0, 2) + ")";
}

std::string describe_postgres_url(const std::string& url) {
    auto pq = load_libpq();
    if (!pq.ok()) return "postgresql";
    char* message = nullptr;
    PQconninfoOption* options = (*pq)->parse_conninfo(url.c_str(), &message);
    if (message != nullptr) (*pq)->free_memory(message);
    if (options == nullptr) return "postgresql";
    std::string text;
    for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
        const std::string_view name = option->keyword;
        if (option->val == nullptr || (name != "host" && name != "hostaddr" && name != "port" && name != "dbname" &&
                                       name != "user" && name != "options")) {
            continue;
        }
        text += (text.empty() ? "" : " ") + std::string(name) + "=" + option->val;
    }
    (*pq)->free_conninfo(options);
    return text.empty() ? "postgresql" : text;
}

}  // namespace belfry::store
