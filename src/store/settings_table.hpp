#pragma once

#include "ports/store_sessions.hpp"
#include "store/database.hpp"

namespace belfry::store {

class SqlSettingsTable final : public ports::SettingsTable {
public:
    explicit SqlSettingsTable(Database& database) : database_(database) {}

    base::Result<std::vector<model::UserSettings>> load() override;
    base::Result<void> put(const model::UserSettings& settings) override;
    base::Result<void> erase_user(std::string_view user_id) override;

private:
    Database& database_;
};

// What this user has chosen; the defaults where he has not.
base::Result<model::UserSettings> find_settings(Database& database, std::string_view user_id);

}  // namespace belfry::store
