#include "store/session_reading.hpp"

#include "store/history_reading.hpp"
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

base::Result<ports::HistoryPage> SqlSessionReading::path(std::string_view session_id,
                                                         const std::optional<ports::HistoryPlace>& leaf,
                                                         std::size_t limit, std::size_t bytes_max) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    std::optional<ports::HistoryPlace> from = leaf;
    if (leaf) {
        TRY(require_node(session_id, leaf->node, "node"));
    } else {
        TRY_ASSIGN(const std::optional<model::NodeId> head, head_of(session_id));
        if (head) from = ports::HistoryPlace{*head};
    }
    if (!from || limit == 0) return ports::HistoryPage{};
    return HistoryReading(database_, session_id, bytes_max).path(*from, limit);
}

base::Result<ports::HistoryPage> SqlSessionReading::tree(std::string_view session_id,
                                                         const std::optional<ports::HistoryPlace>& after,
                                                         std::size_t limit, std::size_t bytes_max) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    if (after) TRY(require_node(session_id, after->node, "after"));
    if (limit == 0) return ports::HistoryPage{};
    return HistoryReading(database_, session_id, bytes_max).tree(after, limit);
}

base::Result<model::UserSettings> SqlSessionReading::settings(std::string_view user_id) {
    return find_settings(database_, user_id);
}

}  // namespace belfry::store
