#pragma once

#include "ports/store_notifications.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlToolTable final : public ports::ToolTable {
public:
    explicit SqlToolTable(Database& database) : database_(database) {}

    // By name.
    base::Result<std::vector<model::ToolInfo>> load() override;
    base::Result<void> put(const model::ToolInfo& tool) override;
    base::Result<void> remove(std::string_view name) override;
    base::Result<std::optional<model::ToolInfo>> find(std::string_view name) override;
    // By name, after this one.
    base::Result<std::vector<model::ToolInfo>> list(std::string_view after, std::size_t limit);

private:
    Database& database_;
};

}  // namespace belfry::store
