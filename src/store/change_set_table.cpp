#include "store/change_set_table.hpp"

#include "store/row_reader.hpp"
#include "store/snapshot.hpp"

namespace belfry::store {
namespace {

#define BELFRY_CHANGE_SET_VALUES                                                                            \
    "change_set_id, wake_id, user_id, agent_id, agent_name, run_id, thread_id, session_id, reason, depth, " \
    "proposed, accepted, rejected, failed, created_at, updated_at, decided_at"
#define BELFRY_CHANGE_SETS "SELECT ordinal, " BELFRY_CHANGE_SET_VALUES " FROM change_sets "
#define BELFRY_CHANGE_ITEM_VALUES                                                                             \
    "number, tool_name, operation_id, state, error_code, error_message, decided_by, created_at, decided_at, " \
    "arguments_json, changes_json, result_json"
#define BELFRY_CHANGE_ITEMS "SELECT " BELFRY_CHANGE_ITEM_VALUES " FROM change_items WHERE set_ordinal = $1 "

constexpr Sql select_set{BELFRY_CHANGE_SETS "WHERE change_set_id = $1"};
constexpr Sql select_of_wake{BELFRY_CHANGE_SETS "WHERE wake_id = $1"};
constexpr Sql select_items{BELFRY_CHANGE_ITEMS "ORDER BY number"};
constexpr Sql select_item{BELFRY_CHANGE_ITEMS "AND number = $2"};
constexpr Sql insert_set{
    "INSERT INTO change_sets (ordinal, " BELFRY_CHANGE_SET_VALUES
    ") VALUES ((SELECT coalesce(max(ordinal), 0) + 1 FROM change_sets), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, "
    "$12, $13, $14, $15, $16, $17)"};
constexpr Sql update_set{
    "UPDATE change_sets SET proposed = $2, accepted = $3, rejected = $4, failed = $5, updated_at = $6, "
    "decided_at = $7 WHERE ordinal = $1"};
constexpr Sql insert_item{"INSERT INTO change_items (set_ordinal, " BELFRY_CHANGE_ITEM_VALUES
                          ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"};
constexpr Sql settle_one{
    "UPDATE change_items SET state = $3, error_code = $4, error_message = $5, decided_by = $6, decided_at = $7, "
    "result_json = $8 WHERE set_ordinal = $1 AND number = $2 AND state = 0"};
constexpr Sql count_of_user{"SELECT count(*) FROM change_sets WHERE user_id = $1 AND decided_at IS NULL"};

#define BELFRY_DECIDED_SETS \
    "(SELECT ordinal FROM change_sets WHERE decided_at IS NOT NULL AND decided_at < $1 ORDER BY decided_at LIMIT $2)"
constexpr Sql delete_decided_items{"DELETE FROM change_items WHERE set_ordinal IN " BELFRY_DECIDED_SETS};
constexpr Sql delete_decided{"DELETE FROM change_sets WHERE ordinal IN " BELFRY_DECIDED_SETS};
#define BELFRY_SETS_OF_USER "(SELECT ordinal FROM change_sets WHERE user_id = $1 ORDER BY ordinal LIMIT $2)"
constexpr Sql erase_items{"DELETE FROM change_items WHERE set_ordinal IN " BELFRY_SETS_OF_USER};
constexpr Sql erase_sets{"DELETE FROM change_sets WHERE ordinal IN " BELFRY_SETS_OF_USER};

// One statement a question, so that each has the index that it needs.
constexpr Sql list_all{BELFRY_CHANGE_SETS "WHERE ordinal > $1 ORDER BY ordinal LIMIT $2"};
constexpr Sql list_all_open{BELFRY_CHANGE_SETS "WHERE ordinal > $1 AND decided_at IS NULL ORDER BY ordinal LIMIT $2"};
constexpr Sql list_user{BELFRY_CHANGE_SETS "WHERE user_id = $3 AND ordinal > $1 ORDER BY ordinal LIMIT $2"};
constexpr Sql list_user_open{BELFRY_CHANGE_SETS
                             "WHERE user_id = $3 AND ordinal > $1 AND decided_at IS NULL ORDER BY ordinal LIMIT $2"};
// Of an agent, which has one user: that of the caller is asked for as well. An open one is wanted with 1.
constexpr Sql list_agent{BELFRY_CHANGE_SETS
                         "WHERE agent_id = $3 AND ordinal > $1 AND (length($4) = 0 OR user_id = $4) AND "
                         "($5 = 0 OR decided_at IS NULL) ORDER BY ordinal LIMIT $2"};

Param maybe_json(const std::optional<model::RawJson>& json) {
    return json ? bytes(json->bytes()) : Param{};
}

model::ChangeSet read_set(RowReader& row) {
    model::ChangeSet set;
    set.ordinal = row.number();
    set.id = {row.uuid()};
    set.wake_id = row.number();
    set.user_id = row.text();
    set.agent_id = row.text();
    set.agent_name = row.text();
    set.run_id = row.number();
    set.thread_id = row.text();
    set.session_id = row.text();
    set.reason = row.choice(model::WakeReason::manual);
    set.depth = row.number();
    for (std::int64_t& count : set.counts) count = row.number();
    set.created_at = row.time();
    set.updated_at = row.time();
    set.decided_at = row.maybe_time();
    return set;
}

model::ChangeItem read_item(RowReader& row) {
    model::ChangeItem item;
    item.number = row.number();
    item.tool_name = row.text();
    item.operation_id = row.text();
    item.state = row.choice(model::ChangeItemState::failed);
    item.error_code = row.text();
    item.error_message = row.text();
    item.decided_by = row.text();
    item.created_at = row.time();
    item.decided_at = row.maybe_time();
    item.arguments = row.json();
    item.changes = row.json();
    if (!row.skip_null()) item.result = row.json();
    return item;
}

}  // namespace

base::Result<std::optional<model::ChangeSet>> SqlChangeSetTable::find(const model::ChangeSetId& id) {
    return select_one(database_, "change_sets", select_set, {bytes(id.uuid)}, read_set);
}

base::Result<std::optional<model::ChangeSet>> SqlChangeSetTable::of_wake(model::WakeId wake_id) {
    return select_one(database_, "change_sets", select_of_wake, {number(wake_id)}, read_set);
}

base::Result<std::vector<model::ChangeItem>> SqlChangeSetTable::items(std::int64_t set_ordinal) {
    return select(database_, "change_items", select_items, {number(set_ordinal)}, read_item);
}

base::Result<std::optional<model::ChangeItem>> SqlChangeSetTable::item(std::int64_t set_ordinal, std::int64_t number) {
    return select_one(database_, "change_items", select_item, {store::number(set_ordinal), store::number(number)},
                      read_item);
}

base::Result<std::int64_t> SqlChangeSetTable::add(const model::ChangeSet& set) {
    TRY(database_.run(insert_set, {bytes(set.id.uuid), number(set.wake_id), bytes(set.user_id), bytes(set.agent_id),
                                   bytes(set.agent_name), number(set.run_id), bytes(set.thread_id),
                                   bytes(set.session_id), choice(set.reason), number(set.depth), number(set.counts[0]),
                                   number(set.counts[1]), number(set.counts[2]), number(set.counts[3]),
                                   number(set.created_at), number(set.updated_at), maybe(set.decided_at)}));
    TRY_ASSIGN(const auto added, find(set.id));
    return added->ordinal;
}

base::Result<void> SqlChangeSetTable::update(const model::ChangeSet& set) {
    TRY(database_.run(update_set,
                      {number(set.ordinal), number(set.counts[0]), number(set.counts[1]), number(set.counts[2]),
                       number(set.counts[3]), number(set.updated_at), maybe(set.decided_at)}));
    return {};
}

base::Result<void> SqlChangeSetTable::add_item(std::int64_t set_ordinal, const model::ChangeItem& item) {
    TRY(database_.run(
        insert_item,
        {number(set_ordinal), number(item.number), bytes(item.tool_name), bytes(item.operation_id), choice(item.state),
         bytes(item.error_code), bytes(item.error_message), bytes(item.decided_by), number(item.created_at),
         maybe(item.decided_at), bytes(item.arguments.bytes()), bytes(item.changes.bytes()), maybe_json(item.result)}));
    return {};
}

base::Result<bool> SqlChangeSetTable::settle_item(std::int64_t set_ordinal, const model::ChangeItem& item) {
    TRY_ASSIGN(const std::int64_t changed,
               database_.run(settle_one, {number(set_ordinal), number(item.number), choice(item.state),
                                          bytes(item.error_code), bytes(item.error_message), bytes(item.decided_by),
                                          maybe(item.decided_at), maybe_json(item.result)}));
    return changed > 0;
}

base::Result<std::int64_t> SqlChangeSetTable::count_open(std::string_view user_id) {
    std::int64_t count = 0;
    TRY(database_.run(count_of_user, {bytes(user_id)}, [&](const Row& row) { count = row.number(0); }));
    return count;
}

base::Result<std::uint64_t> SqlChangeSetTable::drop_decided(base::Timestamp older_than, std::size_t limit) {
    const Param rows = number(std::uint64_t{limit});
    TRY(database_.run(delete_decided_items, {number(older_than), rows}));
    TRY_ASSIGN(const std::int64_t gone, database_.run(delete_decided, {number(older_than), rows}));
    return static_cast<std::uint64_t>(gone);
}

// Of the same sets both times: first what is in them.
base::Result<std::uint64_t> SqlChangeSetTable::erase_user(std::string_view user_id, std::size_t limit) {
    const Param rows = number(std::uint64_t{limit});
    TRY_ASSIGN(const std::int64_t items, database_.run(erase_items, {bytes(user_id), rows}));
    TRY_ASSIGN(const std::int64_t sets, database_.run(erase_sets, {bytes(user_id), rows}));
    return static_cast<std::uint64_t>(items + sets);
}

base::Result<std::optional<model::ProposedChanges>> SqlChangeSetReading::find(const model::ChangeSetId& id) {
    using Found = std::optional<model::ProposedChanges>;
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    TRY_ASSIGN(auto set, select_one(database_, "change_sets", select_set, {bytes(id.uuid)}, read_set));
    if (!set) return Found{};
    TRY_ASSIGN(auto items, select(database_, "change_items", select_items, {number(set->ordinal)}, read_item));
    return Found(model::ProposedChanges{std::move(*set), std::move(items)});
}

base::Result<std::vector<model::ChangeSet>> SqlChangeSetReading::list(const ports::ChangeSetFilter& filter) {
    const Param after = number(filter.after);
    const Param limit = number(std::uint64_t{filter.limit});
    if (!filter.agent_id.empty()) {
        return select(database_, "change_sets", list_agent,
                      {after, limit, bytes(filter.agent_id), bytes(filter.user_id), choice(filter.open)}, read_set);
    }
    if (!filter.user_id.empty()) {
        return select(database_, "change_sets", filter.open ? list_user_open : list_user,
                      {after, limit, bytes(filter.user_id)}, read_set);
    }
    return select(database_, "change_sets", filter.open ? list_all_open : list_all, {after, limit}, read_set);
}

}  // namespace belfry::store
