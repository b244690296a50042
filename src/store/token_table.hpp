#pragma once

#include "ports/store.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlTokenTable final : public ports::TokenTable {
public:
    explicit SqlTokenTable(Database& database) : database_(database) {}

    base::Result<std::vector<model::AccessToken>> load() override;
    base::Result<void> put(const model::AccessToken& token) override;
    base::Result<void> remove(std::string_view id) override;

private:
    Database& database_;
};

}  // namespace belfry::store
