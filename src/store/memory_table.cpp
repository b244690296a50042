#include "store/memory_table.hpp"

#include <limits>

#include "store/agent_message_row.hpp"
#include "store/memory_row.hpp"
#include "store/memory_words.hpp"

namespace belfry::store {
namespace {

constexpr Sql upsert_thread{
    "INSERT INTO agent_threads (" BELFRY_THREAD_COLUMNS
    ", quiet_since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (thread_id) DO UPDATE SET "
    "agent_id = excluded.agent_id, user_id = excluded.user_id, messages = excluded.messages, "
    "folded_through = excluded.folded_through, hot_messages = excluded.hot_messages, "
    "hot_tokens = excluded.hot_tokens, last_at = excluded.last_at, closed = excluded.closed, "
    "quiet_since = excluded.quiet_since"};
// A job that was given up is one too: nobody begins another before somebody has looked at it.
#define BELFRY_WITHOUT_JOB \
    "hot_messages > 0 AND NOT EXISTS (SELECT 1 FROM fold_jobs j WHERE j.thread_id = t.thread_id AND j.state <> 2) "
constexpr Sql select_idle{"SELECT " BELFRY_THREAD_COLUMNS
                          " FROM agent_threads t WHERE quiet_since < $1 AND " BELFRY_WITHOUT_JOB
                          "ORDER BY quiet_since LIMIT $2"};
constexpr Sql select_oldest_hot{"SELECT quiet_since FROM agent_threads t WHERE " BELFRY_WITHOUT_JOB
                                "ORDER BY quiet_since LIMIT 1"};
constexpr Sql select_hot{BELFRY_THREADS
                         "WHERE agent_id = $1 AND hot_messages > 0 ORDER BY last_at, thread_id LIMIT $2"};
constexpr Sql select_raw_after{BELFRY_LISTED_MESSAGES
                               "WHERE m.thread_id = $1 AND m.position > $2 AND m.kind <> 5 ORDER BY m.position LIMIT "
                               "$3"};

constexpr Sql insert_summary{"INSERT INTO memory_summaries (" BELFRY_SUMMARY_COLUMNS
                             ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"};
constexpr Sql update_folded{
    "UPDATE memory_summaries SET folded_into = $5 WHERE agent_id = $1 AND depth = $2 AND position >= $3 AND "
    "position <= $4 AND folded_into IS NULL"};
constexpr Sql update_unfolded{"UPDATE memory_summaries SET folded_into = NULL WHERE folded_into = $1"};
constexpr Sql delete_summary{"DELETE FROM memory_summaries WHERE message_id = $1"};
constexpr Sql select_covering{BELFRY_SUMMARIES
                              "WHERE thread_id = $1 AND depth = 1 AND end_position >= $2 AND start_position <= $3 "
                              "ORDER BY end_position"};

constexpr Sql upsert_job{
    "INSERT INTO fold_jobs (" BELFRY_JOB_COLUMNS
    ", due_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) "
    "ON CONFLICT (job_id) DO UPDATE SET agent_id = excluded.agent_id, user_id = excluded.user_id, "
    "thread_id = excluded.thread_id, depth = excluded.depth, start_message_id = excluded.start_message_id, "
    "end_message_id = excluded.end_message_id, start_position = excluded.start_position, "
    "end_position = excluded.end_position, messages = excluded.messages, state = excluded.state, "
    "attempts = excluded.attempts, next_attempt_at = excluded.next_attempt_at, lease_until = excluded.lease_until, "
    "summarizer = excluded.summarizer, last_error = excluded.last_error, created_at = excluded.created_at, "
    "updated_at = excluded.updated_at, summary_id = excluded.summary_id, due_at = excluded.due_at"};
constexpr Sql select_open_job{BELFRY_JOBS "WHERE thread_id = $1 AND state <> 2"};
constexpr Sql select_due_jobs{BELFRY_JOBS "WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at LIMIT $2"};
constexpr Sql select_running{BELFRY_JOBS "WHERE due_at IS NOT NULL AND state = 1 ORDER BY due_at"};
constexpr Sql select_next_due{"SELECT due_at FROM fold_jobs WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"};
constexpr Sql delete_done{
    "DELETE FROM fold_jobs WHERE job_id IN (SELECT job_id FROM fold_jobs WHERE state = 2 AND updated_at < $1 ORDER BY "
    "updated_at LIMIT $2)"};

// What is to be taken away: of an agent by time, of a thread by position.
constexpr Sql select_of_agent{BELFRY_LISTED_MESSAGES
                              "WHERE m.agent_id = $1 AND m.created_at < $2 AND m.kind <> 5 ORDER BY m.created_at, "
                              "m.position LIMIT $3"};
constexpr Sql select_of_thread{BELFRY_LISTED_MESSAGES
                               "WHERE m.thread_id = $4 AND m.position > 0 AND m.kind <> 5 AND m.agent_id = $1 AND "
                               "m.created_at < $2 ORDER BY m.position LIMIT $3"};
// Those of the kind are gone along, each with a look at its thread.
constexpr Sql select_folded_messages{
    "SELECT " BELFRY_AGENT_MESSAGE_FIELDS
    "m.content_json FROM agent_messages m CROSS JOIN agent_threads t WHERE t.thread_id = m.thread_id AND m.kind = $1 "
    "AND m.created_at < $2 AND m.position <= t.folded_through ORDER BY m.created_at LIMIT $3"};

constexpr Sql delete_words{"DELETE FROM memory_words WHERE rowid = $1"};
#define BELFRY_USER_OF_AGENT "user_id = (SELECT user_id FROM agents WHERE agent_id = $1)"
constexpr Sql delete_links_from{"DELETE FROM links WHERE " BELFRY_USER_OF_AGENT " AND from_id = $2"};
// Of those that lead to it, which name it as text.
constexpr Sql delete_links_to{"DELETE FROM links WHERE " BELFRY_USER_OF_AGENT " AND to_id = $2"};
constexpr Sql delete_payload{"DELETE FROM agent_payloads WHERE entry_id = $1"};
constexpr Sql delete_message{"DELETE FROM agent_messages WHERE position = $1 AND message_id = $2"};

Param rows_of(std::size_t limit) {
    return number(std::uint64_t{limit});
}

// When somebody has to look after it.
Param due_of(const model::FoldJob& job) {
    if (job.state == model::FoldState::pending) return number(job.next_attempt_at);
    if (job.state == model::FoldState::running) return number(job.lease_until.value_or(job.next_attempt_at));
    return {};
}

base::Result<std::optional<base::Timestamp>> first_time(Database& database, const Sql& sql) {
    std::optional<base::Timestamp> first;
    TRY(database.run(sql, {}, [&](const Row& row) { first = base::Timestamp{row.number(0)}; }));
    return first;
}

}  // namespace

base::Result<void> SqlMemoryTable::put_thread(const model::AgentThread& thread) {
    TRY(database_.run(
        upsert_thread,
        {bytes(thread.thread_id), bytes(thread.agent_id), bytes(thread.user_id), number(thread.messages),
         number(thread.folded_through), number(thread.hot_messages), number(thread.hot_tokens), number(thread.last_at),
         choice(thread.is_closed), thread.is_closed ? number(std::int64_t{0}) : number(thread.last_at)}));
    return {};
}

base::Result<std::vector<model::AgentThread>> SqlMemoryTable::idle_threads(base::Timestamp older_than,
                                                                           std::size_t limit) {
    return select(database_, "agent_threads", select_idle, {number(older_than), rows_of(limit)}, read_thread);
}

base::Result<std::optional<base::Timestamp>> SqlMemoryTable::oldest_hot() {
    return first_time(database_, select_oldest_hot);
}

base::Result<std::vector<model::AgentThread>> SqlMemoryTable::hot_threads(std::string_view agent_id,
                                                                          std::size_t limit) {
    return select(database_, "agent_threads", select_hot, {bytes(agent_id), rows_of(limit)}, read_thread);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryTable::raw_after(std::string_view thread_id, std::int64_t after,
                                                                         std::size_t limit) {
    return select(database_, "agent_messages", select_raw_after, {bytes(thread_id), number(after), rows_of(limit)},
                  read_agent_message);
}

base::Result<void> SqlMemoryTable::add_summary(const model::SummaryPlace& place) {
    TRY(database_.run(insert_summary, {bytes(place.message_id), number(place.position), bytes(place.agent_id),
                                       bytes(place.thread_id), number(place.depth), number(place.start_position),
                                       number(place.end_position), number(place.tokens), maybe(place.folded_into)}));
    return {};
}

base::Result<void> SqlMemoryTable::fold_summaries(std::string_view agent_id, std::int64_t depth, std::int64_t from,
                                                  std::int64_t through, const base::Uuid& into) {
    TRY(database_.run(update_folded, {bytes(agent_id), number(depth), number(from), number(through), bytes(into)}));
    return {};
}

base::Result<void> SqlMemoryTable::add_words(std::span<const Words> messages) {
    return store::add_words(database_, messages);
}

base::Result<std::size_t> SqlMemoryTable::index_more(std::size_t limit, WordsOf words_of) {
    TRY_ASSIGN(const std::size_t indexed, index_older(database_, limit, words_of));
    if (indexed > 0) return indexed;
    TRY_ASSIGN(const bool has_cleaned, clean_words(database_));
    return std::size_t{has_cleaned ? 1U : 0U};
}

base::Result<void> SqlMemoryTable::put_job(const model::FoldJob& job) {
    TRY(database_.run(upsert_job, {bytes(job.id),
                                   bytes(job.agent_id),
                                   bytes(job.user_id),
                                   bytes(job.thread_id),
                                   number(job.depth),
                                   bytes(job.start_message_id),
                                   bytes(job.end_message_id),
                                   number(job.start_position),
                                   number(job.end_position),
                                   number(job.messages),
                                   choice(job.state),
                                   number(job.attempts),
                                   number(job.next_attempt_at),
                                   maybe(job.lease_until),
                                   choice(job.summarizer),
                                   bytes(job.last_error),
                                   number(job.created_at),
                                   number(job.updated_at),
                                   maybe(job.summary_id),
                                   due_of(job)}));
    return {};
}

base::Result<std::optional<model::FoldJob>> SqlMemoryTable::open_job(std::string_view thread_id) {
    return select_one(database_, "fold_jobs", select_open_job, {bytes(thread_id)}, read_job);
}

base::Result<std::vector<model::FoldJob>> SqlMemoryTable::due_jobs(base::Timestamp now, std::size_t limit) {
    return select(database_, "fold_jobs", select_due_jobs, {number(now), rows_of(limit)}, read_job);
}

base::Result<std::vector<model::FoldJob>> SqlMemoryTable::running_jobs() {
    return select(database_, "fold_jobs", select_running, {}, read_job);
}

base::Result<std::optional<base::Timestamp>> SqlMemoryTable::next_job_at() {
    return first_time(database_, select_next_due);
}

base::Result<std::uint64_t> SqlMemoryTable::drop_jobs(base::Timestamp older_than, std::size_t limit) {
    TRY_ASSIGN(const std::int64_t gone, database_.run(delete_done, {number(older_than), rows_of(limit)}));
    return static_cast<std::uint64_t>(gone);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryTable::raw_messages(std::string_view agent_id,
                                                                            std::string_view thread_id,
                                                                            std::optional<base::Timestamp> before,
                                                                            std::size_t limit) {
    const Param agent = bytes(agent_id);
    const Param time = number(before.value_or(base::Timestamp{std::numeric_limits<std::int64_t>::max()}));
    if (thread_id.empty()) {
        return select(database_, "agent_messages", select_of_agent, {agent, time, rows_of(limit)}, read_agent_message);
    }
    return select(database_, "agent_messages", select_of_thread, {agent, time, rows_of(limit), bytes(thread_id)},
                  read_agent_message);
}

base::Result<std::vector<model::SummaryPlace>> SqlMemoryTable::covering(std::string_view thread_id, std::int64_t from,
                                                                        std::int64_t through) {
    return select(database_, "memory_summaries", select_covering, {bytes(thread_id), number(from), number(through)},
                  read_summary);
}

base::Result<std::uint64_t> SqlMemoryTable::remove_messages(std::span<const model::AgentMessage> messages) {
    std::uint64_t gone = 0;
    for (const model::AgentMessage& message : messages) {
        TRY_ASSIGN(const std::int64_t removed,
                   database_.run(delete_message, {number(message.position), bytes(message.id)}));
        if (removed == 0) continue;
        ++gone;
        TRY(database_.run(delete_words, {number(message.position)}));
        const std::string name = base::format_uuid(message.id);
        TRY(database_.run(delete_links_from, {bytes(message.agent_id), bytes(message.id)}));
        TRY(database_.run(delete_links_to, {bytes(message.agent_id), bytes(name)}));
        if (message.content_entry_id) TRY(database_.run(delete_payload, {bytes(*message.content_entry_id)}));
    }
    if (gone > 0) TRY(note_removed_words(database_));
    return gone;
}

base::Result<void> SqlMemoryTable::remove_summaries(std::span<const model::SummaryPlace> places) {
    for (const model::SummaryPlace& place : places) TRY(database_.run(delete_summary, {bytes(place.message_id)}));
    return {};
}

base::Result<void> SqlMemoryTable::unfold(const base::Uuid& summary) {
    TRY(database_.run(update_unfolded, {bytes(summary)}));
    return {};
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryTable::folded_messages(model::AgentMessageKind kind,
                                                                               base::Timestamp older_than,
                                                                               std::size_t limit) {
    return select(database_, "agent_messages", select_folded_messages,
                  {choice(kind), number(older_than), rows_of(limit)}, read_agent_message);
}

}  // namespace belfry::store
