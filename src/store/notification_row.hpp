#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/notification.hpp"
#include "store/row_reader.hpp"

// What the writing and the reading side of notifications share.
namespace belfry::store {

// What a notification is born with and keeps.
#define BELFRY_NOTIFICATION_BIRTH \
    "notification_id, ordinal, user_id, subscriber_id, created_at, emitter, depth, caused_by, follows, retry_of"
// Its way: what changes with every step.
#define BELFRY_NOTIFICATION_WAY                                                                                        \
    "inbox, shown_at, state, outcome, ended_at, handed_to, handle, lease, holder, lease_until, pull_id, passed_over, " \
    "deadline, narration, seen_at, acted_at, dismissed_at, used_tools, answered_at"
// What it says and where it belongs, which hardly ever changes.
#define BELFRY_NOTIFICATION_MATTER                                                                                  \
    "queue, priority, event_rows, session_id, agent_id, due_class, severity, address, target, handler, "            \
    "follow_up, model_tokens, version, events_json, content, human_text, directive, deduplication_key, tone_hint, " \
    "metadata_json, ttl, deadline_max"

#define BELFRY_NOTIFICATION_COLUMNS                                                                                  \
    "ordinal, notification_id, user_id, session_id, agent_id, subscriber_id, due_class, severity, address, target, " \
    "handler, follow_up, model_tokens, version, created_at, state, outcome, ended_at, handed_to, handle, lease, "    \
    "holder, lease_until, pull_id, passed_over, emitter, deduplication_key, tone_hint, metadata_json, ttl, "         \
    "deadline, deadline_max, depth, caused_by, follows, retry_of, narration, seen_at, acted_at, dismissed_at, "      \
    "used_tools, answered_at, events_json, content, human_text, directive, shown_at, aware_no, aware_fact"
#define BELFRY_NOTIFICATIONS "SELECT " BELFRY_NOTIFICATION_COLUMNS " FROM notifications "

// Of a row of BELFRY_NOTIFICATION_COLUMNS.
model::Notification read_notification(RowReader& row);

// Priority and point of a class.
void read_due_class(RowReader& row, model::Notification& into);

std::string write_events(const std::vector<model::NotifiedEvent>& events);
std::vector<model::NotifiedEvent> read_events(RowReader& row);

// Steps are stored as they are, but for that of a birth: its column of the reason also says what was asked for,
// `emitted session user agent`. Rows from before that say `emitted` alone.
std::string birth_text(const model::Transition& step);
// Of notification_id, ordinal, happened_at, from_state, to_state, lease, holder and reason.
model::Transition read_step(RowReader& row);

// A fact's version and status in one number.
std::int64_t fact_code(const model::Fact& fact);

// Whether an agent speaks of it, or is the only one to know: its channel is C.
bool is_for_agent(const model::Notification& notification);

// What follows from the rest of a notification and is stored for the sake of finding it.
struct Derived {
    explicit Derived(const model::Notification& notification);
    std::string events;
    std::string used_tools;  // empty: none
    std::string queue;
    bool is_in_queue = false;
    std::optional<std::int64_t> inbox;        // 1: unread
    std::optional<base::Timestamp> shown_at;  // the time of its fact
};
// The values of the three groups of columns; they point into both.
std::vector<Param> birth_of(const model::Notification& notification);
std::vector<Param> way_of(const model::Notification& notification, const Derived& derived);
std::vector<Param> matter_of(const model::Notification& notification, const Derived& derived);

// $1: notification_id.
extern const Sql select_notification;
// $1: session, $2: handle.
extern const Sql select_handle;

}  // namespace belfry::store
