#include "store/run_table.hpp"

#include <algorithm>

#include "store/run_row.hpp"

namespace belfry::store {
namespace {

constexpr Sql select_open{"SELECT " BELFRY_RUN_COLUMNS " FROM runs WHERE state < 2 ORDER BY run_id"};
constexpr Sql select_run{"SELECT " BELFRY_RUN_COLUMNS " FROM runs WHERE run_id = $1"};
constexpr Sql select_key{"SELECT " BELFRY_RUN_COLUMNS " FROM runs WHERE user_id = $1 AND run_key = $2"};
constexpr Sql upsert_run{
    "INSERT INTO runs (" BELFRY_RUN_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, "
    "$23) "
    "ON CONFLICT (run_id) DO UPDATE SET state = excluded.state, paused = excluded.paused, tree = excluded.tree, "
    "queued = excluded.queued, result_json = excluded.result_json, error_type = excluded.error_type, "
    "error_message = excluded.error_message, cancel_reason = excluded.cancel_reason, "
    "started_at = excluded.started_at, ended_at = excluded.ended_at, events = excluded.events"};
constexpr Sql select_first_end{"SELECT min(ended_at) FROM runs WHERE ended_at IS NOT NULL"};
constexpr Sql select_ended{"SELECT " BELFRY_RUN_COLUMNS
                           " FROM runs WHERE ended_at < $1 AND ended_at IS NOT NULL ORDER BY ended_at LIMIT $2"};
constexpr Sql select_first_created{"SELECT created_at FROM runs WHERE state > 0 ORDER BY run_id LIMIT 1"};
constexpr Sql update_parent{"UPDATE runs SET parent_id = $2 WHERE run_id = $1"};
constexpr Sql select_of_user{"SELECT " BELFRY_RUN_COLUMNS " FROM runs WHERE user_id = $1 ORDER BY run_id LIMIT $2"};
constexpr Sql select_of_root{"SELECT run_id FROM runs WHERE root_id = $1 LIMIT 1"};
constexpr Sql delete_run{"DELETE FROM runs WHERE run_id = $1"};
constexpr Sql raise_last{"UPDATE ledger SET last_run = $1 WHERE id = 1 AND last_run < $1"};

Param maybe_text(const std::string& text) {
    return text.empty() ? Param{} : bytes(text);
}

std::vector<Param> params_of(const model::Run& run, const std::string& caller) {
    return {number(run.id),
            maybe_text(run.run_key),
            number(run.parent_id),
            number(run.root_id),
            bytes(run.user_id),
            maybe_text(run.session_id),
            maybe_text(run.agent_id),
            bytes(run.title),
            bytes(run.metadata.bytes()),
            maybe_text(caller),
            choice(run.state),
            number(std::int64_t{run.paused}),
            number(std::int64_t{run.tree}),
            run.queued == 0 ? Param{} : number(run.queued),
            run.result ? bytes(run.result->bytes()) : Param{},
            run.error ? bytes(run.error->type) : Param{},
            run.error ? bytes(run.error->message) : Param{},
            run.cancel_reason ? bytes(*run.cancel_reason) : Param{},
            number(run.created_at),
            maybe(run.started_at),
            maybe(run.ended_at),
            number(run.events),
            maybe_text(run.hierarchy_id)};
}

}  // namespace

base::Result<std::vector<model::Run>> SqlRunTable::load_open() {
    return select(database_, "runs", select_open, {}, read_run);
}

base::Result<model::RunId> SqlRunTable::last_id() {
    return read_last_run(database_);
}

base::Result<std::vector<model::Run>> SqlRunTable::find(std::span<const model::RunId> ids) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const model::RunId id : ids) sets.push_back({number(id)});
    return select_many(database_, "runs", select_run, sets, read_run);
}

base::Result<std::vector<model::Run>> SqlRunTable::find_keys(std::span<const Key> keys) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(keys.size());
    for (const Key& key : keys) sets.push_back({bytes(key.user_id), bytes(key.run_key)});
    return select_many(database_, "runs", select_key, sets, read_run);
}

base::Result<void> SqlRunTable::put(std::span<const model::Run> runs) {
    std::vector<std::string> callers(runs.size());
    std::vector<std::vector<Param>> sets;
    sets.reserve(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].caller) model::append_caller_json(callers[i], *runs[i].caller);
        sets.push_back(params_of(runs[i], callers[i]));
    }
    return database_.run_many(upsert_run, sets, {});
}

base::Result<std::optional<base::Timestamp>> SqlRunTable::first_end() {
    std::optional<base::Timestamp> first;
    TRY(database_.run(select_first_end, {}, [&](const Row& row) {
        if (!row.is_null(0)) first = base::Timestamp{row.number(0)};
    }));
    return first;
}

base::Result<std::vector<model::Run>> SqlRunTable::ended_before(base::Timestamp older_than, std::size_t limit) {
    return select(database_, "runs", select_ended, {number(older_than), number(std::uint64_t{limit})}, read_run);
}

base::Result<std::optional<base::Timestamp>> SqlRunTable::first_created() {
    std::optional<base::Timestamp> first;
    TRY(database_.run(select_first_created, {}, [&](const Row& row) { first = base::Timestamp{row.number(0)}; }));
    return first;
}

base::Result<void> SqlRunTable::move(std::span<const Move> moves) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(moves.size());
    for (const Move& move : moves) sets.push_back({number(move.id), number(move.parent)});
    return database_.run_many(update_parent, sets, {});
}

base::Result<std::vector<model::Run>> SqlRunTable::of_user(std::string_view user_id, std::size_t limit) {
    return select(database_, "runs", select_of_user, {bytes(user_id), number(std::uint64_t{limit})}, read_run);
}

base::Result<bool> SqlRunTable::has_tree(model::RunId root) {
    bool found = false;
    TRY(database_.run(select_of_root, {number(root)}, [&](const Row&) { found = true; }));
    return found;
}

base::Result<void> SqlRunTable::remove(std::span<const model::RunId> ids) {
    if (ids.empty()) return {};
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const model::RunId id : ids) sets.push_back({number(id)});
    TRY(database_.run_many(delete_run, sets, {}));
    TRY(database_.run(raise_last, {number(*std::ranges::max_element(ids))}));
    return {};
}

}  // namespace belfry::store
