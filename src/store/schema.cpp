#include "store/schema.hpp"

#include <array>
#include <string>

#include "store/schema_10.hpp"
#include "store/schema_11.hpp"
#include "store/schema_12.hpp"
#include "store/schema_13.hpp"
#include "store/schema_14_clock.hpp"
#include "store/schema_14_context.hpp"
#include "store/schema_14_memory.hpp"
#include "store/schema_14_merge_notes.hpp"
#include "store/schema_14_runs.hpp"
#include "store/schema_4.hpp"
#include "store/schema_5.hpp"
#include "store/schema_6.hpp"
#include "store/schema_7.hpp"
#include "store/schema_8.hpp"
#include "store/schema_9.hpp"
#include "store/schema_interactions.hpp"
#include "store/word_index.hpp"

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

// Counts of waiting rows that were raised since they were written stand in a table of their own: it is so narrow that
// those of a whole commit share a few pages, where the rows themselves, with their events, would each write one.
// The index of a queue holds all that is asked of a queue as a whole, which has at most limits::waiting_per_scope_max
// rows: each further index would be one more page that every notification writes. `due_class` is 4 * priority +
// injection point. `queue` names the agents' queue that a notification waits in: nothing where it is for a person, or
// has ended. `handed_to` is the session in which its handle counts.
constexpr std::string_view from_events_to_notifications = R"sql(
ALTER TABLE ledger ADD COLUMN last_notification @int NOT NULL DEFAULT 0;

CREATE TABLE waiting_rows (
    ordinal @int PRIMARY KEY,
    subscriber_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    session_id @bytes NOT NULL,
    agent_id @bytes NOT NULL,
    kind @int NOT NULL,
    dedupe_key @bytes NOT NULL,
    times @int NOT NULL,
    event_id @bytes NOT NULL,
    sequence @int NOT NULL,
    severity @int NOT NULL,
    due_at @int NOT NULL,
    event_json @bytes NOT NULL
) @table;

CREATE TABLE waiting_counts (
    ordinal @int PRIMARY KEY,
    times @int NOT NULL,
    severity @int NOT NULL
) @table;

CREATE TABLE notifications (
    ordinal @int PRIMARY KEY,
    notification_id @bytes NOT NULL UNIQUE,
    queue @bytes,
    user_id @bytes NOT NULL,
    session_id @bytes NOT NULL,
    agent_id @bytes NOT NULL,
    subscriber_id @bytes NOT NULL,
    priority @int NOT NULL,
    due_class @int NOT NULL,
    severity @int NOT NULL,
    address @int NOT NULL,
    target @int NOT NULL,
    handler @int NOT NULL,
    follow_up @int NOT NULL,
    model_tokens @int NOT NULL,
    version @int NOT NULL,
    created_at @int NOT NULL,
    state @int NOT NULL,
    outcome @bytes NOT NULL,
    ended_at @int,
    handle @int NOT NULL,
    handed_to @bytes NOT NULL,
    lease @int NOT NULL,
    holder @bytes NOT NULL,
    lease_until @int,
    pull_id @bytes,
    passed_over @int NOT NULL,
    event_rows @int NOT NULL,
    events_json @bytes NOT NULL,
    content @bytes NOT NULL,
    human_text @bytes NOT NULL,
    directive @bytes NOT NULL
) @table;

CREATE INDEX notifications_queue ON notifications
    (queue, priority, ordinal, event_rows, state, severity, subscriber_id) WHERE queue IS NOT NULL;
