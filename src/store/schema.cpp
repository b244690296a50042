#include "store/schema.hpp"

#include <array>

namespace belfry::store {
namespace {

constexpr std::string_view trunk = R"sql(
CREATE TABLE ledger (
    id @int PRIMARY KEY CHECK (id = 1),
    epoch @int NOT NULL,
    commit_no @int NOT NULL,
    store_id @bytes NOT NULL
) @table;

CREATE TABLE log_events (
    first_position @int PRIMARY KEY,
    entry_count @int NOT NULL,
    committed_at @int NOT NULL,
    byte_count @int NOT NULL,
    directory @bytes NOT NULL,
    body @bytes NOT NULL
) @table;

CREATE TABLE log_audit (
    first_position @int PRIMARY KEY,
    entry_count @int NOT NULL,
    committed_at @int NOT NULL,
    byte_count @int NOT NULL,
    directory @bytes NOT NULL,
    body @bytes NOT NULL
) @table;

CREATE TABLE log_classes (
    retention @int PRIMARY KEY,
    indexed_to @int NOT NULL,
    indexed_bytes @int NOT NULL
) @table;

CREATE TABLE streams (
    stream_id @int PRIMARY KEY,
    name @bytes NOT NULL UNIQUE,
    owner @bytes NOT NULL,
    retention @int NOT NULL,
    head @int NOT NULL,
    floor @int NOT NULL
) @table;

CREATE TABLE stream_index (
    stream_id @int NOT NULL,
    first_sequence @int NOT NULL,
    last_sequence @int NOT NULL,
    blocks @bytes NOT NULL,
    PRIMARY KEY (stream_id, first_sequence)
) @keyed;

CREATE TABLE remembered_answers (
    ordinal @int PRIMARY KEY,
    request_key @bytes NOT NULL UNIQUE,
    fingerprint @bytes NOT NULL,
    answer @bytes NOT NULL,
    answered_at @int NOT NULL
) @table;

CREATE TABLE access_tokens (
    token_id @bytes PRIMARY KEY,
    secret_hash @bytes NOT NULL,
    name @bytes NOT NULL,
    role @bytes NOT NULL,
    user_id @bytes NOT NULL,
    bounds @bytes NOT NULL,
    events_per_second @int NOT NULL,
    created_at @int NOT NULL,
    expires_at @int,
    created_by @bytes NOT NULL
) @keyed;

CREATE TABLE outbox (
    obligation_id @bytes PRIMARY KEY,
    kind @bytes NOT NULL,
    detail @bytes NOT NULL,
    created_at @int NOT NULL,
    due_at @int NOT NULL,
    attempts @int NOT NULL,
    fence @int NOT NULL,
    claimed_until @int,
    finished_at @int,
    progress @bytes NOT NULL,
    last_error @bytes NOT NULL
) @keyed;

CREATE INDEX outbox_open ON outbox (due_at) WHERE finished_at IS NULL;
)sql";

constexpr std::array<Migration, 1> all{{{1, "trunk", trunk}}};

constexpr Sql read_version{"SELECT max(version) FROM schema_versions"};
constexpr Sql write_version{"INSERT INTO schema_versions (version, name) VALUES ($1, $2)"};

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

std::string in_dialect(std::string_view sql, const Dialect& dialect) {
    std::string text = replace_all(std::string(sql), "@int", dialect.integer_type);
    text = replace_all(std::move(text), "@bytes", dialect.bytes_type);
    text = replace_all(std::move(text), "@table", dialect.table_suffix);
    return replace_all(std::move(text), "@keyed", dialect.keyed_suffix);
}

base::Result<void> apply(Database& database, const Migration& migration) {
    TRY(database.begin_write());
    auto applied = database.script(in_dialect(migration.sql, database.dialect()));
    if (applied.ok()) {
        auto noted = database.run(write_version, {number(migration.version), bytes(migration.name)});
        if (!noted.ok()) applied = std::move(noted).error();
    }
    if (!applied.ok()) {
        database.rollback();
        return applied;
    }
    const ports::CommitResult result = database.commit();
    if (result.outcome != ports::CommitOutcome::committed) return result.error;
    return {};
}

}  // namespace

std::span<const Migration> migrations() {
    return all;
}

base::Result<std::int64_t> schema_version(Database& database) {
    std::int64_t version = 0;
    TRY(database.run(read_version, {}, [&](const Row& row) { version = row.is_null(0) ? 0 : row.number(0); }));
    return version;
}

base::Result<void> migrate(Database& database, const CopyBefore& copy) {
    return migrate(database, all, copy);
}

base::Result<void> migrate(Database& database, std::span<const Migration> history, const CopyBefore& copy) {
    TRY(database.script(
        in_dialect("CREATE TABLE IF NOT EXISTS schema_versions (version @int PRIMARY KEY, name @bytes NOT NULL) @table",
                   database.dialect())));
    TRY_ASSIGN(const std::int64_t version, schema_version(database));
    const std::int64_t newest = history.back().version;
    if (version > newest) {
        return base::error(base::Code::unsupported,
                           "the store has schema version " + std::to_string(version) + ", this program knows up to " +
                               std::to_string(newest) +
                               ": run the newer Belfry that wrote it, or restore a backup of the older version");
    }
    if (version > 0 && version < newest && copy) TRY(copy(version));
    for (const Migration& migration : history) {
        if (migration.version > version) TRY(apply(database, migration));
    }
    return {};
}

}  // namespace belfry::store
