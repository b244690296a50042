#include "store/memory_row.hpp"

namespace belfry::store {

model::AgentThread read_thread(RowReader& row) {
    model::AgentThread thread;
    thread.thread_id = row.text();
    thread.agent_id = row.text();
    thread.user_id = row.text();
    thread.messages = row.number();
    thread.folded_through = row.number();
    thread.hot_messages = row.number();
    thread.hot_tokens = row.number();
    thread.last_at = row.time();
    thread.is_closed = row.flag();
    return thread;
}

model::SummaryPlace read_summary(RowReader& row) {
    model::SummaryPlace place;
    place.message_id = row.uuid();
    place.position = row.number();
    place.agent_id = row.text();
    place.thread_id = row.text();
    place.depth = row.number();
    place.start_position = row.number();
    place.end_position = row.number();
    place.tokens = row.number();
    place.folded_into = row.maybe_uuid();
    return place;
}

model::FoldJob read_job(RowReader& row) {
    model::FoldJob job;
    job.id = row.uuid();
    job.agent_id = row.text();
    job.user_id = row.text();
    job.thread_id = row.text();
    job.depth = row.number();
    job.start_message_id = row.uuid();
    job.end_message_id = row.uuid();
    job.start_position = row.number();
    job.end_position = row.number();
    job.messages = row.number();
    job.state = row.choice(model::FoldState::failed_terminal);
    job.attempts = row.number();
    job.next_attempt_at = row.time();
    job.lease_until = row.maybe_time();
    job.summarizer = row.choice(model::Summarizer::model);
    job.last_error = row.text();
    job.created_at = row.time();
    job.updated_at = row.time();
    job.summary_id = row.maybe_uuid();
    return job;
}

}  // namespace belfry::store
