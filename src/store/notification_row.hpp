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
    "handler, follow_up, model_tokens, version, created_at, state, outcome, ended_at, handed_to, handle, lease, "    \
    "holder, "                                                                                                       \
    "lease_until, pull_id, passed_over, events_json, content, human_text, directive"

// Of a row of BELFRY_NOTIFICATION_COLUMNS.
model::Notification read_notification(RowReader& row);

// Priority and point of a class.
void read_due_class(RowReader& row, model::Notification& into);

std::string write_events(const std::vector<model::NotifiedEvent>& events);
std::vector<model::NotifiedEvent> read_events(RowReader& row);

// Which queue of agents a scope's notifications wait in: that of its session, or of its user where it has none.
std::string queue_of(const model::Scope& scope);

// $1: notification_id.
extern const Sql select_notification;
// $1: session, $2: handle.
extern const Sql select_handle;

}  // namespace belfry::store
