#pragma once

#include "model/agent_message.hpp"
#include "store/row_reader.hpp"

// Rows of what agents remember, as all that ask for them read them.
namespace belfry::store {

#define BELFRY_AGENT_MESSAGE_FIELDS                                                                                \
    "m.position, m.message_id, m.agent_id, m.thread_id, m.kind, m.created_at, m.prev_message_id, "                 \
    "m.content_entry_id, m.trigger_source_id, m.summary_start_message_id, m.summary_end_message_id, "              \
    "m.summary_depth, m.tokens_approx, m.action_ref_id, m.operation_id, m.status, m.error_code, m.error_message, " \
    "m.extension_json, m.envelope_json, "
#define BELFRY_WHOLE_CONTENT "coalesce(p.content_json, m.content_json) "
#define BELFRY_JOIN_PAYLOADS "LEFT JOIN agent_payloads p ON p.entry_id = m.content_entry_id "
#define BELFRY_WHOLE_MESSAGES \
    "SELECT " BELFRY_AGENT_MESSAGE_FIELDS BELFRY_WHOLE_CONTENT "FROM agent_messages m " BELFRY_JOIN_PAYLOADS
#define BELFRY_LISTED_MESSAGES "SELECT " BELFRY_AGENT_MESSAGE_FIELDS "m.content_json FROM agent_messages m "

model::AgentMessage read_agent_message(RowReader& row);

}  // namespace belfry::store
