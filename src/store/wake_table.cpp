#include "store/wake_table.hpp"

#include <limits>

#include "store/agent_row.hpp"

namespace belfry::store {
namespace {

#define BELFRY_WAKES "SELECT " BELFRY_WAKE_COLUMNS " FROM wakes "
constexpr Sql select_open{BELFRY_WAKES "WHERE state < 2 ORDER BY wake_id"};
constexpr Sql select_last{"SELECT coalesce(max(wake_id), 0) FROM wakes"};
constexpr Sql select_wake{BELFRY_WAKES "WHERE wake_id = $1"};
constexpr Sql select_key{BELFRY_WAKES "WHERE run_key = $1"};
constexpr Sql upsert_wake{
    "INSERT INTO wakes (" BELFRY_WAKE_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, "
    "$23, "
    "$24, $25, $26) ON CONFLICT (wake_id) DO UPDATE SET state = excluded.state, priority = excluded.priority, "
    "due_at = excluded.due_at, signals = excluded.signals, attempts = excluded.attempts, holder = excluded.holder, "
    "fence = excluded.fence, lease_until = excluded.lease_until, deadline = excluded.deadline, "
    "run_id = excluded.run_id, coalesced_into = excluded.coalesced_into, error_type = excluded.error_type, "
    "error_message = excluded.error_message, started_at = excluded.started_at, ended_at = excluded.ended_at"};
constexpr Sql insert_signal{"INSERT INTO wake_signals (" BELFRY_SIGNAL_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7)"};
constexpr Sql select_signals{"SELECT " BELFRY_SIGNAL_COLUMNS
                             " FROM wake_signals WHERE wake_id = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3"};
constexpr Sql move_all_signals{"UPDATE wake_signals SET wake_id = $2, ordinal = ordinal + $3 WHERE wake_id = $1"};
constexpr Sql delete_signals{"DELETE FROM wake_signals WHERE wake_id = $1"};
constexpr Sql drop_signals{
    "DELETE FROM wake_signals WHERE wake_id IN (SELECT wake_id FROM wakes WHERE ended_at < $1 AND ended_at IS NOT NULL "
    "ORDER BY ended_at LIMIT $2)"};
constexpr Sql drop_plans{
    "DELETE FROM agent_plans WHERE run_key IN (SELECT run_key FROM wakes WHERE ended_at < $1 AND ended_at IS NOT NULL "
    "ORDER BY ended_at LIMIT $2)"};
constexpr Sql drop_tool_calls{
    "DELETE FROM tool_calls WHERE wake_id IN (SELECT wake_id FROM wakes WHERE ended_at < $1 AND ended_at IS NOT NULL "
    "ORDER BY ended_at LIMIT $2)"};
constexpr Sql drop_wakes{
    "DELETE FROM wakes WHERE wake_id IN (SELECT wake_id FROM wakes WHERE ended_at < $1 AND ended_at IS NOT NULL "
    "ORDER BY ended_at LIMIT $2)"};

constexpr Sql select_agent{BELFRY_AGENTS_HERE "WHERE a.agent_id = $1"};
#define BELFRY_AGENT_PAGE "a.agent_id > $1 AND ($2 < 0 OR a.lifecycle = $2) ORDER BY a.agent_id LIMIT $3"
constexpr Sql list_agents{BELFRY_AGENTS_HERE "WHERE " BELFRY_AGENT_PAGE};
constexpr Sql list_agents_of_user{BELFRY_AGENTS_HERE "WHERE a.user_id = $4 AND " BELFRY_AGENT_PAGE};
constexpr Sql select_subscriptions{"SELECT " BELFRY_SUBSCRIPTION_COLUMNS
                                   " FROM agent_subscriptions WHERE agent_id = $1 ORDER BY subscription_id"};
#define BELFRY_WAKE_PAGE "wake_id < $1 AND ($2 < 0 OR state = $2) ORDER BY wake_id DESC LIMIT $3"
constexpr Sql list_wakes{BELFRY_WAKES "WHERE " BELFRY_WAKE_PAGE};
constexpr Sql list_open_wakes{
    BELFRY_WAKES "WHERE state < 2 AND ($4 = $6 OR agent_id = $4) AND ($5 = $6 OR user_id = $5) AND " BELFRY_WAKE_PAGE};
constexpr Sql list_wakes_of_agent{BELFRY_WAKES
                                  "WHERE agent_id = $4 AND ($5 = $6 OR user_id = $5) AND " BELFRY_WAKE_PAGE};
// The partial index on open wakes needs `state < 2`.
constexpr Sql select_queued{
    "SELECT DISTINCT agent_id FROM wakes WHERE state < 2 AND state = $1 AND agent_id >= $2 AND agent_id <= $3"};
constexpr Sql list_wakes_of_user{BELFRY_WAKES "WHERE user_id = $4 AND " BELFRY_WAKE_PAGE};

std::vector<Param> params_of(const model::Wake& wake) {
    return {number(wake.id),
            bytes(wake.run_key),
            bytes(wake.agent_id),
            bytes(wake.user_id),
            choice(wake.reason),
            bytes(wake.reason_id),
            choice(wake.catch_up),
            bytes(wake.thread_id),
            wake.session_id.empty() ? Param{} : bytes(wake.session_id),
            bytes(wake.input.bytes()),
            choice(wake.state),
            number(wake.priority),
            number(wake.due_at),
            number(wake.signals),
            number(wake.attempts),
            bytes(wake.holder),
            number(wake.fence),
            maybe(wake.lease_until),
            maybe(wake.deadline),
            number(wake.run_id),
            number(wake.coalesced_into),
            wake.error ? bytes(wake.error->type) : Param{},
            wake.error ? bytes(wake.error->message) : Param{},
            number(wake.created_at),
            maybe(wake.started_at),
            maybe(wake.ended_at)};
}

}  // namespace

base::Result<std::vector<model::Wake>> SqlWakeTable::load_open() {
    return select(database_, "wakes", select_open, {}, read_wake);
}

base::Result<model::WakeId> SqlWakeTable::last_id() {
    model::WakeId last = 0;
    TRY(database_.run(select_last, {}, [&](const Row& row) { last = row.number(0); }));
    return last;
}

base::Result<std::optional<model::Wake>> SqlWakeTable::find(model::WakeId id) {
    return select_one(database_, "wakes", select_wake, {number(id)}, read_wake);
}

base::Result<std::optional<model::Wake>> SqlWakeTable::find_key(std::string_view run_key) {
    return select_one(database_, "wakes", select_key, {bytes(run_key)}, read_wake);
}

base::Result<void> SqlWakeTable::put(std::span<const model::Wake> wakes) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(wakes.size());
    for (const model::Wake& wake : wakes) sets.push_back(params_of(wake));
    return database_.run_many(upsert_wake, sets, {});
}

