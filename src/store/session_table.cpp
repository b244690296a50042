#include "store/session_table.hpp"

#include <limits>

#include "model/number.hpp"
#include "store/notification_table.hpp"
#include "store/session_row.hpp"
#include "store/waiting_table.hpp"

namespace belfry::store {
namespace {

constexpr Sql upsert_session{
    "INSERT INTO sessions (" BELFRY_SESSION_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) "
    "ON CONFLICT (session_id) DO UPDATE SET user_id = excluded.user_id, user_is_default = excluded.user_is_default, "
    "agent_id = excluded.agent_id, title = excluded.title, metadata_json = excluded.metadata_json, "
    "budget_json = excluded.budget_json, progress_json = excluded.progress_json, head_node = excluded.head_node, "
    "head_system_messages = excluded.head_system_messages, next_handle = excluded.next_handle, "
    "next_message = excluded.next_message, turns_started = excluded.turns_started, last_turn_started_at = "
    "excluded.last_turn_started_at, "
    "last_turn_ended_at = excluded.last_turn_ended_at, aware_no = excluded.aware_no, deleted_at = "
    "excluded.deleted_at, "
    "timeout_due_at = excluded.timeout_due_at, "
    "created_at = excluded.created_at, updated_at = excluded.updated_at"};
// The one writer counts the nodes; clocks may stand still or go back.
constexpr Sql insert_node{"INSERT INTO context_nodes (ordinal, " BELFRY_NODE_COLUMNS
                          ") VALUES ((SELECT coalesce(max(ordinal), 0) + 1 FROM context_nodes), $1, $2, $3, $4, $5)"};
// The array's last byte is its bracket.
constexpr Sql append_to_node{
    "UPDATE context_nodes SET system_messages_json = CASE WHEN length(system_messages_json) > 2 "
    "THEN byteacat(substr(system_messages_json, 1, length(system_messages_json) - 1), $2) ELSE $3 END "
    "WHERE node_id = $1"};
constexpr Sql replace_in_node{"UPDATE context_nodes SET system_messages_json = $2 WHERE node_id = $1"};
constexpr Sql select_nodes_back{"SELECT ordinal, " BELFRY_NODE_COLUMNS
                                " FROM context_nodes WHERE session_id = $1 AND ordinal < $2 ORDER BY ordinal DESC "
                                "LIMIT $3"};
constexpr Sql insert_message{"INSERT INTO messages (" BELFRY_MESSAGE_COLUMNS
                             ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"};

constexpr Sql select_message{"SELECT ordinal FROM messages WHERE message_id = $1"};

#define BELFRY_REMINDER_COLUMNS "reminder_id, session_id, user_id, due_turn, context_above, created_at, payload_json"
constexpr Sql insert_reminder{"INSERT INTO reminders (" BELFRY_REMINDER_COLUMNS
                              ") VALUES ($1, $2, $3, $4, $5, $6, $7)"};
constexpr Sql select_reminders{"SELECT " BELFRY_REMINDER_COLUMNS
                               " FROM reminders WHERE session_id = $1 ORDER BY created_at, reminder_id"};
constexpr Sql delete_reminder{"DELETE FROM reminders WHERE reminder_id = $1"};

constexpr Sql empty_messages{"DELETE FROM messages WHERE session_id = $1"};
constexpr Sql empty_nodes{"DELETE FROM context_nodes WHERE session_id = $1"};
// Whoever waits for the answer to one that was withdrawn is to learn of that; its words go.
constexpr Sql empty_interactions{"DELETE FROM interactions WHERE session_id = $1 AND state <> 3"};
constexpr Sql blank_interactions{
    "UPDATE interactions SET message = $2, tool_name = $2, arguments_json = NULL, schema_json = NULL "
    "WHERE session_id = $1"};
constexpr Sql empty_reminders{"DELETE FROM reminders WHERE session_id = $1"};

constexpr Sql select_next_timeout{"SELECT min(timeout_due_at) FROM sessions WHERE timeout_due_at IS NOT NULL"};
constexpr Sql select_timed_out{
    "SELECT session_id FROM sessions WHERE timeout_due_at <= $1 ORDER BY timeout_due_at LIMIT $2"};

constexpr Sql erase_messages{
    "DELETE FROM messages WHERE message_id IN (SELECT m.message_id FROM sessions s JOIN messages m "
    "ON m.session_id = s.session_id WHERE s.user_id = $1 LIMIT $2)"};
constexpr Sql erase_nodes{
    "DELETE FROM context_nodes WHERE ordinal IN (SELECT n.ordinal FROM sessions s JOIN context_nodes n "
    "ON n.session_id = s.session_id WHERE s.user_id = $1 LIMIT $2)"};
constexpr Sql erase_reminders{
    "DELETE FROM reminders WHERE reminder_id IN (SELECT r.reminder_id FROM sessions s JOIN reminders r "
    "ON r.session_id = s.session_id WHERE s.user_id = $1 LIMIT $2)"};
constexpr Sql erase_interactions{
    "DELETE FROM interactions WHERE ordinal IN (SELECT ordinal FROM interactions WHERE user_id = $1 LIMIT $2)"};
constexpr Sql erase_own_reminders{
    "DELETE FROM reminders WHERE reminder_id IN (SELECT reminder_id FROM reminders WHERE user_id = $1 LIMIT $2)"};
// Handles begin anew in a session that comes after it under the same id. What is somebody else's and was handed over in
// this one gets another where it is handed over next.
constexpr Sql forget_handles{
    "UPDATE notifications SET handed_to = $2, handle = 0 WHERE handle > 0 AND handed_to IN "
    "(SELECT session_id FROM sessions WHERE user_id = $1)"};
constexpr Sql erase_sessions{
    "DELETE FROM sessions WHERE session_id IN (SELECT session_id FROM sessions WHERE user_id = $1 LIMIT $2)"};

model::Reminder read_reminder(RowReader& row) {
    model::Reminder reminder;
    reminder.id = row.uuid();
    reminder.session_id = row.text();
    reminder.user_id = row.text();
    reminder.due_turn = row.number();
    reminder.context_above = model::nearest_double(row.bytes());
    reminder.created_at = row.time();
    reminder.payload = row.json();
    return reminder;
}

struct PlacedNode {
    std::int64_t ordinal = 0;
    model::ContextNode node;
};
PlacedNode read_placed_node(RowReader& row) {
    const std::int64_t ordinal = row.number();
    return {ordinal, read_node(row)};
}

bool tells_of(const model::ContextNode& node, std::string_view notification_id) {
    model::JsonWalker messages(node.system_messages.view());
    while (const auto one = messages.next()) {
        const auto about = one->member("notification_id");
        if (about && about->as_text() == notification_id) return true;
    }
    return false;
}

std::string read_text(RowReader& row) {
    return row.text();
}

std::vector<Param> columns_of(const model::Session& s, const std::string& budget, const std::string& progress) {
    return {bytes(s.id),
            bytes(s.user_id),
            choice(s.user_is_default),
            bytes(s.agent_id),
            bytes(s.title),
            bytes(s.metadata.bytes()),
            bytes(budget),
            bytes(progress),
            bytes(s.head.uuid),
            number(s.head_system_messages),
            number(s.next_handle),
            number(s.next_message),
            number(s.turns_started),
            maybe(s.last_turn_started_at),
            maybe(s.last_turn_ended_at),
            s.aware_no ? number(*s.aware_no) : Param{},
            maybe(s.deleted_at),
            maybe(s.timeout_due_at),
            number(s.created_at),
            number(s.updated_at)};
}

}  // namespace

base::Result<std::vector<model::Session>> SqlSessionTable::find(std::span<const std::string> ids) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const std::string& id : ids) sets.push_back({bytes(id)});
    return select_many(database_, "sessions", select_session, sets, read_session);
}

