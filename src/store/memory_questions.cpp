#include "store/memory_questions.hpp"

#include <algorithm>
#include <utility>

#include "base/memory_limits.hpp"
#include "store/agent_message_row.hpp"
#include "store/memory_row.hpp"
#include "store/memory_words.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_thread{BELFRY_THREADS "WHERE thread_id = $1"};
constexpr Sql select_newest_raw{BELFRY_LISTED_MESSAGES
                                "WHERE m.thread_id = $1 AND m.position < $2 AND m.kind <> 5 ORDER BY m.position DESC "
                                "LIMIT $3"};
constexpr Sql select_raw_span{BELFRY_WHOLE_MESSAGES
                              "WHERE m.thread_id = $1 AND m.position > $2 AND m.position <= $3 AND m.kind <> 5 ORDER "
                              "BY m.position LIMIT $4"};
constexpr Sql select_summary{BELFRY_SUMMARIES "WHERE message_id = $1"};
// In the order of its index, so that no more is read than there is room for.
#define BELFRY_UNFOLDED "agent_id = $1 AND folded_into IS NULL ORDER BY depth DESC, s.position DESC LIMIT $2"
constexpr Sql select_unfolded{"SELECT " BELFRY_SUMMARY_COLUMNS " FROM memory_summaries s WHERE " BELFRY_UNFOLDED};
// Their messages are found by position, which is the key of those.
constexpr Sql select_frontier{"SELECT " BELFRY_SUMMARY_COLUMNS_OF_S
                              ", " BELFRY_AGENT_MESSAGE_FIELDS BELFRY_WHOLE_CONTENT
                              "FROM memory_summaries s CROSS JOIN agent_messages m " BELFRY_JOIN_PAYLOADS
                              "WHERE m.position = s.position AND s." BELFRY_UNFOLDED};
constexpr Sql select_folded_into{BELFRY_SUMMARIES "WHERE folded_into = $1 ORDER BY position"};
constexpr Sql select_job{BELFRY_JOBS "WHERE job_id = $1"};
// Along the agent's threads with messages that no summary covers, each with a look at its open job.
constexpr Sql select_waiting_jobs{
    "SELECT " BELFRY_JOB_COLUMNS_OF_J
    " FROM agent_threads t CROSS JOIN fold_jobs j WHERE t.agent_id = $1 AND t.hot_messages > 0 AND t.thread_id <> $2 "
    "AND (t.closed <> 0 OR t.last_at <= $3 OR (t.hot_messages > 1 AND (t.hot_messages > $4 OR t.hot_tokens > $5))) AND "
    "j.thread_id = t.thread_id AND j.state <> 2 AND j.depth = 1 AND j.start_position > t.folded_through ORDER BY "
    "t.last_at DESC, t.thread_id DESC LIMIT $6"};

ports::StoredSummary read_stored_summary(RowReader& row) {
    model::SummaryPlace place = read_summary(row);
    return {std::move(place), read_agent_message(row)};
}

std::pair<std::int64_t, std::int64_t> deepest_first(const model::SummaryPlace& place) {
    return {-place.depth, place.position};
}

}  // namespace

base::Result<std::optional<model::AgentThread>> SqlMemoryQuestions::thread(std::string_view thread_id) {
    return select_one(database_, "agent_threads", select_thread, {bytes(thread_id)}, read_thread);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryQuestions::newest_raw(std::string_view thread_id,
                                                                              std::int64_t before, std::size_t limit) {
    return select(database_, "agent_messages", select_newest_raw,
                  {bytes(thread_id), number(before), number(std::uint64_t{limit})}, read_agent_message);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryQuestions::raw_span(std::string_view thread_id,
                                                                            std::int64_t after, std::int64_t through,
                                                                            std::size_t limit) {
    return select(database_, "agent_messages", select_raw_span,
                  {bytes(thread_id), number(after), number(through), number(std::uint64_t{limit})}, read_agent_message);
}

base::Result<std::optional<model::SummaryPlace>> SqlMemoryQuestions::summary(const base::Uuid& id) {
    return select_one(database_, "memory_summaries", select_summary, {bytes(id)}, read_summary);
}

base::Result<std::vector<model::SummaryPlace>> SqlMemoryQuestions::unfolded(std::string_view agent_id) {
    TRY_ASSIGN(std::vector<model::SummaryPlace> found,
               select(database_, "memory_summaries", select_unfolded,
                      {bytes(agent_id), number(std::uint64_t{base::limits::summaries_read_max})}, read_summary));
    std::ranges::sort(found, {}, deepest_first);
    return found;
}

base::Result<std::vector<ports::StoredSummary>> SqlMemoryQuestions::frontier(std::string_view agent_id) {
    TRY_ASSIGN(std::vector<ports::StoredSummary> found,
               select(database_, "memory_summaries", select_frontier,
                      {bytes(agent_id), number(std::uint64_t{base::limits::summaries_read_max})}, read_stored_summary));
    std::ranges::sort(found, {}, [](const ports::StoredSummary& one) { return deepest_first(one.place); });
    return found;
}

base::Result<std::vector<model::SummaryPlace>> SqlMemoryQuestions::folded_into(const base::Uuid& id) {
    return select(database_, "memory_summaries", select_folded_into, {bytes(id)}, read_summary);
}

base::Result<std::optional<model::FoldJob>> SqlMemoryQuestions::job(const base::Uuid& id) {
    return select_one(database_, "fold_jobs", select_job, {bytes(id)}, read_job);
}

base::Result<std::vector<model::FoldJob>> SqlMemoryQuestions::waiting_jobs(const ports::WaitingJobFilter& filter) {
    return select(database_, "fold_jobs", select_waiting_jobs,
                  {bytes(filter.agent_id), bytes(filter.but_thread_id), number(filter.idle_since),
                   number(filter.hot_messages), number(filter.hot_tokens), number(std::uint64_t{filter.limit})},
                  read_job);
}

base::Result<std::vector<model::AgentMessage>> SqlMemoryQuestions::recall(const ports::RecallFilter& filter) {
    return find_words(database_, filter);
}

}  // namespace belfry::store
