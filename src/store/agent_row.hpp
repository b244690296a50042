#pragma once

#include <limits>

#include "model/agent.hpp"
#include "model/wake.hpp"
#include "store/row_reader.hpp"

// Rows of agents and wakes, as both sides of the store read them.
namespace belfry::store {

#define BELFRY_AGENT_COLUMNS(next_wake_at, sleep_until)                                                              \
    "a.agent_id, a.user_id, a.kind, a.display_name, a.lifecycle, a.mode, a.allowed_categories_json, "                \
    "a.capabilities_json, a.tool_policies_json, a.config_version, a.model_id, a.prompt_id, "                         \
    "a.config_extension_json, a.workflow, a.workflow_json, a.state_id, a.created_at, a.updated_at, a.destroyed_at, " \
    "a.memory_json, s.revision, s.updated_at, "                                                                      \
    "s.last_wake_at, " next_wake_at ", " sleep_until                                                                 \
    ", s.recent_head_message, s.latest_summary_message, "                                                            \
    "s.processed_json, s.slots_json, r.run_status, r.updated_at, r.active_run, r.active_session, "                   \
    "r.last_run_started_at, r.failure_streak, r.hot_message_count, "                                                 \
    "(SELECT min(t.next_run_at) FROM agent_timers t WHERE t.agent_id = a.agent_id)"
#define BELFRY_AGENTS_WITH(next_wake_at, sleep_until) \
    "SELECT " BELFRY_AGENT_COLUMNS(next_wake_at, sleep_until)                                                    \
    " FROM agents a JOIN agent_states s ON s.agent_id = a.agent_id JOIN agent_runtime_states r ON r.agent_id = " \
    "a.agent_id "
// The records of agents, which are the same on all devices.
#define BELFRY_AGENTS BELFRY_AGENTS_WITH("s.next_wake_at", "s.sleep_until")
// The same with the wake times by which this device goes after a correction of its clock.
#define BELFRY_AGENTS_HERE                                                                       \
    BELFRY_AGENTS_WITH(                                                                          \
        "coalesce((SELECT m.wake_is FROM moved_wake_times m WHERE m.agent_id = s.agent_id AND "  \
        "m.wake_was = s.next_wake_at), s.next_wake_at)",                                         \
        "coalesce((SELECT m.sleep_is FROM moved_wake_times m WHERE m.agent_id = s.agent_id AND " \
        "m.sleep_was = s.sleep_until), s.sleep_until)")
#define BELFRY_SUBSCRIPTION_COLUMNS "subscription_id, agent_id, active, rule_json, created_at, updated_at"
#define BELFRY_WAKE_COLUMNS                                                                                        \
    "wake_id, run_key, agent_id, user_id, reason, reason_id, catch_up, thread_id, session_id, input_json, state, " \
    "priority, due_at, signals, attempts, holder, fence, lease_until, deadline, run_id, coalesced_into, "          \
    "error_type, error_message, created_at, started_at, ended_at"
#define BELFRY_SIGNAL_COLUMNS "wake_id, ordinal, kind, signal_key, rule, body_json, came_at"

// What a timer has for its next firing that does not fire any more.
inline constexpr std::int64_t never_fires = std::numeric_limits<std::int64_t>::max();

model::AgentRecord read_agent(RowReader& row);
model::WakeSubscription read_subscription(RowReader& row);
model::Wake read_wake(RowReader& row);
model::WakeSignal read_signal(RowReader& row);

}  // namespace belfry::store
