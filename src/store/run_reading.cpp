#include "store/run_reading.hpp"

#include <limits>

#include "store/run_row.hpp"
#include "store/snapshot.hpp"

namespace belfry::store {
namespace {

// How many wait before it, itself included; the index of the queue holds no others.
#define BELFRY_COUNTED_RUN                                                                                \
    "SELECT " BELFRY_RUN_COLUMNS                                                                          \
    ", CASE WHEN queued IS NULL THEN 0 ELSE (SELECT count(*) FROM runs q WHERE q.queued <= runs.queued) " \
    "END FROM runs "
// The state is looked at last: it is among few, and the lists are read along the other columns.
#define BELFRY_RUN_PAGE "run_id < $1 AND ($2 < 0 OR state = $2) ORDER BY run_id DESC LIMIT $3"
constexpr Sql select_run{BELFRY_COUNTED_RUN "WHERE run_id = $1"};
constexpr Sql list_all{BELFRY_COUNTED_RUN "WHERE " BELFRY_RUN_PAGE};
constexpr Sql list_open{BELFRY_COUNTED_RUN "WHERE state < 2 AND " BELFRY_RUN_PAGE};
constexpr Sql list_user{BELFRY_COUNTED_RUN "WHERE user_id = $4 AND " BELFRY_RUN_PAGE};
constexpr Sql list_session{BELFRY_COUNTED_RUN
                           "WHERE session_id = $4 AND session_id IS NOT NULL AND ($5 = $6 OR user_id = $5) AND "
                           "($7 = $6 OR agent_id = $7) AND " BELFRY_RUN_PAGE};
constexpr Sql list_agent{
    BELFRY_COUNTED_RUN
    "WHERE agent_id = $4 AND agent_id IS NOT NULL AND ($5 = $6 OR user_id = $5) AND " BELFRY_RUN_PAGE};
constexpr Sql list_root{BELFRY_COUNTED_RUN
                        "WHERE root_id = $4 AND ($5 = $6 OR user_id = $5) AND ($7 = $6 OR session_id = $7) AND "
                        "($8 = $6 OR agent_id = $8) AND " BELFRY_RUN_PAGE};

model::Run read_counted(RowReader& row) {
    model::Run run = read_run(row);
    run.queue_position = row.number();
    return run;
}

}  // namespace

base::Result<std::optional<model::Run>> SqlRunReading::find(model::RunId id) {
    return select_one(database_, "runs", select_run, {number(id)}, read_counted);
}

base::Result<model::RunId> SqlRunReading::last_id() {
    return read_last_run(database_);
}

base::Result<std::vector<model::Run>> SqlRunReading::list(const ports::RunFilter& filter) {
    const Param before = number(filter.after == 0 ? std::numeric_limits<std::int64_t>::max() : filter.after);
    const Param state = filter.state ? choice(*filter.state) : number(std::int64_t{-1});
    const Param limit = number(std::uint64_t{filter.limit});
    const Param user = bytes(filter.user_id);
    const Param session = bytes(filter.session_id);
    const Param agent = bytes(filter.agent_id);
    const Param any = bytes("");
    if (filter.root_id != 0) {
        return select(database_, "runs", list_root,
                      {before, state, limit, number(filter.root_id), user, any, session, agent}, read_counted);
    }
    if (!filter.session_id.empty()) {
        return select(database_, "runs", list_session, {before, state, limit, session, user, any, agent}, read_counted);
    }
    if (!filter.agent_id.empty()) {
        return select(database_, "runs", list_agent, {before, state, limit, agent, user, any}, read_counted);
    }
    if (!filter.user_id.empty()) {
        return select(database_, "runs", list_user, {before, state, limit, user}, read_counted);
    }
    const bool open_only = filter.state && !model::is_ended(*filter.state);
    return select(database_, "runs", open_only ? list_open : list_all, {before, state, limit}, read_counted);
}

}  // namespace belfry::store
