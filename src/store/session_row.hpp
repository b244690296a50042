#pragma once

#include <string>
#include <string_view>

#include "model/session.hpp"
#include "store/row_reader.hpp"

// What the writing and the reading side of sessions share.
namespace belfry::store {

#define BELFRY_SESSION_COLUMNS                                                                                      \
    "session_id, user_id, user_is_default, agent_id, title, metadata_json, budget_json, progress_json, head_node, " \
    "head_system_messages, next_handle, next_message, turns_started, last_turn_started_at, last_turn_ended_at, "    \
    "aware_no, deleted_at, timeout_due_at, created_at, updated_at"
#define BELFRY_NODE_COLUMNS "node_id, session_id, parent_id, created_at, system_messages_json"
#define BELFRY_MESSAGE_COLUMNS "message_id, node_id, session_id, ordinal, role, created_at, metadata_json, content"

model::Session read_session(RowReader& row);
model::ContextNode read_node(RowReader& row);
model::SessionMessage read_message(RowReader& row);

std::string write_budget(const model::Budget& budget);
std::string write_progress(const model::Progress& progress);

// $1: session_id.
extern const Sql select_session;
// $1: session_id, $2: node_id.
extern const Sql select_node;

}  // namespace belfry::store
