#pragma once

#include "ports/store_sessions.hpp"
#include "store/database.hpp"

namespace belfry::store {

// A node that does not belong to the session is `not_found`, with the field `node` or `after`; a session that is not
// there has no nodes.
class SqlSessionReading final : public ports::SessionReading {
public:
    explicit SqlSessionReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::Session>> find(std::string_view id) override;
    base::Result<std::vector<model::Session>> list(const ports::SessionFilter& filter) override;
    base::Result<ports::HistoryPage> path(std::string_view session_id, const std::optional<ports::HistoryPlace>& leaf,
                                          std::size_t limit, std::size_t bytes_max) override;
    base::Result<ports::HistoryPage> tree(std::string_view session_id, const std::optional<ports::HistoryPlace>& after,
                                          std::size_t limit, std::size_t bytes_max) override;
    base::Result<model::UserSettings> settings(std::string_view user_id) override;
    base::Result<std::vector<model::SessionMessage>> waiting_messages(std::string_view session_id, base::Timestamp now,
                                                                      std::size_t limit) override;

private:
    base::Result<std::optional<model::NodeId>> head_of(std::string_view session_id);
    base::Result<void> require_node(std::string_view session_id, const model::NodeId& id, const char* field);

    Database& database_;
};

}  // namespace belfry::store