CREATE INDEX notifications_handle ON notifications (handed_to, handle) WHERE handle > 0;
CREATE INDEX notifications_pull ON notifications (pull_id) WHERE pull_id IS NOT NULL;
CREATE INDEX notifications_ended ON notifications (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX notifications_created ON notifications (created_at);
CREATE INDEX notifications_session ON notifications (session_id, ordinal);
CREATE INDEX notifications_user ON notifications (user_id, ordinal);
CREATE INDEX notifications_subscriber ON notifications (subscriber_id, ordinal);
CREATE INDEX notifications_state ON notifications (state, ordinal);

CREATE TABLE sessions (
    session_id @bytes PRIMARY KEY,
    user_id @bytes NOT NULL,
    user_is_default @int NOT NULL,
    agent_id @bytes NOT NULL,
    title @bytes NOT NULL,
    metadata_json @bytes NOT NULL,
    budget_json @bytes NOT NULL,
    progress_json @bytes NOT NULL,
    head_node @bytes NOT NULL,
    head_system_messages @int NOT NULL,
    next_handle @int NOT NULL,
    next_message @int NOT NULL,
    turns_started @int NOT NULL,
    last_turn_started_at @int,
    last_turn_ended_at @int,
    timeout_due_at @int,
    created_at @int NOT NULL,
    updated_at @int NOT NULL
) @table;

CREATE INDEX sessions_user ON sessions (user_id, session_id);
CREATE INDEX sessions_timeout ON sessions (timeout_due_at) WHERE timeout_due_at IS NOT NULL;

CREATE TABLE context_nodes (
    ordinal @int PRIMARY KEY,
    node_id @bytes NOT NULL UNIQUE,
    session_id @bytes NOT NULL,
    parent_id @bytes,
    created_at @int NOT NULL,
    system_messages_json @bytes NOT NULL
) @table;

CREATE INDEX context_nodes_session ON context_nodes (session_id, ordinal);

CREATE TABLE messages (
    message_id @bytes PRIMARY KEY,
    node_id @bytes NOT NULL,
    session_id @bytes NOT NULL,
    ordinal @int NOT NULL,
    role @int NOT NULL,
    created_at @int NOT NULL,
    metadata_json @bytes NOT NULL,
    content @bytes NOT NULL
) @table;

CREATE INDEX messages_node ON messages (session_id, node_id, ordinal);

CREATE TABLE reminders (
    reminder_id @bytes PRIMARY KEY,
    session_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    due_turn @int NOT NULL,
    context_above @bytes NOT NULL,
    created_at @int NOT NULL,
    payload_json @bytes NOT NULL
) @keyed;

CREATE INDEX reminders_session ON reminders (session_id, created_at);
CREATE INDEX reminders_user ON reminders (user_id);

CREATE TABLE user_settings (
    user_id @bytes PRIMARY KEY,
    disabled_subscribers_json @bytes NOT NULL
) @keyed;
)sql";

// What the delivery protocol adds. Texts are nothing where they are empty. `inbox` is 1 for what a person has yet to
// read and 0 for what was read; nothing: not for a person's eyes. `shown_at` is when he is known to have got it. In an
// agents' queue is from now on also what is for a person and an agent's to say.
constexpr std::string_view the_delivery_protocol = R"sql(
CREATE TABLE log_delivery (
    first_position @int PRIMARY KEY,
    entry_count @int NOT NULL,
    committed_at @int NOT NULL,
    byte_count @int NOT NULL,
    directory @bytes NOT NULL,
    body @bytes NOT NULL
) @table;

ALTER TABLE notifications ADD COLUMN inbox @int;
ALTER TABLE notifications ADD COLUMN shown_at @int;
ALTER TABLE notifications ADD COLUMN emitter @bytes;
ALTER TABLE notifications ADD COLUMN deduplication_key @bytes;
ALTER TABLE notifications ADD COLUMN tone_hint @bytes;
ALTER TABLE notifications ADD COLUMN metadata_json @bytes;
ALTER TABLE notifications ADD COLUMN ttl @int NOT NULL DEFAULT 0;
ALTER TABLE notifications ADD COLUMN deadline @int;
ALTER TABLE notifications ADD COLUMN deadline_max @int;
ALTER TABLE notifications ADD COLUMN depth @int NOT NULL DEFAULT 0;
ALTER TABLE notifications ADD COLUMN caused_by @bytes;
ALTER TABLE notifications ADD COLUMN follows @bytes;
ALTER TABLE notifications ADD COLUMN retry_of @bytes;
ALTER TABLE notifications ADD COLUMN narration @bytes;
ALTER TABLE notifications ADD COLUMN seen_at @int;
ALTER TABLE notifications ADD COLUMN acted_at @int;
ALTER TABLE notifications ADD COLUMN dismissed_at @int;

UPDATE notifications SET lease = 1 WHERE lease = 0;
UPDATE notifications SET inbox = 1 WHERE target = 0 AND handler = 0;
UPDATE notifications SET deadline = created_at + CASE WHEN handler = 1 THEN 300000000 ELSE 2592000000000 END
WHERE state < 4;
UPDATE notifications SET queue = CASE WHEN length(session_id) > 0 THEN byteacat(CAST('s' AS @bytes), session_id)
    ELSE byteacat(CAST('u' AS @bytes), user_id) END
WHERE state < 4 AND target = 0 AND handler = 1;

CREATE INDEX outbox_finished ON outbox (finished_at, obligation_id) WHERE finished_at IS NOT NULL;

DROP INDEX notifications_state;
DROP INDEX notifications_subscriber;
DROP INDEX notifications_queue;
DROP INDEX IF EXISTS notifications_least;
DROP INDEX IF EXISTS notifications_newest;
CREATE INDEX notifications_queue ON notifications
    (queue, priority, ordinal, event_rows, state, severity, subscriber_id, target, handler) WHERE queue IS NOT NULL;