base::Result<void> SqlWakeTable::add_signals(std::span<const model::WakeSignal> signals) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(signals.size());
    for (const model::WakeSignal& one : signals) {
        sets.push_back({number(one.wake_id), number(one.ordinal), choice(one.kind), bytes(one.key), bytes(one.rule),
                        bytes(one.body.bytes()), number(one.came_at)});
    }
    return database_.run_many(insert_signal, sets, {});
}

base::Result<std::vector<model::WakeSignal>> SqlWakeTable::signals(model::WakeId id, std::int64_t after,
                                                                   std::size_t limit) {
    return select(database_, "wake_signals", select_signals, {number(id), number(after), number(std::uint64_t{limit})},
                  read_signal);
}

base::Result<void> SqlWakeTable::move_signals(model::WakeId from, model::WakeId to, std::int64_t after) {
    TRY(database_.run(move_all_signals, {number(from), number(to), number(after)}));
    return {};
}

base::Result<void> SqlWakeTable::remove_signals(model::WakeId id) {
    TRY(database_.run(delete_signals, {number(id)}));
    return {};
}

base::Result<std::uint64_t> SqlWakeTable::drop_ended(base::Timestamp older_than, std::size_t limit) {
    const Param rows_max = number(std::uint64_t{limit});
    TRY(database_.run(drop_signals, {number(older_than), rows_max}));
    TRY(database_.run(drop_plans, {number(older_than), rows_max}));
    TRY(database_.run(drop_tool_calls, {number(older_than), rows_max}));
    TRY_ASSIGN(const std::int64_t gone, database_.run(drop_wakes, {number(older_than), rows_max}));
    return static_cast<std::uint64_t>(gone);
}

base::Result<std::optional<model::AgentRecord>> SqlAgentReading::find(std::string_view id) {
    return select_one(database_, "agents", select_agent, {bytes(id)}, read_agent);
}

base::Result<std::vector<model::AgentRecord>> SqlAgentReading::list(const ports::AgentFilter& filter) {
    const Param after = bytes(filter.after);
    const Param lifecycle = filter.lifecycle ? choice(*filter.lifecycle) : number(std::int64_t{-1});
    const Param limit = number(std::uint64_t{filter.limit});
    if (filter.user_id.empty()) return select(database_, "agents", list_agents, {after, lifecycle, limit}, read_agent);
    return select(database_, "agents", list_agents_of_user, {after, lifecycle, limit, bytes(filter.user_id)},
                  read_agent);
}

base::Result<std::vector<model::WakeSubscription>> SqlAgentReading::subscriptions(std::string_view agent_id) {
    return select(database_, "agent_subscriptions", select_subscriptions, {bytes(agent_id)}, read_subscription);
}

base::Result<std::optional<model::Wake>> SqlAgentReading::wake(model::WakeId id) {
    return select_one(database_, "wakes", select_wake, {number(id)}, read_wake);
}

base::Result<std::vector<model::Wake>> SqlAgentReading::wakes(const ports::WakeFilter& filter) {
    const Param before = number(filter.after == 0 ? std::numeric_limits<std::int64_t>::max() : filter.after);
    const Param state = filter.state ? choice(*filter.state) : number(std::int64_t{-1});
    const Param limit = number(std::uint64_t{filter.limit});
    const Param agent = bytes(filter.agent_id);
    const Param user = bytes(filter.user_id);
    const Param any = bytes("");
    if (filter.open || (filter.state && !model::is_ended(*filter.state))) {
        return select(database_, "wakes", list_open_wakes, {before, state, limit, agent, user, any}, read_wake);
    }
    if (!filter.agent_id.empty()) {
        return select(database_, "wakes", list_wakes_of_agent, {before, state, limit, agent, user, any}, read_wake);
    }
    if (!filter.user_id.empty()) {
        return select(database_, "wakes", list_wakes_of_user, {before, state, limit, user}, read_wake);
    }
    return select(database_, "wakes", list_wakes, {before, state, limit}, read_wake);
}

base::Result<std::set<std::string>> SqlAgentReading::queued(std::string_view first, std::string_view last) {
    std::set<std::string> agents;
    TRY(database_.run(select_queued, {choice(model::WakeState::queued), bytes(first), bytes(last)},
                      [&](const Row& row) { agents.insert(std::string(row.bytes(0))); }));
    return agents;
}

base::Result<std::vector<model::WakeSignal>> SqlAgentReading::signals(model::WakeId id, std::int64_t after,
                                                                      std::size_t limit) {
    return select(database_, "wake_signals", select_signals, {number(id), number(after), number(std::uint64_t{limit})},
                  read_signal);
}

}  // namespace belfry::store
