#include "store/outside_call_table.hpp"

#include <algorithm>

#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

#define BELFRY_TOOL_CALL_COLUMNS                                                                                       \
    "call_id, tool_name, runner, operation_id, agent_id, user_id, wake_id, action_id, arguments_json, state, holder, " \
    "fence, lease_until, attempts, deadline, error_code, created_at, ended_at"
#define BELFRY_TOOL_CALLS "SELECT " BELFRY_TOOL_CALL_COLUMNS " FROM tool_calls "

constexpr Sql upsert_call{
    "INSERT INTO tool_calls (" BELFRY_TOOL_CALL_COLUMNS
    ", due_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) "
    "ON CONFLICT (call_id) DO UPDATE SET state = excluded.state, holder = excluded.holder, fence = excluded.fence, "
    "lease_until = excluded.lease_until, attempts = excluded.attempts, due_at = excluded.due_at, "
    "error_code = excluded.error_code, ended_at = excluded.ended_at"};
constexpr Sql select_call{BELFRY_TOOL_CALLS "WHERE call_id = $1"};
constexpr Sql select_of_action{BELFRY_TOOL_CALLS "WHERE action_id = $1"};
constexpr Sql select_next{BELFRY_TOOL_CALLS
                          "WHERE tool_name = $1 AND state = 0 AND runner = 1 ORDER BY call_id LIMIT 1"};
constexpr Sql select_next_of_user{
    BELFRY_TOOL_CALLS "WHERE tool_name = $1 AND user_id = $2 AND state = 0 AND runner = 1 ORDER BY call_id LIMIT 1"};
constexpr Sql select_of_wake{BELFRY_TOOL_CALLS "WHERE wake_id = $1 AND state < 2 ORDER BY call_id"};
constexpr Sql select_overdue{BELFRY_TOOL_CALLS "WHERE due_at <= $1 AND state < 2 ORDER BY due_at LIMIT $2"};
constexpr Sql select_next_due{"SELECT min(due_at) FROM tool_calls WHERE state < 2"};
constexpr Sql select_wakes{"SELECT DISTINCT wake_id FROM tool_calls WHERE state < 2"};
#define BELFRY_TOOL_CALL_PAGE                                                                                 \
    "call_id < $1 AND ($2 < 0 OR state = $2) AND ($4 = $6 OR agent_id = $4) AND ($5 = $6 OR tool_name = $5) " \
    "ORDER BY call_id DESC LIMIT $3"
constexpr Sql list_calls{BELFRY_TOOL_CALLS "WHERE " BELFRY_TOOL_CALL_PAGE};
constexpr Sql list_calls_of_user{BELFRY_TOOL_CALLS "WHERE user_id = $7 AND " BELFRY_TOOL_CALL_PAGE};

base::Timestamp due_at(const model::OutsideCall& call) {
    return call.lease_until ? std::min(*call.lease_until, call.deadline) : call.deadline;
}

model::OutsideCall read_call(RowReader& row) {
    model::OutsideCall call;
    call.id.uuid = row.uuid();
    call.tool_name = row.text();
    call.by = row.choice(model::ToolRunner::webhook);
    call.operation_id = row.text();
    call.agent_id = row.text();
    call.user_id = row.text();
    call.wake_id = row.number();
    call.action_id = row.uuid();
    call.arguments = row.json();
    call.state = row.choice(model::OutsideCallState::abandoned);
    call.holder = row.text();
    call.fence = row.number();
    call.lease_until = row.maybe_time();
    call.attempts = row.number();
    call.deadline = row.time();
    call.error_code = row.text();
    call.created_at = row.time();
    call.ended_at = row.maybe_time();
    return call;
}

}  // namespace

base::Result<void> SqlOutsideCallTable::put(const model::OutsideCall& call) {
    TRY(database_.run(upsert_call,
                      {bytes(call.id.uuid), bytes(call.tool_name), choice(call.by), bytes(call.operation_id),
                       bytes(call.agent_id), bytes(call.user_id), number(call.wake_id), bytes(call.action_id),
                       bytes(call.arguments.bytes()), choice(call.state), bytes(call.holder), number(call.fence),
                       maybe(call.lease_until), number(call.attempts), number(call.deadline), bytes(call.error_code),
                       number(call.created_at), maybe(call.ended_at), number(due_at(call))}));
    return {};
}

base::Result<std::optional<model::OutsideCall>> SqlOutsideCallTable::find(const model::OutsideCallId& id) {
    return select_one(database_, "tool_calls", select_call, {bytes(id.uuid)}, read_call);
}

base::Result<std::optional<model::OutsideCall>> SqlOutsideCallTable::of_action(const base::Uuid& action_id) {
    return select_one(database_, "tool_calls", select_of_action, {bytes(action_id)}, read_call);
}

base::Result<std::optional<model::OutsideCall>> SqlOutsideCallTable::next(std::string_view tool_name,
                                                                          std::span<const std::string> users) {
    if (users.empty()) return select_one(database_, "tool_calls", select_next, {bytes(tool_name)}, read_call);
    std::optional<model::OutsideCall> oldest;
    for (const std::string& user : users) {
        TRY_ASSIGN(auto one, select_one(database_, "tool_calls", select_next_of_user, {bytes(tool_name), bytes(user)},
                                        read_call));
        if (one && (!oldest || one->id < oldest->id)) oldest = std::move(one);
    }
    return oldest;
}

base::Result<std::vector<model::OutsideCall>> SqlOutsideCallTable::open_of_wake(model::WakeId wake_id) {
    return select(database_, "tool_calls", select_of_wake, {number(wake_id)}, read_call);
}

base::Result<std::vector<model::OutsideCall>> SqlOutsideCallTable::overdue(base::Timestamp now, std::size_t limit) {
    return select(database_, "tool_calls", select_overdue, {number(now), number(std::uint64_t{limit})}, read_call);
}

base::Result<std::optional<base::Timestamp>> SqlOutsideCallTable::next_due() {
    std::optional<base::Timestamp> next;
    TRY(database_.run(select_next_due, {}, [&](const Row& row) {
        if (!row.is_null(0)) next = base::Timestamp{row.number(0)};
    }));
    return next;
}

base::Result<std::vector<model::WakeId>> SqlOutsideCallTable::waiting_wakes() {
    std::vector<model::WakeId> found;
    TRY(database_.run(select_wakes, {}, [&](const Row& row) { found.push_back(row.number(0)); }));
    return found;
}

base::Result<std::optional<model::OutsideCall>> SqlOutsideCallReading::find(const model::OutsideCallId& id) {
    return select_one(database_, "tool_calls", select_call, {bytes(id.uuid)}, read_call);
}

base::Result<std::vector<model::OutsideCall>> SqlOutsideCallReading::list(const ports::OutsideCallFilter& filter) {
    base::Uuid last;
    last.bytes.fill(0xFF);
    const base::Uuid before = filter.after ? filter.after->uuid : last;
    const Param state = filter.state ? choice(*filter.state) : number(std::int64_t{-1});
    const Param limit = number(std::uint64_t{filter.limit});
    const Param agent = bytes(filter.agent_id);
    const Param tool = bytes(filter.tool_name);
    if (filter.user_id.empty()) {
        return select(database_, "tool_calls", list_calls, {bytes(before), state, limit, agent, tool, bytes("")},
                      read_call);
    }
    return select(database_, "tool_calls", list_calls_of_user,
                  {bytes(before), state, limit, agent, tool, bytes(""), bytes(filter.user_id)}, read_call);
}

}  // namespace belfry::store
