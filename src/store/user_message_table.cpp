#include "store/user_message_table.hpp"

#include "base/limits.hpp"
#include "store/session_row.hpp"

namespace belfry::store {
namespace {

constexpr Sql update_wait{"UPDATE messages SET waits = 1 WHERE message_id = $1"};
constexpr Sql count_waiting{"SELECT count(*) FROM messages WHERE session_id = $1 AND waits = 1"};
constexpr Sql select_place{"SELECT waits, handed_until FROM messages WHERE message_id = $1"};
#define BELFRY_DUE \
    " FROM messages WHERE session_id = $1 AND waits = 1 AND (handed_until IS NULL OR handed_until <= $2) "
constexpr Sql weigh_due{"SELECT length(content) + length(metadata_json)" BELFRY_DUE "ORDER BY ordinal LIMIT $3"};
constexpr Sql select_due{"SELECT " BELFRY_MESSAGE_COLUMNS BELFRY_DUE "ORDER BY ordinal LIMIT $3"};
constexpr Sql select_sessions{
    "SELECT DISTINCT session_id FROM messages WHERE waits = 1 AND session_id > $1 ORDER BY session_id LIMIT $2"};
constexpr Sql update_handed{"UPDATE messages SET handed_pull = $2, handed_until = $3 WHERE message_id = $1"};
constexpr Sql confirm_pull{
    "UPDATE messages SET waits = 0 WHERE session_id = $1 AND waits = 1 AND handed_until IS NOT NULL AND "
    "handed_pull = $2"};
constexpr Sql confirm_under_way{
    "UPDATE messages SET waits = 0 WHERE session_id = $1 AND waits = 1 AND handed_until > $2"};
constexpr Sql update_let_go{
    "UPDATE messages SET handed_until = NULL WHERE session_id = $1 AND waits = 1 AND handed_until IS NOT NULL"};
constexpr Sql let_go_pull{
    "UPDATE messages SET handed_until = NULL WHERE session_id = $1 AND waits = 1 AND handed_until IS NOT NULL AND "
    "handed_pull = $2"};
constexpr Sql update_until{
    "UPDATE messages SET handed_until = $3 WHERE session_id = $1 AND waits = 1 AND handed_until > $2 AND "
    "handed_until < $3"};
constexpr Sql update_until_of_pull{
    "UPDATE messages SET handed_until = $3 WHERE session_id = $1 AND waits = 1 AND handed_until > $2 AND "
    "handed_until < $3 AND handed_pull = $4"};

}  // namespace

base::Result<void> SqlUserMessageTable::wait(const model::MessageId& id) {
    TRY(database_.run(update_wait, {bytes(id.uuid)}));
    return {};
}

base::Result<std::int64_t> SqlUserMessageTable::count(std::string_view session_id) {
    std::int64_t count = 0;
    TRY(database_.run(count_waiting, {bytes(session_id)}, [&](const Row& row) { count = row.number(0); }));
    return count;
}

base::Result<std::optional<ports::WordsPlace>> SqlUserMessageTable::place(const model::MessageId& id,
                                                                          base::Timestamp now) {
    std::optional<ports::WordsPlace> place;
    TRY(database_.run(select_place, {bytes(id.uuid)}, [&](const Row& row) {
        RowReader reader(row);
        const bool waits = reader.flag();
        const auto until = reader.maybe_time();
        if (!waits) place = ports::WordsPlace::taken;
        else place = until && *until > now ? ports::WordsPlace::handed : ports::WordsPlace::waiting;
    }));
    return place;
}

base::Result<std::vector<model::SessionMessage>> SqlUserMessageTable::due(std::string_view session_id,
                                                                          base::Timestamp now, std::size_t limit) {
    std::size_t held = 0;
    std::uint64_t fitting = 0;
    TRY(database_.run(weigh_due, {bytes(session_id), number(now), number(std::uint64_t{limit})}, [&](const Row& row) {
        if (held <= base::limits::user_messages_pull_bytes_max) ++fitting;
        held += static_cast<std::size_t>(row.number(0));
    }));
    return select(database_, "messages", select_due, {bytes(session_id), number(now), number(fitting)}, read_message);
}

base::Result<std::vector<std::string>> SqlUserMessageTable::sessions(std::string_view after, std::size_t limit) {
    std::vector<std::string> found;
    TRY(database_.run(select_sessions, {bytes(after), number(std::uint64_t{limit})},
                      [&](const Row& row) { found.emplace_back(RowReader(row).text()); }));
    return found;
}

base::Result<void> SqlUserMessageTable::hand_over(std::span<const model::MessageId> ids, const base::Uuid& pull_id,
                                                  base::Timestamp until) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const model::MessageId& id : ids) sets.push_back({bytes(id.uuid), bytes(pull_id), number(until)});
    return database_.run_many(update_handed, sets, {});
}

base::Result<std::int64_t> SqlUserMessageTable::confirm(std::string_view session_id, const base::Uuid& pull_id) {
    return database_.run(confirm_pull, {bytes(session_id), bytes(pull_id)});
}

base::Result<void> SqlUserMessageTable::confirm_held(std::string_view session_id, base::Timestamp now) {
    TRY(database_.run(confirm_under_way, {bytes(session_id), number(now)}));
    return {};
}

base::Result<void> SqlUserMessageTable::let_go(std::string_view session_id, const std::optional<base::Uuid>& pull_id) {
    if (pull_id) TRY(database_.run(let_go_pull, {bytes(session_id), bytes(*pull_id)}));
    else TRY(database_.run(update_let_go, {bytes(session_id)}));
    return {};
}

base::Result<void> SqlUserMessageTable::renew(std::string_view session_id, const std::optional<base::Uuid>& pull_id,
                                              base::Timestamp now, base::Timestamp until) {
    if (!pull_id) TRY(database_.run(update_until, {bytes(session_id), number(now), number(until)}));
    else TRY(database_.run(update_until_of_pull, {bytes(session_id), number(now), number(until), bytes(*pull_id)}));
    return {};
}

}  // namespace belfry::store
