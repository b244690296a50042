#include "store/agent_message_row.hpp"

namespace belfry::store {

model::AgentMessage read_agent_message(RowReader& row) {
    model::AgentMessage message;
    message.position = row.number();
    message.id = row.uuid();
    message.agent_id = row.text();
    message.thread_id = row.text();
    message.kind = row.choice(model::AgentMessageKind::system);
    message.created_at = row.time();
    message.prev_message_id = row.maybe_uuid();
    message.content_entry_id = row.maybe_uuid();
    message.trigger_source_id = row.maybe_text().value_or("");
    message.summary_start_message_id = row.maybe_uuid();
    message.summary_end_message_id = row.maybe_uuid();
    message.summary_depth = row.number();
    message.tokens_approx = row.number();
    message.metadata.action_ref_id = row.maybe_uuid();
    message.metadata.operation_id = row.maybe_text().value_or("");
    if (!row.skip_null()) message.metadata.status = row.choice(model::ToolStatus::partial);
    message.metadata.error_code = row.maybe_text().value_or("");
    message.metadata.error_message = row.maybe_text().value_or("");
    message.metadata.extension = row.json();
    model::read_envelope({row.bytes()}, message);
    message.content = row.json();
    return message;
}

}  // namespace belfry::store
