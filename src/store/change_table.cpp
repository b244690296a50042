#include "store/change_table.hpp"

#include <algorithm>

#include "model/sync.hpp"
#include "store/change_row.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_host{"SELECT device, incarnation, place FROM this_host WHERE id = 1"};
constexpr Sql upsert_host{
    "INSERT INTO this_host (id, device, incarnation, place) VALUES (1, $1, $2, $3) ON CONFLICT (id) DO UPDATE SET "
    "device = excluded.device, incarnation = excluded.incarnation, place = excluded.place"};

constexpr Sql select_last{"SELECT coalesce(max(change_no), 0) FROM changes"};
constexpr Sql select_last_counter{"SELECT coalesce(max(counter), 0) FROM changes WHERE host = $1"};
constexpr Sql insert_change{"INSERT INTO changes (" BELFRY_CHANGE_COLUMNS
                            ", synced) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"};
constexpr Sql select_unbatched{
    "SELECT user_id, synced, min(changed_at) FROM changes WHERE batch_id IS NULL GROUP BY user_id, synced"};
constexpr Sql select_unbatched_of{"SELECT " BELFRY_CHANGE_COLUMNS
                                  " FROM changes WHERE user_id = $1 AND synced = $2 AND batch_id IS NULL ORDER BY "
                                  "change_no LIMIT $3"};
constexpr Sql update_batch{"UPDATE changes SET batch_id = $2 WHERE change_no = $1"};

constexpr Sql select_settled{"SELECT host, settled FROM change_hosts WHERE settled > 0"};
constexpr Sql upsert_settled{
    "INSERT INTO change_hosts (host, settled) VALUES ($1, $2) ON CONFLICT (host) DO UPDATE SET "
    "settled = excluded.settled"};
constexpr Sql select_batched_after{
    "SELECT counter FROM changes WHERE host = $1 AND counter > $2 AND batch_id IS NOT NULL ORDER BY counter LIMIT $3"};

constexpr Sql select_carried{"SELECT wake_id, host, counter FROM wake_changes"};
constexpr Sql upsert_carried{
    "INSERT INTO wake_changes (wake_id, host, counter) VALUES ($1, $2, $3) ON CONFLICT (wake_id, host) DO UPDATE SET "
    "counter = excluded.counter"};
constexpr Sql delete_carried{"DELETE FROM wake_changes WHERE wake_id = $1"};

constexpr Sql drop_old{
    "DELETE FROM changes WHERE change_no IN (SELECT c.change_no FROM changes c JOIN change_hosts h ON h.host = c.host "
    "WHERE c.changed_at < $1 AND c.batch_id IS NOT NULL AND c.counter <= h.settled ORDER BY c.changed_at LIMIT $2) "
    "RETURNING host, counter"};
constexpr Sql raise_floor{"UPDATE change_hosts SET floor = $2 WHERE host = $1 AND floor < $2"};
// Nobody waits any more for what would tell of it, and its batch is nobody's. That he was erased is told to others.
constexpr Sql erase_changes{
    "UPDATE changes SET kind = $3, record_id = $3, user_id = $3, origin = $3, tokens_json = $4, clock_json = $5, "
    "batch_id = $3 WHERE change_no IN (SELECT change_no FROM changes WHERE user_id = $1 AND kind <> $6 "
    "ORDER BY change_no LIMIT $2)"};
constexpr Sql restore_change{
    "UPDATE changes SET kind = $2, record_id = $3, user_id = $4, origin = $5, tokens_json = $6, clock_json = $7, "
    "batch_id = $8 WHERE change_no = $1"};
constexpr Sql erase_clocks{
    "DELETE FROM record_clocks WHERE (kind, record_id) IN (SELECT kind, record_id FROM record_clocks WHERE user_id = "
    "$1 AND kind <> $3 LIMIT $2)"};

// A change that nobody can give any more, or that is nobody's, is in no batch and in none to come.
Param batch_of(const model::Change& change) {
    const bool is_place = change.unit.kind.empty() || change.unit.kind == model::gone_kind;
    if (change.batch_id.empty() && !is_place) return {};
    return bytes(change.batch_id);
}

// What of a change is stored as text.
struct Texts {
    explicit Texts(const model::Change& change) : origin(stored_origin(change.origin)), clock(change.clock.to_json()) {
        model::JsonWriter writer(tokens);
        model::append_tokens(writer, change.tokens);
    }
    std::string origin;
    std::string tokens;
    std::string clock;
};

ports::UnbatchedChanges read_unbatched(RowReader& row) {
    ports::UnbatchedChanges some;
    some.user_id = row.text();
    some.synced = row.number() != 0;
    some.since = row.time();
    return some;
}

ports::CarriedChange read_carried(RowReader& row) {
    ports::CarriedChange carried;
    carried.wake_id = row.number();
    carried.host = row.text();
    carried.counter = static_cast<std::uint64_t>(row.number());
    return carried;
}

std::uint64_t read_counter(RowReader& row) {
    return static_cast<std::uint64_t>(row.number());
}

}  // namespace

base::Result<ports::Host> SqlChangeTable::host() {
    ports::Host host;
    TRY(database_.run(select_host, {}, [&](const Row& row) {
        host.device = row.bytes(0);
        const std::string_view place = row.bytes(2);
        const bool is_copy = !place.empty() && !place_.empty() && place != place_;
        if (!is_copy) host.incarnation = row.bytes(1);
    }));
    return host;
}

base::Result<void> SqlChangeTable::put_host(const ports::Host& host) {
    TRY(database_.run(upsert_host, {bytes(host.device), bytes(host.incarnation), bytes(place_)}));
    return {};
}

