#pragma once

#include "ports/store_change_sets.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlChangeSetTable final : public ports::ChangeSetTable {
public:
    explicit SqlChangeSetTable(Database& database) : database_(database) {}

    base::Result<std::optional<model::ChangeSet>> find(const model::ChangeSetId& id) override;
    base::Result<std::optional<model::ChangeSet>> of_wake(model::WakeId wake_id) override;
    base::Result<std::vector<model::ChangeItem>> items(std::int64_t set_ordinal) override;
    base::Result<std::optional<model::ChangeItem>> item(std::int64_t set_ordinal, std::int64_t number) override;
    base::Result<std::int64_t> add(const model::ChangeSet& set) override;
    base::Result<void> update(const model::ChangeSet& set) override;
    base::Result<void> add_item(std::int64_t set_ordinal, const model::ChangeItem& item) override;
    base::Result<bool> settle_item(std::int64_t set_ordinal, const model::ChangeItem& item) override;
    base::Result<std::int64_t> count_open(std::string_view user_id) override;
    base::Result<std::uint64_t> drop_decided(base::Timestamp older_than, std::size_t limit) override;
    base::Result<std::uint64_t> erase_user(std::string_view user_id, std::size_t limit) override;

private:
    Database& database_;
};

class SqlChangeSetReading final : public ports::ChangeSetReading {
public:
    explicit SqlChangeSetReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::ProposedChanges>> find(const model::ChangeSetId& id) override;
    base::Result<std::vector<model::ChangeSet>> list(const ports::ChangeSetFilter& filter) override;

private:
    Database& database_;
};

}  // namespace belfry::store
