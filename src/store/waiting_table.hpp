#pragma once

#include "ports/store_notifications.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlWaitingTable final : public ports::WaitingTable {
public:
    explicit SqlWaitingTable(Database& database) : database_(database) {}

    base::Result<std::vector<model::WaitingRow>> load() override;
    base::Result<void> insert(std::span<const model::WaitingRow> rows) override;
    base::Result<void> update(std::span<const Count> counts) override;
    base::Result<void> remove(std::span<const std::int64_t> ordinals) override;
    base::Result<std::uint64_t> erase_user(std::string_view user_id) override;

private:
    Database& database_;
};

// Those of a user, by ordinal, without their events' JSON.
base::Result<std::vector<model::WaitingRow>> find_waiting(Database& database, std::string_view user_id);
// How many events wait for this session: its own, and the user's without a session.
base::Result<std::int64_t> count_waiting_events(Database& database, std::string_view user_id,
                                                std::string_view session_id);

}  // namespace belfry::store