base::Result<std::int64_t> SqlChangeTable::last_number() {
    std::int64_t last = 0;
    TRY(database_.run(select_last, {}, [&](const Row& row) { last = row.number(0); }));
    return last;
}

base::Result<std::uint64_t> SqlChangeTable::last_counter(std::string_view host) {
    std::int64_t last = 0;
    TRY(database_.run(select_last_counter, {bytes(host)}, [&](const Row& row) { last = row.number(0); }));
    return static_cast<std::uint64_t>(last);
}

base::Result<void> SqlChangeTable::add(std::span<const model::Change> changes) {
    std::vector<Texts> texts;
    std::vector<std::vector<Param>> rows;
    texts.reserve(changes.size());
    for (const model::Change& change : changes) {
        const Texts& one = texts.emplace_back(change);
        rows.push_back({number(change.number), bytes(change.unit.host), number(change.unit.counter),
                        bytes(change.unit.kind), bytes(change.unit.id), bytes(change.user_id), bytes(one.origin),
                        bytes(one.tokens), bytes(one.clock), number(change.changed_at), batch_of(change),
                        choice(model::is_synced(change))});
    }
    return database_.run_many(insert_change, rows, {});
}

base::Result<std::vector<ports::UnbatchedChanges>> SqlChangeTable::unbatched() {
    return select(database_, "changes", select_unbatched, {}, read_unbatched);
}

base::Result<std::vector<model::Change>> SqlChangeTable::unbatched_of(std::string_view user_id, bool synced,
                                                                      std::size_t limit) {
    return select(database_, "changes", select_unbatched_of,
                  {bytes(user_id), choice(synced), number(std::uint64_t{limit})}, read_change);
}

base::Result<void> SqlChangeTable::put_batch(std::span<const model::Change> changes) {
    std::vector<std::vector<Param>> rows;
    rows.reserve(changes.size());
    for (const model::Change& change : changes) rows.push_back({number(change.number), bytes(change.batch_id)});
    return database_.run_many(update_batch, rows, {});
}

base::Result<std::map<std::string, std::uint64_t>> SqlChangeTable::settled() {
    std::map<std::string, std::uint64_t> all;
    TRY(database_.run(select_settled, {}, [&](const Row& row) {
        all.insert_or_assign(std::string(row.bytes(0)), static_cast<std::uint64_t>(row.number(1)));
    }));
    return all;
}

base::Result<void> SqlChangeTable::put_settled(std::string_view host, std::uint64_t counter) {
    TRY(database_.run(upsert_settled, {bytes(host), number(counter)}));
    return {};
}

base::Result<std::vector<std::uint64_t>> SqlChangeTable::batched_after(std::string_view host, std::uint64_t counter,
                                                                       std::size_t limit) {
    return select(database_, "changes", select_batched_after,
                  {bytes(host), number(counter), number(std::uint64_t{limit})}, read_counter);
}

base::Result<std::vector<ports::CarriedChange>> SqlChangeTable::load_carried() {
    return select(database_, "wake_changes", select_carried, {}, read_carried);
}

base::Result<void> SqlChangeTable::put_carried(std::span<const ports::CarriedChange> carried) {
    std::vector<std::vector<Param>> rows;
    rows.reserve(carried.size());
    for (const ports::CarriedChange& one : carried) {
        rows.push_back({number(one.wake_id), bytes(one.host), number(one.counter)});
    }
    return database_.run_many(upsert_carried, rows, {});
}

base::Result<void> SqlChangeTable::drop_carried(std::span<const model::WakeId> wakes) {
    std::vector<std::vector<Param>> rows;
    rows.reserve(wakes.size());
    for (const model::WakeId id : wakes) rows.push_back({number(id)});
    return database_.run_many(delete_carried, rows, {});
}

base::Result<std::uint64_t> SqlChangeTable::drop(base::Timestamp older_than, std::size_t limit) {
    std::uint64_t gone = 0;
    std::map<std::string, std::uint64_t> floors;
    TRY(database_.run(drop_old, {number(older_than), number(std::uint64_t{limit})}, [&](const Row& row) {
        ++gone;
        std::uint64_t& floor = floors[std::string(row.bytes(0))];
        floor = std::max(floor, static_cast<std::uint64_t>(row.number(1)));
    }));
    for (const auto& [host, floor] : floors) TRY(database_.run(raise_floor, {bytes(host), number(floor)}));
    return gone;
}

base::Result<void> SqlChangeTable::put_back(std::span<const model::Change> changes) {
    std::vector<Texts> texts;
    std::vector<std::vector<Param>> rows;
    texts.reserve(changes.size());
    for (const model::Change& change : changes) {
        const Texts& one = texts.emplace_back(change);
        rows.push_back({number(change.number), bytes(change.unit.kind), bytes(change.unit.id), bytes(change.user_id),
                        bytes(one.origin), bytes(one.tokens), bytes(one.clock), batch_of(change)});
    }
    return database_.run_many(restore_change, rows, {});
}

base::Result<std::uint64_t> SqlChangeTable::erase_user(std::string_view user_id, std::size_t limit) {
    const Param slice = number(std::uint64_t{limit});
    TRY_ASSIGN(const std::int64_t changes, database_.run(erase_changes, {bytes(user_id), slice, bytes(""), bytes("[]"),
                                                                         bytes("{}"), bytes(model::erasure_kind)}));
    TRY_ASSIGN(const std::int64_t clocks,
               database_.run(erase_clocks, {bytes(user_id), slice, bytes(model::erasure_kind)}));
    return static_cast<std::uint64_t>(changes + clocks);
}

}  // namespace belfry::store
