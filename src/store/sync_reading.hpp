#pragma once

#include "ports/store_sync.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlSyncReading final : public ports::SyncReading {
public:
    explicit SqlSyncReading(Database& database) : database_(database) {}

    base::Result<ports::SyncStatus> status() override;
    base::Result<std::vector<model::MergeNote>> notes(std::int64_t below, std::size_t limit) override;

private:
    Database& database_;
};

}  // namespace belfry::store
