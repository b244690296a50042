#include "store/interaction_table.hpp"

#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

#define BELFRY_INTERACTION_VALUES                                                                                 \
    "interaction_id, kind, session_id, user_id, run_id, state, message, tool_name, arguments_json, schema_json, " \
    "answer_json, answered_by, always_allowed, created_at, expires_at, ended_at"
#define BELFRY_INTERACTION_COLUMNS "ordinal, " BELFRY_INTERACTION_VALUES

constexpr Sql insert_interaction{
    "INSERT INTO interactions (" BELFRY_INTERACTION_COLUMNS
    ") VALUES ((SELECT coalesce(max(ordinal), 0) + 1 FROM interactions), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
    "$12, $13, $14, $15, $16)"};
constexpr Sql select_interaction{"SELECT " BELFRY_INTERACTION_COLUMNS " FROM interactions WHERE interaction_id = $1"};
constexpr Sql settle_interaction{
    "UPDATE interactions SET state = $2, answer_json = $3, answered_by = $4, always_allowed = $5, ended_at = $6 "
    "WHERE interaction_id = $1 AND state = 0"};
// Along the user's open ones, which are few, and not along all that the session ever had.
constexpr Sql count_of_session{
    "SELECT count(*) FROM (SELECT session_id FROM interactions WHERE user_id = $1 AND state = 0 ORDER BY ordinal "
    "LIMIT 100000) AS pending WHERE session_id = $2"};
constexpr Sql pending_of_user{"SELECT " BELFRY_INTERACTION_COLUMNS
                              " FROM interactions WHERE user_id = $1 AND state = 0 ORDER BY ordinal LIMIT $2"};
constexpr Sql pending_of_session{"SELECT " BELFRY_INTERACTION_COLUMNS
                                 " FROM interactions WHERE session_id = $3 AND user_id = $1 AND state = 0 "
                                 "ORDER BY ordinal LIMIT $2"};
constexpr Sql select_allowed{
    "SELECT 1 FROM interactions WHERE session_id = $1 AND tool_name = $2 AND always_allowed = 1 LIMIT 1"};
constexpr Sql select_allowing{
    "SELECT " BELFRY_INTERACTION_COLUMNS
    " FROM interactions WHERE session_id = $1 AND tool_name = $2 AND always_allowed = 1 ORDER BY ordinal"};
constexpr Sql take_back_allowance{"UPDATE interactions SET always_allowed = 0 WHERE interaction_id = $1"};
constexpr Sql select_overdue{"SELECT " BELFRY_INTERACTION_COLUMNS
                             " FROM interactions WHERE expires_at <= $1 AND state = 0 ORDER BY expires_at, ordinal "
                             "LIMIT $2"};
constexpr Sql select_deadline{"SELECT min(expires_at) FROM interactions WHERE state = 0"};
constexpr Sql delete_ended{
    "DELETE FROM interactions WHERE ordinal IN (SELECT ordinal FROM interactions WHERE ended_at < $1 AND "
    "always_allowed = 0 ORDER BY ended_at LIMIT $2)"};
// One statement a question, so that each has the index that it needs. A state of -1 is any.
constexpr Sql list_all{"SELECT " BELFRY_INTERACTION_COLUMNS
                       " FROM interactions WHERE ordinal > $1 AND ($2 < 0 OR state = $2) AND always_allowed >= $4 "
                       "ORDER BY ordinal LIMIT $3"};
constexpr Sql list_user{"SELECT " BELFRY_INTERACTION_COLUMNS
                        " FROM interactions WHERE user_id = $5 AND ordinal > $1 AND ($2 < 0 OR state = $2) AND "
                        "always_allowed >= $4 ORDER BY ordinal LIMIT $3"};
constexpr Sql list_session{"SELECT " BELFRY_INTERACTION_COLUMNS
                           " FROM interactions WHERE session_id = $5 AND ordinal > $1 AND ($2 < 0 OR state = $2) AND "
                           "always_allowed >= $4 AND (length($6) = 0 OR user_id = $6) ORDER BY ordinal LIMIT $3"};

Param maybe(const std::optional<model::RawJson>& json) {
    return json ? bytes(json->bytes()) : Param{};
}

std::optional<model::RawJson> maybe_json(RowReader& row) {
    if (row.skip_null()) return std::nullopt;
    return row.json();
}

model::Interaction read_interaction(RowReader& row) {
    model::Interaction one;
    one.ordinal = row.number();
    one.id = {row.uuid()};
    one.kind = row.choice(model::InteractionKind::elicitation);
    one.session_id = row.text();
    one.user_id = row.text();
    one.run_id = row.number();
    one.state = row.choice(model::InteractionState::withdrawn);
    one.message = row.text();
    one.tool_name = row.text();
    one.arguments = maybe_json(row);
    one.schema = maybe_json(row);
    one.answer = maybe_json(row);
    one.answered_by = row.text();
    one.always_allowed = row.flag();
    one.created_at = row.time();
    one.expires_at = row.time();
    one.ended_at = row.maybe_time();
    return one;
}

}  // namespace