base::Result<void> SqlSessionTable::put(std::span<const model::Session> sessions) {
    std::vector<std::string> kept;  // what the parameters point into
    kept.reserve(sessions.size() * 2);
    std::vector<std::vector<Param>> sets;
    sets.reserve(sessions.size());
    for (const model::Session& session : sessions) {
        const std::string& budget = kept.emplace_back(write_budget(session.budget));
        const std::string& progress = kept.emplace_back(write_progress(session.progress));
        sets.push_back(columns_of(session, budget, progress));
    }
    return database_.run_many(upsert_session, sets, {});
}

base::Result<void> SqlSessionTable::add_node(const model::ContextNode& node) {
    TRY(database_.run(insert_node,
                      {bytes(node.id.uuid), bytes(node.session_id), node.parent ? bytes(node.parent->uuid) : Param{},
                       number(node.created_at), bytes(node.system_messages.bytes())}));
    return {};
}

base::Result<std::optional<model::ContextNode>> SqlSessionTable::find_node(std::string_view session_id,
                                                                           const model::NodeId& id) {
    return select_one(database_, "context_nodes", select_node, {bytes(session_id), bytes(id.uuid)}, read_node);
}

base::Result<void> SqlSessionTable::append_system_messages(std::span<const SystemMessages> messages) {
    std::vector<std::string> kept;  // what the parameters point into
    kept.reserve(messages.size() * 2);
    std::vector<std::vector<Param>> sets;
    sets.reserve(messages.size());
    for (const SystemMessages& added : messages) {
        if (added.json.empty()) continue;
        const std::string& further = kept.emplace_back("," + added.json + "]");
        const std::string& first = kept.emplace_back("[" + added.json + "]");
        sets.push_back({bytes(added.node.uuid), bytes(further), bytes(first)});
    }
    return database_.run_many(append_to_node, sets, {});
}

