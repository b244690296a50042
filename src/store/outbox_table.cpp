#include "store/outbox_table.hpp"

#include "store/row_reader.hpp"
#include "store/schema_5.hpp"

namespace belfry::store {
namespace {

#define BELFRY_OUTBOX_COLUMNS                                                                                  \
    "obligation_id, kind, detail, created_at, due_at, attempts, fence, claimed_until, finished_at, progress, " \
    "last_error"

constexpr Sql insert_obligation{"INSERT INTO outbox (" BELFRY_OUTBOX_COLUMNS
                                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"};
constexpr Sql claim_due{
    "UPDATE outbox SET claimed_until = $2, fence = fence + 1, attempts = attempts + 1 WHERE obligation_id IN ("
    "SELECT obligation_id FROM outbox WHERE finished_at IS NULL AND " BELFRY_OUTBOX_WAKE
    " <= $1 ORDER BY " BELFRY_OUTBOX_WAKE " LIMIT $3) RETURNING " BELFRY_OUTBOX_COLUMNS};
constexpr Sql release_claims{"UPDATE outbox SET claimed_until = NULL WHERE finished_at IS NULL"};
constexpr Sql update_held{
    "UPDATE outbox SET due_at = $3, claimed_until = $4, finished_at = $5, progress = $6, last_error = $7 "
    "WHERE obligation_id = $1 AND fence = $2 AND finished_at IS NULL"};
constexpr Sql select_obligation{"SELECT " BELFRY_OUTBOX_COLUMNS " FROM outbox WHERE obligation_id = $1"};
// What was given up tells why, and nothing else that has ended does.
constexpr Sql select_given_up{"SELECT " BELFRY_OUTBOX_COLUMNS
                              " FROM outbox WHERE finished_at IS NOT NULL AND kind = $1 AND length(last_error) > 0 "
                              "ORDER BY finished_at DESC, obligation_id DESC LIMIT $2"};
constexpr Sql select_given_up_after{
    "SELECT " BELFRY_OUTBOX_COLUMNS
    " FROM outbox WHERE finished_at IS NOT NULL AND kind = $1 AND length(last_error) > 0 AND "
    "(finished_at, obligation_id) < ($3, $4) ORDER BY finished_at DESC, obligation_id DESC LIMIT $2"};
constexpr Sql reopen_ended{
    "UPDATE outbox SET finished_at = NULL, claimed_until = NULL, due_at = $2, attempts = 0, progress = $3, "
    "last_error = $4 WHERE obligation_id = $1 AND finished_at IS NOT NULL"};
constexpr Sql select_next_due{"SELECT " BELFRY_OUTBOX_WAKE
                              " FROM outbox WHERE finished_at IS NULL ORDER BY " BELFRY_OUTBOX_WAKE " LIMIT 1"};
constexpr Sql delete_finished{
    "DELETE FROM outbox WHERE obligation_id IN (SELECT obligation_id FROM outbox WHERE finished_at < $1 LIMIT $2)"};

constexpr Sql delete_done{
    "DELETE FROM outbox WHERE obligation_id IN (SELECT obligation_id FROM outbox WHERE finished_at < $1 "
    "AND kind = $2 AND length(last_error) = 0 LIMIT $3)"};

ports::Obligation read_obligation(RowReader& row) {
    ports::Obligation obligation;
    obligation.id = row.uuid();
    obligation.kind = row.text();
    obligation.detail = row.json();
    obligation.created_at = row.time();
    obligation.due_at = row.time();
    obligation.attempts = row.number();
    obligation.fence = row.number();
    obligation.claimed_until = row.maybe_time();
    obligation.finished_at = row.maybe_time();
    obligation.progress = row.json();
    obligation.last_error = row.text();
    return obligation;
}

}  // namespace

base::Result<void> SqlOutboxTable::put(const ports::Obligation& o) {
    TRY(database_.run(insert_obligation, {bytes(o.id), bytes(o.kind), bytes(o.detail.bytes()), number(o.created_at),
                                          number(o.due_at), number(o.attempts), number(o.fence), maybe(o.claimed_until),
                                          maybe(o.finished_at), bytes(o.progress.bytes()), bytes(o.last_error)}));
    return {};
}

base::Result<std::vector<ports::Obligation>> SqlOutboxTable::claim(base::Timestamp now, base::Timestamp claim_until,
                                                                   std::size_t limit) {
    return select(database_, "outbox", claim_due, {number(now), number(claim_until), number(std::uint64_t{limit})},
                  read_obligation);
}

base::Result<void> SqlOutboxTable::release_all() {
    TRY(database_.run(release_claims, {}));
    return {};
}

base::Result<bool> SqlOutboxTable::update(const ports::Obligation& o, std::int64_t fence) {
    TRY_ASSIGN(const std::int64_t changed,
               database_.run(update_held, {bytes(o.id), number(fence), number(o.due_at), maybe(o.claimed_until),
                                           maybe(o.finished_at), bytes(o.progress.bytes()), bytes(o.last_error)}));
    return changed == 1;
}

base::Result<std::optional<ports::Obligation>> find_obligation(Database& database, const base::Uuid& id) {
    return select_one(database, "outbox", select_obligation, {bytes(id)}, read_obligation);
}

base::Result<std::optional<ports::Obligation>> SqlOutboxTable::find(const base::Uuid& id) {
    return find_obligation(database_, id);
}

base::Result<std::vector<ports::Obligation>> find_given_up(Database& database, std::string_view kind,
                                                           const std::optional<ports::GivenUpPlace>& after,
                                                           std::size_t limit) {
    if (!after) {
        return select(database, "outbox", select_given_up, {bytes(kind), number(std::uint64_t{limit})},
                      read_obligation);
    }
    return select(database, "outbox", select_given_up_after,
                  {bytes(kind), number(std::uint64_t{limit}), number(after->finished_at), bytes(after->id)},
                  read_obligation);
}

base::Result<bool> SqlOutboxTable::reopen(const base::Uuid& id, base::Timestamp now) {
    TRY_ASSIGN(const std::int64_t changed,
               database_.run(reopen_ended,
                             {bytes(id), number(now), bytes(std::string_view("{}")), bytes(std::string_view())}));
    return changed == 1;
}

base::Result<std::optional<base::Timestamp>> SqlOutboxTable::next_due() {
    std::optional<base::Timestamp> due;
    TRY(database_.run(select_next_due, {}, [&](const Row& row) { due = RowReader(row).maybe_time(); }));
    return due;
}

base::Result<std::uint64_t> SqlOutboxTable::drop_finished(base::Timestamp older_than, std::size_t limit) {
    TRY_ASSIGN(const std::int64_t changed,
               database_.run(delete_finished, {number(older_than), number(std::uint64_t{limit})}));
    return static_cast<std::uint64_t>(changed);
}

base::Result<std::uint64_t> SqlOutboxTable::drop_done(std::string_view kind, base::Timestamp older_than,
                                                      std::size_t limit) {
    TRY_ASSIGN(const std::int64_t changed,
               database_.run(delete_done, {number(older_than), bytes(kind), number(std::uint64_t{limit})}));
    return static_cast<std::uint64_t>(changed);
}

}  // namespace belfry::store
