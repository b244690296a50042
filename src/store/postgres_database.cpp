#include "store/postgres_database.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <poll.h>
#include <unordered_map>
#include <utility>

#include "base/assert.hpp"
#include "store/postgres_connection.hpp"
#include "store/word_index.hpp"

namespace belfry::store {

const Dialect postgres_dialect{"postgres",
                               "BIGINT",
                               "BYTEA",
                               "",
                               "",
                               "SET LOCAL statement_timeout = 0",
                               postgres_word_index,
                               "convert_to(CAST(CAST(encode(?, 'hex') AS uuid) AS text), 'UTF8')"};

namespace {

using base::Code;
using ports::CommitOutcome;

constexpr int binary = 1;
constexpr Oid bytea_type = 17;  // of the server's catalogue, fixed for ever
constexpr Oid int8_type = 20;
// One chunk of a pipeline: its answers are kept in memory until all of it is sent.
constexpr std::size_t chunk_sets_max = 256;
constexpr std::size_t chunk_bytes_max = 1 << 20;
constexpr int flush_wait_ms = 30'000;
constexpr const char* begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

// The parameters of one call as libpq takes them. Points into itself and into the params, so it stays where it is.
class BoundParams {
public:
    explicit BoundParams(std::span<const Param> params) : count_(static_cast<int>(params.size())) {
        ASSERT(params.size() <= params_max);
        for (std::size_t i = 0; i < params.size(); ++i) bind(i, params[i]);
    }
    BoundParams(const BoundParams&) = delete;
    BoundParams& operator=(const BoundParams&) = delete;

    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] const char* const* values() const { return values_.data(); }
    [[nodiscard]] const int* lengths() const { return lengths_.data(); }
    [[nodiscard]] const int* formats() const { return formats_.data(); }
    [[nodiscard]] const Oid* types() const { return types_.data(); }

private:
    void bind(std::size_t i, const Param& param) {
        formats_[i] = binary;
        if (const auto* number = std::get_if<std::int64_t>(&param)) {
            auto value = static_cast<std::uint64_t>(*number);
            for (std::size_t byte = 8; byte-- > 0; value >>= 8U) numbers_[i][byte] = static_cast<char>(value & 0xFFU);
            values_[i] = numbers_[i].data();
            lengths_[i] = 8;
            types_[i] = int8_type;
        } else if (const auto* blob = std::get_if<Bytes>(&param)) {
            values_[i] = blob->view.data() != nullptr ? blob->view.data() : "";
            lengths_[i] = static_cast<int>(blob->view.size());
            types_[i] = bytea_type;
        }
        // Else NULL, whose type the server infers from where it stands.
    }

    int count_;
    std::array<const char*, params_max> values_{};
    std::array<int, params_max> lengths_{};
    std::array<int, params_max> formats_{};
    std::array<Oid, params_max> types_{};
    std::array<std::array<char, 8>, params_max> numbers_{};
};

std::size_t bytes_in(const std::vector<Param>& params) {
    std::size_t bytes = 0;
    for (const Param& param : params) {
        const auto* blob = std::get_if<Bytes>(&param);
        bytes += blob != nullptr ? blob->view.size() : 8;
    }
    return bytes;
}

class PostgresRow final : public Row {
public:
    PostgresRow(const Libpq& pq, const PGresult* result, int row) : pq_(pq), result_(result), row_(row) {}
    [[nodiscard]] bool is_null(int column) const override { return pq_.is_null(result_, row_, column) != 0; }
    [[nodiscard]] std::int64_t number(int column) const override {
        std::uint64_t value = 0;
        const std::string_view digits = bytes(column);
        if (digits.size() < 8 && !digits.empty() && (digits.front() & 0x80) != 0) value = ~std::uint64_t{0};
        for (const char byte : digits) value = value << 8U | static_cast<std::uint8_t>(byte);
        return static_cast<std::int64_t>(value);
    }
    [[nodiscard]] std::string_view bytes(int column) const override {
        return {pq_.value(result_, row_, column), static_cast<std::size_t>(pq_.length(result_, row_, column))};
    }

private:
    const Libpq& pq_;
    const PGresult* result_;
    int row_;
};

// A dump that is read in makes other tables, another cluster has another name, and a standby that took over counts
// another timeline.
constexpr Sql select_place{
    "SELECT concat_ws(':', (SELECT system_identifier FROM pg_control_system()), 'ledger'::regclass::oid, "
    "left(pg_walfile_name(pg_current_wal_lsn()), 8))"};

class PostgresDatabase final : public Database {
public:
    PostgresDatabase(PostgresConnection connection, PostgresOptions options)
        : connection_(std::move(connection)), options_(std::move(options)) {}
    // The server notices the end of a session after its client has gone on; the next writer is not to find the
    // ledger locked by one that has ended.
    ~PostgresDatabase() override {
        if (options_.read_only || is_lost()) return;
        rollback();
        if (pq().transaction_status(connection_.handle()) != PQTRANS_IDLE) return;
        (void)connection_.exec("SELECT pg_advisory_unlock_all()");
    }
    PostgresDatabase(const PostgresDatabase&) = delete;
    PostgresDatabase& operator=(const PostgresDatabase&) = delete;

