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
    // Those in sessions of this user too.
    base::Result<std::uint64_t> erase_user(std::string_view user_id) override;

private:
    Database& database_;
};

// Those of a user, by ordinal.
base::Result<std::vector<model::WaitingRow>> find_waiting(Database& database, std::string_view user_id);

}  // namespace belfry::store