base::Result<void> SqlInteractionTable::add(const model::Interaction& i) {
    TRY(database_.run(insert_interaction,
                      {bytes(i.id.uuid), choice(i.kind), bytes(i.session_id), bytes(i.user_id), number(i.run_id),
                       choice(i.state), bytes(i.message), bytes(i.tool_name), maybe(i.arguments), maybe(i.schema),
                       maybe(i.answer), bytes(i.answered_by), choice(i.always_allowed), number(i.created_at),
                       number(i.expires_at), store::maybe(i.ended_at)}));
    return {};
}

base::Result<std::optional<model::Interaction>> SqlInteractionTable::find(const model::InteractionId& id) {
    return select_one(database_, "interactions", select_interaction, {bytes(id.uuid)}, read_interaction);
}

base::Result<bool> SqlInteractionTable::settle(const model::Interaction& i) {
    TRY_ASSIGN(
        const std::int64_t changed,
        database_.run(settle_interaction, {bytes(i.id.uuid), choice(i.state), maybe(i.answer), bytes(i.answered_by),
                                           choice(i.always_allowed), store::maybe(i.ended_at)}));
    return changed > 0;
}

base::Result<std::int64_t> SqlInteractionTable::count_pending(std::string_view user_id, std::string_view session_id) {
    std::int64_t count = 0;
    TRY(database_.run(count_of_session, {bytes(user_id), bytes(session_id)},
                      [&](const Row& row) { count = row.number(0); }));
    return count;
}

base::Result<std::vector<model::Interaction>> SqlInteractionTable::pending(std::string_view user_id,
                                                                           std::string_view session_id,
                                                                           std::size_t limit) {
    const Param rows_max = number(std::uint64_t{limit});
    if (session_id.empty()) {
        return select(database_, "interactions", pending_of_user, {bytes(user_id), rows_max}, read_interaction);
    }
    return select(database_, "interactions", pending_of_session, {bytes(user_id), rows_max, bytes(session_id)},
                  read_interaction);
}

base::Result<bool> SqlInteractionTable::is_always_allowed(std::string_view session_id, std::string_view tool_name) {
    bool allowed = false;
    TRY(database_.run(select_allowed, {bytes(session_id), bytes(tool_name)}, [&](const Row&) { allowed = true; }));
    return allowed;
}

base::Result<std::vector<model::Interaction>> SqlInteractionTable::allowing(std::string_view session_id,
                                                                            std::string_view tool_name) {
    return select(database_, "interactions", select_allowing, {bytes(session_id), bytes(tool_name)}, read_interaction);
}

base::Result<void> SqlInteractionTable::take_back(const model::InteractionId& id) {
    TRY(database_.run(take_back_allowance, {bytes(id.uuid)}));
    return {};
}

base::Result<std::vector<model::Interaction>> SqlInteractionTable::overdue(base::Timestamp now, std::size_t limit) {
    return select(database_, "interactions", select_overdue, {number(now), number(std::uint64_t{limit})},
                  read_interaction);
}

base::Result<std::optional<base::Timestamp>> SqlInteractionTable::next_deadline() {
    std::optional<base::Timestamp> due;
    TRY(database_.run(select_deadline, {}, [&](const Row& row) { due = RowReader(row).maybe_time(); }));
    return due;
}

base::Result<std::uint64_t> SqlInteractionTable::drop_ended(base::Timestamp older_than, std::size_t limit) {
    TRY_ASSIGN(const std::int64_t gone,
               database_.run(delete_ended, {number(older_than), number(std::uint64_t{limit})}));
    return static_cast<std::uint64_t>(gone);
}

base::Result<std::optional<model::Interaction>> SqlInteractionReading::find(const model::InteractionId& id) {
    return select_one(database_, "interactions", select_interaction, {bytes(id.uuid)}, read_interaction);
}

base::Result<std::vector<model::Interaction>> SqlInteractionReading::list(const ports::InteractionFilter& filter) {
    const Param after = number(filter.after);
    const Param state = filter.state ? choice(*filter.state) : number(std::int64_t{-1});
    const Param limit = number(std::uint64_t{filter.limit});
    const Param allowing = choice(filter.allowing);
    if (!filter.session_id.empty()) {
        return select(database_, "interactions", list_session,
                      {after, state, limit, allowing, bytes(filter.session_id), bytes(filter.user_id)},
                      read_interaction);
    }
    if (filter.user_id.empty()) {
        return select(database_, "interactions", list_all, {after, state, limit, allowing}, read_interaction);
    }
    return select(database_, "interactions", list_user, {after, state, limit, allowing, bytes(filter.user_id)},
                  read_interaction);
}

}  // namespace belfry::store