    [[nodiscard]] const Dialect& dialect() const override { return postgres_dialect; }
    [[nodiscard]] bool is_lost() const override { return broken_ || connection_.is_lost(); }
    [[nodiscard]] std::string place() override {
        std::string place;
        // A server that does not tell is one that nothing tells from its copy.
        (void)run(select_place, {}, [&](const Row& row) { place = row.bytes(0); });
        return place;
    }

    base::Result<std::int64_t> run(const Sql& sql, std::span<const Param> params, const RowSink& sink) override {
        TRY(reconnect_reader());
        const BoundParams bound(params);
        auto result = run_once(sql, bound);
        if (!result.ok() && may_reconnect()) {
            TRY(reconnect_reader());
            result = run_once(sql, bound);
        }
        if (!result.ok()) return note(std::move(result).error());
        hand_out(*result, sink);
        return changed_rows(*result);
    }

    base::Result<void> run_many(const Sql& sql, std::span<const std::vector<Param>> sets,
                                const RowSink& sink) override {
        TRY(reconnect_reader());
        while (!sets.empty()) {
            std::size_t count = 1;
            std::size_t bytes = bytes_in(sets.front());
            while (count < sets.size() && count < chunk_sets_max && bytes < chunk_bytes_max) {
                bytes += bytes_in(sets[count++]);
            }
            if (auto done = run_chunk(sql, sets.first(count), sink); !done.ok()) return note(std::move(done).error());
            sets = sets.subspan(count);
        }
        return {};
    }

    base::Result<void> script(const std::string& text) override {
        TRY(connection_.exec(text));
        return {};
    }

    // The first statement of a transaction raises the commit number and so takes the ledger's row: two writers queue
    // there, and READ COMMITTED then shows the second what the first one wrote.
    base::Result<void> begin_write() override { return script("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"); }

    base::Result<void> begin_read() override {
        in_snapshot_ = false;
        TRY(reconnect_reader());
        auto begun = script(begin_snapshot);
        if (!begun.ok() && may_reconnect()) {
            TRY(reconnect_reader());
            begun = script(begin_snapshot);
        }
        in_snapshot_ = begun.ok();
        return begun;
    }

    ports::CommitResult commit() override {
        // Nothing can have been committed over a session that was lost before we asked.
        if (is_lost()) return {CommitOutcome::rolled_back, connection_.lost()};
        in_snapshot_ = false;
        auto committed = connection_.exec("COMMIT");
        if (!committed.ok()) {
            // The server's refusal ends the transaction, and the session goes on. Whatever else happened, the answer
            // may have been on its way.
            const bool refused = !is_lost() && pq().transaction_status(connection_.handle()) == PQTRANS_IDLE;
            return {refused ? CommitOutcome::rolled_back : CommitOutcome::unknown, std::move(committed).error()};
        }
        // A transaction that an error had broken answers COMMIT with ROLLBACK.
        if (std::string_view(pq().command_tag(committed->get())) == "COMMIT") return {CommitOutcome::committed, {}};
        return {CommitOutcome::rolled_back,
                base::error(Code::io, "postgres rolled back instead of committing: a statement had failed before")};
    }

    void rollback() override {
        in_snapshot_ = false;
        if (!is_lost() && connection_.is_in_transaction()) (void)connection_.exec("ROLLBACK");
    }

    // Old versions of a row are reclaimed by autovacuum, which also decides about space: nothing to do for either.
    base::Result<void> overwrite_deleted(bool) override { return {}; }
    // Its own vacuum does that.
    base::Result<bool> return_space(std::int64_t) override { return false; }

