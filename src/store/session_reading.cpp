#include "store/session_reading.hpp"

#include <algorithm>
#include <map>

#include "store/session_row.hpp"
#include "store/settings_table.hpp"
#include "store/snapshot.hpp"
#include "store/user_message_table.hpp"

namespace belfry::store {
namespace {

constexpr Sql list_all{
    "SELECT " BELFRY_SESSION_COLUMNS
    " FROM sessions WHERE session_id > $1 AND (deleted_at IS NULL OR $3 = 1) ORDER BY session_id LIMIT $2"};
constexpr Sql list_user{"SELECT " BELFRY_SESSION_COLUMNS
                        " FROM sessions WHERE user_id = $4 AND session_id > $1 AND (deleted_at IS NULL OR $3 = 1) "
                        "ORDER BY session_id LIMIT $2"};
constexpr Sql select_head{"SELECT head_node FROM sessions WHERE session_id = $1"};
// The way up carries no messages along: what the nodes hold is read once it is known which they are.
constexpr Sql select_path{
    "WITH RECURSIVE way (ordinal, parent_id, steps) AS ("
    "SELECT ordinal, parent_id, 1 FROM context_nodes WHERE session_id = $1 AND node_id = $2 UNION ALL "
    "SELECT n.ordinal, n.parent_id, way.steps + 1 FROM way JOIN context_nodes n ON n.node_id = way.parent_id "
    "WHERE n.session_id = $1 AND way.steps < $3) "
    "SELECT node_id, session_id, context_nodes.parent_id, created_at, system_messages_json "
    "FROM way JOIN context_nodes ON context_nodes.ordinal = way.ordinal ORDER BY way.steps DESC"};
constexpr Sql select_tree{"SELECT " BELFRY_NODE_COLUMNS
                          " FROM context_nodes WHERE session_id = $1 AND ordinal > "
                          "coalesce((SELECT ordinal FROM context_nodes WHERE node_id = $2), 0) ORDER BY ordinal "
                          "LIMIT $3"};
constexpr Sql select_messages{"SELECT " BELFRY_MESSAGE_COLUMNS
                              " FROM messages WHERE session_id = $1 AND node_id = $2 ORDER BY ordinal"};

model::NodeId read_node_id(RowReader& row) {
    return {row.uuid()};
}

}  // namespace

base::Result<std::optional<model::Session>> SqlSessionReading::find(std::string_view id) {
    return select_one(database_, "sessions", select_session, {bytes(id)}, read_session);
}

base::Result<std::vector<model::Session>> SqlSessionReading::list(const ports::SessionFilter& filter) {
    const Param after = bytes(filter.after);
    const Param limit = number(std::uint64_t{filter.limit});
    const Param deleted = number(std::int64_t{filter.or_deleted ? 1 : 0});
    if (filter.user_id.empty()) return select(database_, "sessions", list_all, {after, limit, deleted}, read_session);
    return select(database_, "sessions", list_user, {after, limit, deleted, bytes(filter.user_id)}, read_session);
}

base::Result<std::vector<model::SessionMessage>> SqlSessionReading::waiting_messages(std::string_view session_id,
                                                                                     base::Timestamp now,
                                                                                     std::size_t limit) {
    return SqlUserMessageTable(database_).due(session_id, now, limit);
}

base::Result<std::optional<model::NodeId>> SqlSessionReading::head_of(std::string_view session_id) {
    return select_one(database_, "sessions", select_head, {bytes(session_id)}, read_node_id);
}

base::Result<void> SqlSessionReading::require_node(std::string_view session_id, const model::NodeId& id,
                                                   const char* field) {
    bool found = false;
    TRY(database_.run(select_node, {bytes(session_id), bytes(id.uuid)}, [&](const Row&) { found = true; }));
    if (!found) return base::error(base::Code::not_found, "the session has no such node", field);
    return {};
}

base::Result<std::vector<ports::HistoryNode>> SqlSessionReading::with_messages(std::string_view session_id,
                                                                               std::vector<model::ContextNode> nodes) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(nodes.size());
    for (const model::ContextNode& node : nodes) sets.push_back({bytes(session_id), bytes(node.id.uuid)});
    TRY_ASSIGN(std::vector<model::SessionMessage> messages,
               select_many(database_, "messages", select_messages, sets, read_message));

    std::vector<ports::HistoryNode> history;
    history.reserve(nodes.size());
    std::map<model::NodeId, std::size_t> places;
    for (model::ContextNode& node : nodes) {
        places[node.id] = history.size();
        history.push_back({std::move(node), {}});
    }
    for (model::SessionMessage& message : messages) {
        history[places.at(message.node)].messages.push_back(std::move(message));
    }
    return history;
}

base::Result<std::vector<ports::HistoryNode>> SqlSessionReading::path(std::string_view session_id,
                                                                      const std::optional<model::NodeId>& leaf,
                                                                      std::size_t limit) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    std::optional<model::NodeId> from = leaf;
    if (leaf) {
        TRY(require_node(session_id, *leaf, "node"));
    } else {
        TRY_ASSIGN(from, head_of(session_id));
    }
    if (!from || limit == 0) return std::vector<ports::HistoryNode>{};
    TRY_ASSIGN(std::vector<model::ContextNode> nodes,
               select(database_, "context_nodes", select_path,
                      {bytes(session_id), bytes(from->uuid), number(std::uint64_t{limit})}, read_node));
    return with_messages(session_id, std::move(nodes));
}

base::Result<std::vector<ports::HistoryNode>> SqlSessionReading::tree(std::string_view session_id,
                                                                      const std::optional<model::NodeId>& after,
                                                                      std::size_t limit) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    if (after) TRY(require_node(session_id, *after, "after"));
    const base::Uuid from = after ? after->uuid : base::Uuid{};
    TRY_ASSIGN(std::vector<model::ContextNode> nodes,
               select(database_, "context_nodes", select_tree,
                      {bytes(session_id), bytes(from), number(std::uint64_t{limit})}, read_node));
    return with_messages(session_id, std::move(nodes));
}

base::Result<model::UserSettings> SqlSessionReading::settings(std::string_view user_id) {
    return find_settings(database_, user_id);
}

}  // namespace belfry::store