base::Result<std::optional<model::ContextNode>> SqlSessionTable::find_system_message(std::string_view session_id,
                                                                                     const base::Uuid& notification_id,
                                                                                     base::Timestamp since) {
    constexpr std::uint64_t nodes_at_once = 8;
    const std::string wanted = base::format_uuid(notification_id);
    for (std::int64_t before = std::numeric_limits<std::int64_t>::max();;) {
        TRY_ASSIGN(std::vector<PlacedNode> nodes,
                   select(database_, "context_nodes", select_nodes_back,
                          {bytes(session_id), number(before), number(nodes_at_once)}, read_placed_node));
        for (auto& [ordinal, node] : nodes) {
            if (tells_of(node, wanted)) return std::optional(std::move(node));
            if (node.created_at < since) return std::optional<model::ContextNode>{};
            before = ordinal;
        }
        if (nodes.size() < nodes_at_once) return std::optional<model::ContextNode>{};
    }
}

base::Result<void> SqlSessionTable::put_system_messages(const model::ContextNode& node) {
    TRY(database_.run(replace_in_node, {bytes(node.id.uuid), bytes(node.system_messages.bytes())}));
    return {};
}

base::Result<void> SqlSessionTable::add_message(const model::SessionMessage& m) {
    TRY(database_.run(insert_message,
                      {bytes(m.id.uuid), bytes(m.node.uuid), bytes(m.session_id), number(m.ordinal), choice(m.role),
                       number(m.created_at), bytes(m.metadata.bytes()), bytes(m.content)}));
    return {};
}

base::Result<std::optional<std::int64_t>> SqlSessionTable::message_ordinal(const model::MessageId& id) {
    std::optional<std::int64_t> ordinal;
    TRY(database_.run(select_message, {bytes(id.uuid)}, [&](const Row& row) { ordinal = RowReader(row).number(); }));
    return ordinal;
}

base::Result<void> SqlSessionTable::add_reminder(const model::Reminder& reminder) {
    std::string share;
    model::append_real(share, reminder.context_above);
    TRY(database_.run(insert_reminder, {bytes(reminder.id), bytes(reminder.session_id), bytes(reminder.user_id),
                                        number(reminder.due_turn), bytes(share), number(reminder.created_at),
                                        bytes(reminder.payload.bytes())}));
    return {};
}

base::Result<std::vector<model::Reminder>> SqlSessionTable::reminders(std::string_view session_id) {
    return select(database_, "reminders", select_reminders, {bytes(session_id)}, read_reminder);
}

base::Result<void> SqlSessionTable::remove_reminder(const base::Uuid& id) {
    TRY(database_.run(delete_reminder, {bytes(id)}));
    return {};
}

base::Result<std::optional<base::Timestamp>> SqlSessionTable::next_timeout() {
    std::optional<base::Timestamp> due;
    TRY(database_.run(select_next_timeout, {}, [&](const Row& row) { due = RowReader(row).maybe_time(); }));
    return due;
}

base::Result<std::vector<std::string>> SqlSessionTable::timed_out(base::Timestamp now, std::size_t limit) {
    return select(database_, "sessions", select_timed_out, {number(now), number(std::uint64_t{limit})}, read_text);
}

base::Result<void> SqlSessionTable::empty(std::string_view id) {
    for (const Sql* deletion : {&empty_messages, &empty_nodes, &empty_reminders, &empty_interactions}) {
        TRY(database_.run(*deletion, {bytes(id)}));
    }
    TRY(database_.run(blank_interactions, {bytes(id), bytes("")}));
    return {};
}

base::Result<std::uint64_t> SqlSessionTable::erase_user(std::string_view user_id, std::size_t limit) {
    TRY_ASSIGN(std::uint64_t gone, SqlWaitingTable(database_).erase_user(user_id));
    if (gone < limit) {
        TRY_ASSIGN(const std::uint64_t notifications,
                   SqlNotificationTable(database_).erase_user(user_id, limit - gone));
        gone += notifications;
    }
    if (gone >= limit) return gone;
    TRY(database_.run(forget_handles, {bytes(user_id), bytes(std::string_view())}));
    TRY_ASSIGN(const std::uint64_t rest, erase_rows(database_,
                                                    {&erase_messages, &erase_nodes, &erase_reminders,
                                                     &erase_own_reminders, &erase_interactions, &erase_sessions},
                                                    user_id, limit - gone));
    return gone + rest;
}

}  // namespace belfry::store