    // The write-ahead log is the server's, shared with other databases.
    base::Result<std::pair<std::int64_t, std::int64_t>> sizes() override {
        static constexpr Sql total{
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'"};
        std::int64_t bytes = 0;
        TRY(run(total, {}, [&](const Row& row) { bytes = row.number(0); }));
        return std::pair{bytes, std::int64_t{0}};
    }

private:
    [[nodiscard]] const Libpq& pq() const { return connection_.pq(); }

    // A reader has no state in its session, so it may start another one; not in the middle of a snapshot. That the
    // server was started anew it learns from the first question that fails, which it asks again.
    [[nodiscard]] bool may_reconnect() const { return options_.read_only && is_lost() && !in_snapshot_; }
    base::Result<void> reconnect_reader() {
        if (!may_reconnect()) return {};
        TRY_ASSIGN(connection_, PostgresConnection::connect(options_));
        prepared_.clear();
        broken_ = false;
        return {};
    }

    // What a reader's session refuses, another one may not: a plan that is older than the table, for one.
    base::Error note(base::Error error) {
        if (options_.read_only && error.code == Code::io) broken_ = true;
        return error;
    }

    base::Result<PgResult> run_once(const Sql& sql, const BoundParams& bound) {
        TRY_ASSIGN(const std::string* const name, prepare(sql, bound));
        return connection_.check(pq().exec_prepared(connection_.handle(), name->c_str(), bound.count(), bound.values(),
                                                    bound.lengths(), bound.formats(), binary));
    }

    base::Result<const std::string*> prepare(const Sql& sql, const BoundParams& bound) {
        if (const auto at = prepared_.find(&sql); at != prepared_.end()) return &at->second;
        const std::string name = "belfry_" + std::to_string(prepared_.size() + 1);
        TRY(connection_.check(
            pq().prepare(connection_.handle(), name.c_str(), sql.text, bound.count(), bound.types())));
        return &prepared_.emplace(&sql, name).first->second;
    }

    void hand_out(const PgResult& result, const RowSink& sink) const {
        if (!sink) return;
        const int rows = pq().row_count(result.get());
        for (int row = 0; row < rows; ++row) sink(PostgresRow(pq(), result.get(), row));
    }

    [[nodiscard]] std::int64_t changed_rows(const PgResult& result) const {
        const std::string_view digits = pq().changed_rows(result.get());
        std::int64_t rows = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), rows);
        return rows;
    }

    base::Result<void> run_chunk(const Sql& sql, std::span<const std::vector<Param>> sets, const RowSink& sink) {
        TRY_ASSIGN(const std::string* const name, prepare(sql, BoundParams(sets.front())));
        PGconn* handle = connection_.handle();
        if (pq().set_nonblocking(handle, 1) != 0 || pq().enter_pipeline(handle) == 0) return connection_.lost();
        base::Result<void> result = send_chunk(*name, sets);
        if (result.ok()) result = read_chunk(sets.size(), sink);
        // A session with a chunk that could not be sent or read to its end is of no more use.
        broken_ = pq().exit_pipeline(handle) == 0 || pq().set_nonblocking(handle, 0) != 0;
        if (broken_ && result.ok()) result = connection_.lost();
        return result;
    }

    base::Result<void> send_chunk(const std::string& name, std::span<const std::vector<Param>> sets) {
        PGconn* handle = connection_.handle();
        for (const std::vector<Param>& params : sets) {
            const BoundParams bound(params);
            if (pq().send_prepared(handle, name.c_str(), bound.count(), bound.values(), bound.lengths(),
                                   bound.formats(), binary) == 0) {
                return connection_.lost();
            }
        }
        if (pq().pipeline_sync(handle) == 0) return connection_.lost();
        return flush();
    }

    // Reads while it writes: a server that cannot get rid of its answers stops taking questions.
    base::Result<void> flush() {
        PGconn* handle = connection_.handle();
        for (;;) {
            const int left = pq().flush(handle);
            if (left == 0) return {};
            if (left < 0) return connection_.lost();
            pollfd socket{pq().socket(handle), POLLIN | POLLOUT, 0};
            const int ready = poll(&socket, 1, flush_wait_ms);
            if (ready == 0) return base::error(Code::timeout, "postgres takes no more data");
            if (ready < 0 && errno != EINTR) return connection_.lost();
            if ((socket.revents & POLLIN) != 0 && pq().consume_input(handle) == 0) return connection_.lost();
        }
    }

    // Each question has its answer and an end of answers; after the first error the rest is only named. All of it is
    // read, so that the session is ready for the rollback.
    base::Result<void> read_chunk(std::size_t count, const RowSink& sink) {
        PGconn* handle = connection_.handle();
        std::optional<base::Error> failed;
        for (std::size_t i = 0; i < count; ++i) {
            auto answer = connection_.check(pq().get_result(handle));
            if (is_lost()) return connection_.lost();
            if (!answer.ok() && !failed) failed = std::move(answer).error();
            else if (answer.ok()) hand_out(*answer, sink);
            const PgResult end(pq().get_result(handle), PgResultDeleter{&pq()});
            ASSERT(end == nullptr || is_lost());
        }
        TRY(connection_.check(pq().get_result(handle)));
        if (failed) return *failed;
        return {};
    }

    PostgresConnection connection_;
    PostgresOptions options_;
    std::unordered_map<const Sql*, std::string> prepared_;
    bool in_snapshot_ = false;
    bool broken_ = false;
};

}  // namespace

base::Result<std::unique_ptr<Database>> open_postgres(PostgresOptions options) {
    TRY_ASSIGN(PostgresConnection connection, PostgresConnection::connect(options));
    return std::unique_ptr<Database>(std::make_unique<PostgresDatabase>(std::move(connection), std::move(options)));
}

}  // namespace belfry::store
