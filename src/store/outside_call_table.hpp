#pragma once

#include "ports/store_outside_calls.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlOutsideCallTable final : public ports::OutsideCallTable {
public:
    explicit SqlOutsideCallTable(Database& database) : database_(database) {}

    base::Result<void> put(const model::OutsideCall& call) override;
    base::Result<std::optional<model::OutsideCall>> find(const model::OutsideCallId& id) override;
    base::Result<std::optional<model::OutsideCall>> of_action(const base::Uuid& action_id) override;
    base::Result<std::optional<model::OutsideCall>> next(std::string_view tool_name,
                                                         std::span<const std::string> users) override;
    base::Result<std::vector<model::OutsideCall>> open_of_wake(model::WakeId wake_id) override;
    base::Result<std::vector<model::OutsideCall>> overdue(base::Timestamp now, std::size_t limit) override;
    base::Result<std::optional<base::Timestamp>> next_due() override;
    base::Result<std::vector<model::WakeId>> waiting_wakes() override;

private:
    Database& database_;
};

class SqlOutsideCallReading final : public ports::OutsideCallReading {
public:
    explicit SqlOutsideCallReading(Database& database) : database_(database) {}

    base::Result<std::optional<model::OutsideCall>> find(const model::OutsideCallId& id) override;
    base::Result<std::vector<model::OutsideCall>> list(const ports::OutsideCallFilter& filter) override;

private:
    Database& database_;
};

}  // namespace belfry::store
