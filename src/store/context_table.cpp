#include "store/context_table.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "base/context_limits.hpp"
#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

#define BELFRY_CONTEXT_COLUMNS "user_id, name, session_id, agent_id, content, set_at, expires_at, set_by"
#define BELFRY_CONTEXT_VALUES "SELECT " BELFRY_CONTEXT_COLUMNS " FROM context_values "
#define BELFRY_CONTEXT_KEY "user_id = $1 AND name = $2 AND session_id = $3 AND agent_id = $4"

constexpr Sql upsert_value{
    "INSERT INTO context_values (" BELFRY_CONTEXT_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
    "ON CONFLICT (user_id, name, session_id, agent_id) DO UPDATE SET content = excluded.content, "
    "set_at = excluded.set_at, expires_at = excluded.expires_at, set_by = excluded.set_by"};
constexpr Sql select_value{BELFRY_CONTEXT_VALUES "WHERE " BELFRY_CONTEXT_KEY " AND expires_at > $5 AND set_at <= $6"};
constexpr Sql delete_value{"DELETE FROM context_values WHERE " BELFRY_CONTEXT_KEY
                           " AND expires_at > $5 AND set_at <= $6"};
// $6 is empty: a parameter, because an empty text is written differently on the two databases.
constexpr Sql select_in_scope{
    BELFRY_CONTEXT_VALUES
    "WHERE user_id = $1 AND (session_id = $6 OR session_id = $2) AND (agent_id = $6 OR "
    "agent_id = $3) AND expires_at > $4 AND set_at <= $5 ORDER BY name, session_id, agent_id"};
constexpr Sql select_named_in_scope{
    BELFRY_CONTEXT_VALUES
    "WHERE user_id = $1 AND name = $7 AND (session_id = $6 OR session_id = $2) AND (agent_id = $6 OR "
    "agent_id = $3) AND expires_at > $4 AND set_at <= $5 ORDER BY name, session_id, agent_id"};
constexpr Sql list_values{BELFRY_CONTEXT_VALUES
                          "WHERE user_id = $1 AND ($2 = $6 OR session_id = $2) AND ($3 = $6 OR agent_id = $3) AND "
                          "expires_at > $4 AND set_at <= $5 ORDER BY name, session_id, agent_id"};
constexpr Sql count_values{
    "SELECT count(*) FROM context_values WHERE user_id = $1 AND NOT (name = $2 AND session_id = $3 AND agent_id = $4) "
    "AND expires_at > $5 AND set_at <= $6"};
constexpr Sql delete_expired{
    "DELETE FROM context_values WHERE (user_id, name, session_id, agent_id) IN (SELECT user_id, name, session_id, "
    "agent_id FROM context_values WHERE expires_at <= $1 LIMIT $2)"};
constexpr Sql delete_expired_of{"DELETE FROM context_values WHERE user_id = $1 AND expires_at <= $2"};
constexpr Sql delete_session{"DELETE FROM context_values WHERE session_id = $1"};
constexpr Sql move_times{"UPDATE context_values SET set_at = set_at - $1, expires_at = expires_at - $1"};
constexpr Sql delete_user{
    "DELETE FROM context_values WHERE (user_id, name, session_id, agent_id) IN (SELECT user_id, name, session_id, "
    "agent_id FROM context_values WHERE user_id = $1 LIMIT $2)"};

// The latest time at which a current value can have been set.
base::Timestamp latest(base::Timestamp now) {
    return now + base::limits::context_clock_slack;
}

model::ContextValue read_value(RowReader& row) {
    model::ContextValue value;
    value.key.scope.user_id = row.text();
    value.key.name = row.text();
    value.key.scope.session_id = row.text();
    value.key.scope.agent_id = row.text();
    value.content = row.text();
    value.set_at = row.time();
    value.expires_at = row.time();
    value.set_by = row.text();
    return value;
}

