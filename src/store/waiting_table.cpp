#include "store/waiting_table.hpp"

#include <limits>

#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

#define BELFRY_WAITING_COLUMNS                                                                                \
    "r.ordinal, subscriber_id, user_id, session_id, agent_id, kind, dedupe_key, coalesce(c.times, r.times), " \
    "event_id, sequence, coalesce(c.severity, r.severity), due_at"
#define BELFRY_WAITING_ROWS " FROM waiting_rows r LEFT JOIN waiting_counts c ON c.ordinal = r.ordinal "

constexpr Sql select_rows{"SELECT " BELFRY_WAITING_COLUMNS ", event_json" BELFRY_WAITING_ROWS "ORDER BY r.ordinal"};
constexpr Sql select_of_user{"SELECT " BELFRY_WAITING_COLUMNS BELFRY_WAITING_ROWS
                             "WHERE user_id = $1 ORDER BY r.ordinal"};
constexpr Sql count_for_session{
    "SELECT CAST(coalesce(sum(coalesce(c.times, r.times)), 0) AS BIGINT)" BELFRY_WAITING_ROWS
    "WHERE user_id = $1 AND (session_id = $2 OR length(session_id) = 0)"};
constexpr Sql insert_row{
    "INSERT INTO waiting_rows (ordinal, subscriber_id, user_id, session_id, agent_id, kind, dedupe_key, times, "
    "event_id, sequence, severity, due_at, event_json) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"};
constexpr Sql put_count{
    "INSERT INTO waiting_counts (ordinal, times, severity) SELECT ordinal, $2, $3 FROM waiting_rows WHERE ordinal = $1 "
    "ON CONFLICT (ordinal) DO UPDATE SET times = excluded.times, severity = excluded.severity"};
constexpr Sql delete_run{"DELETE FROM waiting_rows WHERE ordinal BETWEEN $1 AND $2"};
constexpr Sql delete_run_of_counts{"DELETE FROM waiting_counts WHERE ordinal BETWEEN $1 AND $2"};
constexpr Sql delete_of_user{
    "DELETE FROM waiting_rows WHERE ordinal IN (SELECT ordinal FROM waiting_rows WHERE user_id = $1 LIMIT $2)"};
constexpr Sql delete_lone_counts{
    "DELETE FROM waiting_counts WHERE NOT EXISTS (SELECT 1 FROM waiting_rows r WHERE r.ordinal = "
    "waiting_counts.ordinal)"};

model::WaitingRow read_row(RowReader& row) {
    model::WaitingRow waiting;
    waiting.ordinal = row.number();
    waiting.subscriber_id = row.text();
    waiting.scope.user_id = row.text();
    waiting.scope.session_id = row.text();
    waiting.scope.agent_id = row.text();
    waiting.kind = row.choice(model::WaitingKind::repeat);
    waiting.dedupe_key = row.text();
    waiting.count = row.number();
    waiting.event_id.uuid = row.uuid();
    waiting.sequence = static_cast<model::Sequence>(row.number());
    waiting.severity = row.choice(model::Severity::critical);
    waiting.due_at = row.time();
    return waiting;
}

model::WaitingRow read_whole_row(RowReader& row) {
    model::WaitingRow waiting = read_row(row);
    waiting.event_json = row.text();
    return waiting;
}

}  // namespace

base::Result<std::vector<model::WaitingRow>> SqlWaitingTable::load() {
    return select(database_, "waiting_rows", select_rows, {}, read_whole_row);
}

base::Result<void> SqlWaitingTable::insert(std::span<const model::WaitingRow> rows) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(rows.size());
    for (const model::WaitingRow& row : rows) {
        sets.push_back({number(row.ordinal), bytes(row.subscriber_id), bytes(row.scope.user_id),
                        bytes(row.scope.session_id), bytes(row.scope.agent_id), choice(row.kind), bytes(row.dedupe_key),
                        number(row.count), bytes(row.event_id.uuid), number(row.sequence), choice(row.severity),
                        number(row.due_at), bytes(row.event_json)});
    }
    return database_.run_many(insert_row, sets, {});
}

base::Result<void> SqlWaitingTable::update(std::span<const Count> counts) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(counts.size());
    for (const Count& count : counts) {
        sets.push_back({number(count.ordinal), number(count.count), choice(count.severity)});
    }
    return database_.run_many(put_count, sets, {});
}

// A batch mostly leaves with the ordinals that it came with, one after the other: one statement a run, not one a row.
base::Result<void> SqlWaitingTable::remove(std::span<const std::int64_t> ordinals) {
    std::vector<std::vector<Param>> sets;
    for (std::size_t first = 0, next = 0; first < ordinals.size(); first = next) {
        for (next = first + 1; next < ordinals.size() && ordinals[next] == ordinals[next - 1] + 1;) ++next;
        sets.push_back({number(ordinals[first]), number(ordinals[next - 1])});
    }
    TRY(database_.run_many(delete_run, sets, {}));
    return database_.run_many(delete_run_of_counts, sets, {});
}

base::Result<std::uint64_t> SqlWaitingTable::erase_user(std::string_view user_id) {
    TRY_ASSIGN(const std::uint64_t gone,
               erase_rows(database_, {&delete_of_user}, user_id, std::numeric_limits<std::int32_t>::max()));
    if (gone > 0) TRY(database_.run(delete_lone_counts, {}));
    return gone;
}

base::Result<std::vector<model::WaitingRow>> find_waiting(Database& database, std::string_view user_id) {
    return select(database, "waiting_rows", select_of_user, {bytes(user_id)}, read_row);
}

base::Result<std::int64_t> count_waiting_events(Database& database, std::string_view user_id,
                                                std::string_view session_id) {
    std::int64_t count = 0;
    TRY(database.run(count_for_session, {bytes(user_id), bytes(session_id)},
                     [&](const Row& row) { count = row.number(0); }));
    return count;
}

}  // namespace belfry::store
