#include "store/outbox_table.hpp"

#include <algorithm>

namespace belfry::store {
namespace {

#define BELFRY_OUTBOX_COLUMNS                                                                                  \
    "obligation_id, kind, detail, created_at, due_at, attempts, fence, claimed_until, finished_at, progress, " \
    "last_error"

constexpr Sql insert_obligation{"INSERT INTO outbox (" BELFRY_OUTBOX_COLUMNS
                                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"};
constexpr Sql claim_due{
    "UPDATE outbox SET claimed_until = $2, fence = fence + 1, attempts = attempts + 1 WHERE obligation_id IN ("
    "SELECT obligation_id FROM outbox WHERE finished_at IS NULL AND due_at <= $1 "
    "AND (claimed_until IS NULL OR claimed_until <= $1) ORDER BY due_at LIMIT $3) RETURNING " BELFRY_OUTBOX_COLUMNS};
constexpr Sql release_claims{"UPDATE outbox SET claimed_until = NULL WHERE finished_at IS NULL"};
constexpr Sql update_held{
    "UPDATE outbox SET due_at = $3, claimed_until = $4, finished_at = $5, progress = $6, last_error = $7 "
    "WHERE obligation_id = $1 AND fence = $2 AND finished_at IS NULL"};
constexpr Sql select_one{"SELECT " BELFRY_OUTBOX_COLUMNS " FROM outbox WHERE obligation_id = $1"};
constexpr Sql select_next_due{
    "SELECT min(CASE WHEN claimed_until IS NOT NULL AND claimed_until > due_at THEN claimed_until ELSE due_at END) "
    "FROM outbox WHERE finished_at IS NULL"};
constexpr Sql delete_finished{
    "DELETE FROM outbox WHERE obligation_id IN (SELECT obligation_id FROM outbox WHERE finished_at < $1 LIMIT $2)"};

std::string_view view(const base::Uuid& id) {
    return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

Param maybe(const std::optional<base::Timestamp>& time) {
    return time ? number(time->us) : Param{};
}

std::optional<base::Timestamp> read_maybe(const Row& row, int column) {
    if (row.is_null(column)) return std::nullopt;
    return base::Timestamp{row.number(column)};
}

ports::Obligation read_obligation(const Row& row) {
    ports::Obligation obligation;
    const std::string_view id = row.bytes(0);
    if (id.size() == obligation.id.bytes.size()) {
        std::ranges::transform(id, obligation.id.bytes.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    }
    obligation.kind = row.bytes(1);
    obligation.detail = model::RawJson::trusted(std::string(row.bytes(2)));
    obligation.created_at = base::Timestamp{row.number(3)};
    obligation.due_at = base::Timestamp{row.number(4)};
    obligation.attempts = row.number(5);
    obligation.fence = row.number(6);
    obligation.claimed_until = read_maybe(row, 7);
    obligation.finished_at = read_maybe(row, 8);
    obligation.progress = model::RawJson::trusted(std::string(row.bytes(9)));
    obligation.last_error = row.bytes(10);
    return obligation;
}

}  // namespace

base::Result<void> SqlOutboxTable::put(const ports::Obligation& o) {
    TRY(database_.run(insert_obligation,
                      {bytes(view(o.id)), bytes(o.kind), bytes(o.detail.bytes()), number(o.created_at.us),
                       number(o.due_at.us), number(o.attempts), number(o.fence), maybe(o.claimed_until),
                       maybe(o.finished_at), bytes(o.progress.bytes()), bytes(o.last_error)}));
    return {};
}

base::Result<std::vector<ports::Obligation>> SqlOutboxTable::claim(base::Timestamp now, base::Timestamp claim_until,
                                                                   std::size_t limit) {
    std::vector<ports::Obligation> claimed;
    TRY(database_.run(claim_due, {number(now.us), number(claim_until.us), number(std::uint64_t{limit})},
                      [&](const Row& row) { claimed.push_back(read_obligation(row)); }));
    return claimed;
}

base::Result<void> SqlOutboxTable::release_all() {
    TRY(database_.run(release_claims, {}));
    return {};
}

base::Result<bool> SqlOutboxTable::update(const ports::Obligation& o, std::int64_t fence) {
    TRY_ASSIGN(
        const std::int64_t changed,
        database_.run(update_held, {bytes(view(o.id)), number(fence), number(o.due_at.us), maybe(o.claimed_until),
                                    maybe(o.finished_at), bytes(o.progress.bytes()), bytes(o.last_error)}));
    return changed == 1;
}

base::Result<std::optional<ports::Obligation>> find_obligation(Database& database, const base::Uuid& id) {
    std::optional<ports::Obligation> found;
    TRY(database.run(select_one, {bytes(view(id))}, [&](const Row& row) { found = read_obligation(row); }));
    return found;
}

base::Result<std::optional<ports::Obligation>> SqlOutboxTable::find(const base::Uuid& id) {
    return find_obligation(database_, id);
}

base::Result<std::optional<base::Timestamp>> SqlOutboxTable::next_due() {
    std::optional<base::Timestamp> due;
    TRY(database_.run(select_next_due, {}, [&](const Row& row) { due = read_maybe(row, 0); }));
    return due;
}

base::Result<std::uint64_t> SqlOutboxTable::drop_finished(base::Timestamp older_than, std::size_t limit) {
    TRY_ASSIGN(const std::int64_t changed,
               database_.run(delete_finished, {number(older_than.us), number(std::uint64_t{limit})}));
    return static_cast<std::uint64_t>(changed);
}

}  // namespace belfry::store
