#pragma once

#include "model/memory.hpp"
#include "store/row_reader.hpp"

// Rows of how memory is folded, as both sides of the store read them.
namespace belfry::store {

#define BELFRY_THREAD_COLUMNS \
    "thread_id, agent_id, user_id, messages, folded_through, hot_messages, hot_tokens, last_at, closed"
#define BELFRY_SUMMARY_COLUMNS \
    "message_id, position, agent_id, thread_id, depth, start_position, end_position, tokens, folded_into"
#define BELFRY_SUMMARY_COLUMNS_OF_S                                                                            \
    "s.message_id, s.position, s.agent_id, s.thread_id, s.depth, s.start_position, s.end_position, s.tokens, " \
    "s.folded_into"
#define BELFRY_JOB_COLUMNS                                                                                          \
    "job_id, agent_id, user_id, thread_id, depth, start_message_id, end_message_id, start_position, end_position, " \
    "messages, state, attempts, next_attempt_at, lease_until, summarizer, last_error, created_at, updated_at, "     \
    "summary_id"
#define BELFRY_JOB_COLUMNS_OF_J                                                                                       \
    "j.job_id, j.agent_id, j.user_id, j.thread_id, j.depth, j.start_message_id, j.end_message_id, j.start_position, " \
    "j.end_position, j.messages, j.state, j.attempts, j.next_attempt_at, j.lease_until, j.summarizer, j.last_error, " \
    "j.created_at, j.updated_at, j.summary_id"
#define BELFRY_THREADS "SELECT " BELFRY_THREAD_COLUMNS " FROM agent_threads "
#define BELFRY_SUMMARIES "SELECT " BELFRY_SUMMARY_COLUMNS " FROM memory_summaries "
#define BELFRY_JOBS "SELECT " BELFRY_JOB_COLUMNS " FROM fold_jobs "

model::AgentThread read_thread(RowReader& row);
model::SummaryPlace read_summary(RowReader& row);
model::FoldJob read_job(RowReader& row);

}  // namespace belfry::store
