#include "store/settings_table.hpp"

#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_all{"SELECT user_id, disabled_subscribers_json FROM user_settings ORDER BY user_id"};
constexpr Sql select_user{"SELECT user_id, disabled_subscribers_json FROM user_settings WHERE user_id = $1"};
constexpr Sql upsert_settings{
    "INSERT INTO user_settings (user_id, disabled_subscribers_json) VALUES ($1, $2) ON CONFLICT (user_id) DO UPDATE "
    "SET disabled_subscribers_json = excluded.disabled_subscribers_json"};
constexpr Sql delete_user{
    "DELETE FROM user_settings WHERE user_id IN (SELECT user_id FROM user_settings WHERE user_id = $1 LIMIT $2)"};

model::UserSettings read_settings(RowReader& row) {
    model::UserSettings settings;
    settings.user_id = row.text();
    model::JsonWalker walker(model::JsonView{row.bytes()});
    while (const auto id = walker.next()) settings.disabled_subscribers.push_back(id->as_text());
    return settings;
}

}  // namespace

base::Result<std::vector<model::UserSettings>> SqlSettingsTable::load() {
    return select(database_, "user_settings", select_all, {}, read_settings);
}

base::Result<void> SqlSettingsTable::put(const model::UserSettings& settings) {
    std::string disabled;
    model::JsonWriter writer(disabled);
    writer.begin_array();
    for (const std::string& id : settings.disabled_subscribers) writer.text(id);
    writer.end_array();
    TRY(database_.run(upsert_settings, {bytes(settings.user_id), bytes(disabled)}));
    return {};
}

base::Result<void> SqlSettingsTable::erase_user(std::string_view user_id) {
    TRY(erase_rows(database_, {&delete_user}, user_id, 1));
    return {};
}

base::Result<model::UserSettings> find_settings(Database& database, std::string_view user_id) {
    TRY_ASSIGN(std::optional<model::UserSettings> found,
               select_one(database, "user_settings", select_user, {bytes(user_id)}, read_settings));
    if (found) return std::move(*found);
    return model::UserSettings{std::string(user_id), {}};
}

}  // namespace belfry::store
