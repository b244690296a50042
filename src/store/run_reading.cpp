#include "store/run_reading.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "store/run_row.hpp"
#include "store/snapshot.hpp"

namespace belfry::store {
namespace {

#define BELFRY_RUNS "SELECT " BELFRY_RUN_COLUMNS " FROM runs "
// The state is looked at last: it is among few, and the lists are read along the other columns.
#define BELFRY_RUN_PAGE "run_id < $1 AND ($2 < 0 OR state = $2) ORDER BY run_id DESC LIMIT $3"
constexpr Sql select_run{BELFRY_RUNS "WHERE run_id = $1"};
constexpr Sql list_all{BELFRY_RUNS "WHERE " BELFRY_RUN_PAGE};
constexpr Sql list_open{BELFRY_RUNS "WHERE state < 2 AND " BELFRY_RUN_PAGE};
constexpr Sql list_user{BELFRY_RUNS "WHERE user_id = $4 AND " BELFRY_RUN_PAGE};
constexpr Sql list_session{BELFRY_RUNS
                           "WHERE session_id = $4 AND session_id IS NOT NULL AND ($5 = $6 OR user_id = $5) AND "
                           "($7 = $6 OR agent_id = $7) AND " BELFRY_RUN_PAGE};
constexpr Sql list_agent{
    BELFRY_RUNS "WHERE agent_id = $4 AND agent_id IS NOT NULL AND ($5 = $6 OR user_id = $5) AND " BELFRY_RUN_PAGE};
constexpr Sql list_root{BELFRY_RUNS
                        "WHERE root_id = $4 AND ($5 = $6 OR user_id = $5) AND ($7 = $6 OR session_id = $7) AND "
                        "($8 = $6 OR agent_id = $8) AND " BELFRY_RUN_PAGE};

// The numbers of those that wait, up to this one: the index of the queue holds no others, and is walked once however
// many are asked for.
constexpr Sql select_queue{"SELECT queued FROM runs WHERE queued IS NOT NULL AND queued <= $1 ORDER BY queued"};

}  // namespace

base::Result<void> SqlRunReading::count_positions(std::vector<model::Run>& runs) {
    std::vector<model::Run*> waiting;
    for (model::Run& run : runs) {
        if (run.queued != 0) waiting.push_back(&run);
    }
    if (waiting.empty()) return {};
    std::ranges::sort(waiting, {}, [](const model::Run* run) { return run->queued; });
    std::int64_t position = 0;
    auto next = waiting.begin();
    TRY(database_.run(select_queue, {number(waiting.back()->queued)}, [&](const Row& row) {
        ++position;
        if (next != waiting.end() && (*next)->queued == row.number(0)) (*next++)->queue_position = position;
    }));
    return {};
}

base::Result<std::optional<model::Run>> SqlRunReading::find(model::RunId id) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    TRY_ASSIGN(std::vector<model::Run> found, select(database_, "runs", select_run, {number(id)}, read_run));
    TRY(count_positions(found));
    return found.empty() ? std::nullopt : std::optional<model::Run>(std::move(found.front()));
}

base::Result<model::RunId> SqlRunReading::last_id() {
    return read_last_run(database_);
}

base::Result<std::vector<model::Run>> SqlRunReading::list(const ports::RunFilter& filter) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    TRY_ASSIGN(std::vector<model::Run> runs, read_page(filter));
    TRY(count_positions(runs));
    return runs;
}

base::Result<std::vector<model::Run>> SqlRunReading::read_page(const ports::RunFilter& filter) {
    const Param before = number(filter.after == 0 ? std::numeric_limits<std::int64_t>::max() : filter.after);
    const Param state = filter.state ? choice(*filter.state) : number(std::int64_t{-1});
    const Param limit = number(std::uint64_t{filter.limit});
    const Param user = bytes(filter.user_id);
    const Param session = bytes(filter.session_id);
    const Param agent = bytes(filter.agent_id);
    const Param any = bytes("");
    if (filter.root_id != 0) {
        return select(database_, "runs", list_root,
                      {before, state, limit, number(filter.root_id), user, any, session, agent}, read_run);
    }
    if (!filter.session_id.empty()) {
        return select(database_, "runs", list_session, {before, state, limit, session, user, any, agent}, read_run);
    }
    if (!filter.agent_id.empty()) {
        return select(database_, "runs", list_agent, {before, state, limit, agent, user, any}, read_run);
    }
    if (!filter.user_id.empty()) {
        return select(database_, "runs", list_user, {before, state, limit, user}, read_run);
    }
    const bool open_only = filter.state && !model::is_ended(*filter.state);
    return select(database_, "runs", open_only ? list_open : list_all, {before, state, limit}, read_run);
}

}  // namespace belfry::store
