#include "store/token_table.hpp"

#include <algorithm>
#include <optional>

#include "model/raw_json.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_tokens{
    "SELECT token_id, secret_hash, name, role, user_id, bounds, events_per_second, created_at, expires_at, created_by "
    "FROM access_tokens ORDER BY created_at, token_id"};
constexpr Sql upsert_token{
    "INSERT INTO access_tokens (token_id, secret_hash, name, role, user_id, bounds, events_per_second, created_at, "
    "expires_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (token_id) DO UPDATE SET "
    "secret_hash = excluded.secret_hash, name = excluded.name, role = excluded.role, user_id = excluded.user_id, "
    "bounds = excluded.bounds, events_per_second = excluded.events_per_second, expires_at = excluded.expires_at"};
constexpr Sql delete_token{"DELETE FROM access_tokens WHERE token_id = $1"};

void write_list(model::JsonWriter& writer, std::string_view name, const std::vector<std::string>& list) {
    if (list.empty()) return;
    writer.name(name).begin_array();
    for (const std::string& entry : list) writer.text(entry);
    writer.end_array();
}

std::string write_bounds(const model::Bounds& bounds) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    write_list(writer, "users", bounds.users);
    write_list(writer, "sessions", bounds.sessions);
    write_list(writer, "agents", bounds.agents);
    write_list(writer, "type_prefixes", bounds.type_prefixes);
    if (bounds.severity_max) writer.field("severity_max", model::severity_name(*bounds.severity_max));
    writer.end_object();
    return out;
}

std::vector<std::string> read_list(const model::JsonView& bounds, std::string_view name) {
    std::vector<std::string> list;
    const auto member = bounds.member(name);
    if (!member) return list;
    model::JsonWalker walker(*member);
    while (const auto entry = walker.next()) list.push_back(entry->as_text());
    return list;
}

model::Bounds read_bounds(std::string_view json) {
    const model::JsonView view{json};
    model::Bounds bounds;
    bounds.users = read_list(view, "users");
    bounds.sessions = read_list(view, "sessions");
    bounds.agents = read_list(view, "agents");
    bounds.type_prefixes = read_list(view, "type_prefixes");
    if (const auto severity = view.member("severity_max")) {
        bounds.severity_max = model::parse_severity(severity->as_text());
    }
    return bounds;
}

std::optional<model::AccessToken> read_token(const Row& row) {
    model::AccessToken token;
    const auto role = model::parse_role(row.bytes(3));
    const std::string_view hash = row.bytes(1);
    if (!role || hash.size() != token.secret_hash.size()) return std::nullopt;
    token.id = row.bytes(0);
    std::ranges::transform(hash, token.secret_hash.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    token.name = row.bytes(2);
    token.role = *role;
    token.user_id = row.bytes(4);
    token.bounds = read_bounds(row.bytes(5));
    token.events_per_second = row.number(6);
    token.created_at = base::Timestamp{row.number(7)};
    if (!row.is_null(8)) token.expires_at = base::Timestamp{row.number(8)};
    token.created_by = row.bytes(9);
    return token;
}

}  // namespace

base::Result<std::vector<model::AccessToken>> SqlTokenTable::load() {
    std::vector<model::AccessToken> tokens;
    bool damaged = false;
    TRY(database_.run(select_tokens, {}, [&](const Row& row) {
        if (auto token = read_token(row)) tokens.push_back(std::move(*token));
        else damaged = true;
    }));
    if (damaged) return base::error(base::Code::malformed, "a row of access_tokens is damaged");
    return tokens;
}

base::Result<void> SqlTokenTable::put(const model::AccessToken& token) {
    const std::string bounds = write_bounds(token.bounds);
    const std::string_view hash(reinterpret_cast<const char*>(token.secret_hash.data()), token.secret_hash.size());
    TRY(database_.run(
        upsert_token,
        {bytes(token.id), bytes(hash), bytes(token.name), bytes(model::role_name(token.role)), bytes(token.user_id),
         bytes(bounds), number(token.events_per_second), number(token.created_at.us),
         token.expires_at ? number(token.expires_at->us) : Param{}, bytes(token.created_by)}));
    return {};
}

base::Result<void> SqlTokenTable::remove(std::string_view id) {
    TRY(database_.run(delete_token, {bytes(id)}));
    return {};
}

}  // namespace belfry::store