base::Result<std::vector<model::ContextValue>> read_in_scope(Database& database, const ports::ContextScope& question) {
    const model::Scope& scope = question.scope;
    const Param user = bytes(scope.user_id);
    const Param session = bytes(scope.session_id);
    const Param agent = bytes(scope.agent_id);
    const Param now = number(question.now);
    const Param last = number(latest(question.now));
    const Param none = bytes(std::string_view());
    if (question.names.empty()) {
        return select(database, "context_values", select_in_scope, {user, session, agent, now, last, none}, read_value);
    }
    std::vector<model::ContextValue> found;
    for (const std::string& name : std::set(question.names.begin(), question.names.end())) {
        TRY_ASSIGN(std::vector<model::ContextValue> named,
                   select(database, "context_values", select_named_in_scope,
                          {user, session, agent, now, last, none, bytes(name)}, read_value));
        std::ranges::move(named, std::back_inserter(found));
    }
    return found;
}

}  // namespace

base::Result<void> SqlContextTable::put(const model::ContextValue& value) {
    const model::Scope& scope = value.key.scope;
    TRY(database_.run(upsert_value,
                      {bytes(scope.user_id), bytes(value.key.name), bytes(scope.session_id), bytes(scope.agent_id),
                       bytes(value.content), number(value.set_at), number(value.expires_at), bytes(value.set_by)}));
    return {};
}

base::Result<bool> SqlContextTable::remove(const model::ContextKey& key, base::Timestamp now) {
    TRY_ASSIGN(const std::int64_t removed,
               database_.run(delete_value, {bytes(key.scope.user_id), bytes(key.name), bytes(key.scope.session_id),
                                            bytes(key.scope.agent_id), number(now), number(latest(now))}));
    return removed > 0;
}

base::Result<std::vector<model::ContextValue>> SqlContextTable::in_scope(const ports::ContextScope& scope) {
    return read_in_scope(database_, scope);
}

base::Result<std::int64_t> SqlContextTable::count_others(const model::ContextKey& key, base::Timestamp now) {
    std::int64_t count = 0;
    TRY(database_.run(count_values,
                      {bytes(key.scope.user_id), bytes(key.name), bytes(key.scope.session_id),
                       bytes(key.scope.agent_id), number(now), number(latest(now))},
                      [&](const Row& row) { count = row.number(0); }));
    return count;
}

base::Result<std::uint64_t> SqlContextTable::drop_expired(base::Timestamp now, std::size_t limit) {
    TRY_ASSIGN(const std::int64_t dropped, database_.run(delete_expired, {number(now), number(std::uint64_t{limit})}));
    return static_cast<std::uint64_t>(dropped);
}

base::Result<void> SqlContextTable::drop_expired_of(std::string_view user_id, base::Timestamp now) {
    TRY(database_.run(delete_expired_of, {bytes(user_id), number(now)}));
    return {};
}

base::Result<void> SqlContextTable::remove_session(std::string_view session_id) {
    TRY(database_.run(delete_session, {bytes(session_id)}));
    return {};
}

base::Result<void> SqlContextTable::set_back(base::Duration by) {
    TRY(database_.run(move_times, {number(by.us)}));
    return {};
}

base::Result<std::uint64_t> SqlContextTable::erase_user(std::string_view user_id, std::size_t limit) {
    return erase_rows(database_, {&delete_user}, user_id, limit);
}

base::Result<std::optional<model::ContextValue>> SqlContextReading::find(const model::ContextKey& key,
                                                                         base::Timestamp now) {
    return select_one(database_, "context_values", select_value,
                      {bytes(key.scope.user_id), bytes(key.name), bytes(key.scope.session_id),
                       bytes(key.scope.agent_id), number(now), number(latest(now))},
                      read_value);
}

base::Result<std::vector<model::ContextValue>> SqlContextReading::in_scope(const ports::ContextScope& scope) {
    return read_in_scope(database_, scope);
}

base::Result<std::vector<model::ContextValue>> SqlContextReading::list(const ports::ContextFilter& filter) {
    return select(database_, "context_values", list_values,
                  {bytes(filter.user_id), bytes(filter.session_id), bytes(filter.agent_id), number(filter.now),
                   number(latest(filter.now)), bytes(std::string_view())},
                  read_value);
}

}  // namespace belfry::store
