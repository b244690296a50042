#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/notification.hpp"
#include "store/row_reader.hpp"

// What the writing and the reading side of notifications share.
namespace belfry::store {

#define BELFRY_NOTIFICATION_COLUMNS                                                                                  \
    "ordinal, notification_id, user_id, session_id, agent_id, subscriber_id, due_class, severity, address, target, " \
    "handler, follow_up, model_tokens, version, created_at, state, outcome, ended_at, handle, lease, holder, "       \
    "lease_until, pull_id, passed_over, events_json, content, human_text, directive"

// Of a row of BELFRY_NOTIFICATION_COLUMNS.
model::Notification read_notification(RowReader& row);

std::string write_events(const std::vector<model::NotifiedEvent>& events);
std::vector<model::NotifiedEvent> read_events(RowReader& row);

// Which queue of agents a scope's notifications wait in: that of its session, or of its user where it has none.
std::string queue_of(const model::Scope& scope);
// The session in which its handle counts: its own; where it has none, the one that holds it.
const std::string& handed_to(const model::Notification& notification);

// $1: notification_id.
extern const Sql select_notification;
// $1: session, $2: handle.
extern const Sql select_handle;

}  // namespace belfry::store