CREATE INDEX notifications_deadline ON notifications (deadline, ordinal, state) WHERE state < 4;
CREATE INDEX notifications_key ON notifications (user_id, deduplication_key, ordinal)
WHERE deduplication_key IS NOT NULL AND state < 4;
CREATE INDEX notifications_held ON notifications (handed_to, ordinal) WHERE state = 2;
CREATE INDEX notifications_failed ON notifications (state, ordinal) WHERE state = 5;
CREATE INDEX notifications_inbox ON notifications (user_id, ordinal) WHERE inbox IS NOT NULL;
CREATE INDEX notifications_unread ON notifications (user_id, inbox, ordinal) WHERE inbox = 1;
CREATE INDEX notifications_waiting ON notifications (user_id, ordinal, inbox, state)
WHERE inbox IS NOT NULL AND state < 4;
CREATE INDEX notifications_shown ON notifications (user_id, shown_at, ordinal) WHERE shown_at IS NOT NULL;

CREATE TABLE transitions (
    notification_id @bytes NOT NULL,
    ordinal @int NOT NULL,
    happened_at @int NOT NULL,
    from_state @int NOT NULL,
    to_state @int NOT NULL,
    lease @int NOT NULL,
    holder @bytes NOT NULL,
    reason @bytes NOT NULL,
    PRIMARY KEY (notification_id, ordinal)
) @keyed;

CREATE TABLE tools (
    name @bytes PRIMARY KEY,
    impact @int NOT NULL,
    description @bytes NOT NULL,
    schema_json @bytes NOT NULL,
    updated_at @int NOT NULL
) @keyed;

ALTER TABLE sessions ADD COLUMN aware_until @int;
ALTER TABLE sessions ADD COLUMN deleted_at @int;
)sql";

const std::string version_4 = std::string(schema_4::runs) + std::string(schema_4::the_persons_word);

const std::string version_6 = std::string(schema_6::agents) + std::string(schema_6::wakes) +
                              std::string(schema_6::timers) + std::string(schema_6::changes) +
                              std::string(schema_6::messages);

const std::string version_7 = std::string(schema_7::journal) + std::string(schema_7::links);

const std::string version_12 = std::string(schema_12::speaking) + std::string(schema_12::awareness);

const std::string version_13 = std::string(schema_13::clock_steps) + std::string(schema_13::given);

const std::string version_14 = std::string(schema_14::context_values) + std::string(schema_14::hierarchies) +
                               std::string(schema_14::clock) + std::string(schema_14::unsummarized_threads) +
                               std::string(schema_14::merge_notes);

const std::array<Migration, 14> all{
    {{1, "trunk", trunk},
     {2, "from events to notifications", from_events_to_notifications},
     {3, "the delivery protocol", the_delivery_protocol},
     {4, "runs and the person's word", version_4},
     {5, "what is due of what is owed", schema_5::what_is_due},
     {6, "agents that wake", version_6},
     {7, "the journal", version_7},
     {8, "what agents propose", schema_8::change_sets},
     {9, "tools of others", schema_9::outside_tools},
     {10, "memory that is folded", schema_10::memory},
     {11, "other devices", schema_11::devices},
     {12, "who spoke and who knows", version_12},
     {13, "clocks that are set back, and plans that know their notifications", version_13},
     {14, "context values, hierarchies of runs, clocks that were ahead, threads without a summary, notes of merges",
      version_14}}};

constexpr Sql read_version{"SELECT max(version) FROM schema_versions"};
constexpr Sql write_version{"INSERT INTO schema_versions (version, name) VALUES ($1, $2)"};

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// Each `@uuid(column)` as this database says it.
std::string with_uuid_texts(std::string text, const Dialect& dialect) {
    constexpr std::string_view begin = "@uuid(";
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
        const std::size_t end = text.find(')', at);
        const std::string column = text.substr(at + begin.size(), end - at - begin.size());
        text.replace(at, end + 1 - at, replace_all(std::string(dialect.uuid_text), "?", column));
    }
    return text;
}

std::string in_dialect(std::string_view sql, const Dialect& dialect) {
    std::string text = replace_all(std::string(sql), "@int", dialect.integer_type);
    text = replace_all(std::move(text), "@bytes", dialect.bytes_type);
    text = replace_all(std::move(text), "@table", dialect.table_suffix);
    text = replace_all(std::move(text), "@words", dialect.words().schema());
    text = with_uuid_texts(std::move(text), dialect);
    return replace_all(std::move(text), "@keyed", dialect.keyed_suffix);
}

base::Result<void> apply(Database& database, const Migration& migration) {
    TRY(database.begin_write());
    auto applied = database.script(std::string(database.dialect().take_your_time));
    if (applied.ok()) applied = database.script(in_dialect(migration.sql, database.dialect()));
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
