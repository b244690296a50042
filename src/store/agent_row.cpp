#include "store/agent_row.hpp"

namespace belfry::store {

model::AgentRecord read_agent(RowReader& row) {
    model::AgentRecord record;
    model::Agent& agent = record.agent;
    agent.id = row.text();
    agent.user_id = row.text();
    agent.kind = row.text();
    agent.display_name = row.text();
    agent.lifecycle = row.choice(model::AgentLifecycle::destroyed);
    agent.mode = row.choice(model::AgentMode::hybrid);
    agent.allowed_category_ids = model::text_list_of({row.bytes()});
    agent.capabilities = model::text_list_of({row.bytes()});
    auto policies = model::tool_policies_of({row.skip_null() ? std::string_view("{}") : row.bytes()});
    if (policies) agent.tool_policies = std::move(*policies);
    else row.note_damage();
    agent.config.schema_version = row.number();
    agent.config.model_id = row.maybe_text().value_or("");
    agent.config.prompt_id = row.maybe_text().value_or("");
    agent.config.extension = row.json();
    agent.workflow = row.choice(model::WorkflowKind::script);
    agent.workflow_settings = row.json();
    agent.state_id = row.uuid();
    agent.created_at = row.time();
    agent.updated_at = row.time();
    agent.destroyed_at = row.maybe_time();
    if (!row.skip_null()) agent.memory = model::memory_settings_of({row.bytes()});
    model::AgentState& state = record.state;
    state.id = agent.state_id;
    state.agent_id = agent.id;
    state.revision = row.number();
    state.updated_at = row.time();
    state.last_wake_at = row.maybe_time();
    state.next_wake_at = row.maybe_time();
    state.sleep_until = row.maybe_time();
    state.recent_head_message_id = row.maybe_uuid();
    state.latest_summary_message_id = row.maybe_uuid();
    state.processed_counter_by_host = model::counters_of({row.bytes()});
    state.slots = model::agent_slots_of({row.bytes()});
    model::AgentRuntimeState& runtime = record.runtime;
    runtime.agent_id = agent.id;
    runtime.run_status = row.choice(model::AgentRunStatus::failed);
    runtime.updated_at = row.time();
    runtime.active_run_id = row.number();
    runtime.active_session_id = row.maybe_text().value_or("");
    runtime.last_run_started_at = row.maybe_time();
    runtime.failure_streak = row.number();
    runtime.hot_message_count = row.number();
    const std::int64_t next_timer = row.maybe_number().value_or(never_fires);
    if (next_timer != never_fires) record.next_timer_at = base::Timestamp{next_timer};
    return record;
}

model::WakeSubscription read_subscription(RowReader& row) {
    model::WakeSubscription subscription;
    subscription.id = {row.uuid()};
    subscription.agent_id = row.text();
    subscription.active = row.flag();
    model::read_wake_rule({row.bytes()}, subscription);
    subscription.created_at = row.time();
    subscription.updated_at = row.time();
    return subscription;
}

model::Wake read_wake(RowReader& row) {
    model::Wake wake;
    wake.id = row.number();
    wake.run_key = row.text();
    wake.agent_id = row.text();
    wake.user_id = row.text();
    wake.reason = row.choice(model::WakeReason::manual);
    wake.reason_id = row.text();
    wake.catch_up = row.flag();
    wake.thread_id = row.text();
    wake.session_id = row.maybe_text().value_or("");
    wake.input = row.json();
    wake.state = row.choice(model::WakeState::not_needed);
    wake.priority = row.number();
    wake.due_at = row.time();
    wake.signals = row.number();
    wake.attempts = row.number();
    wake.holder = row.text();
    wake.fence = row.number();
    wake.lease_until = row.maybe_time();
    wake.deadline = row.maybe_time();
    wake.run_id = row.number();
    wake.coalesced_into = row.number();
    auto error_type = row.maybe_text();
    auto error_message = row.maybe_text();
    if (error_type) wake.error = model::RunError{std::move(*error_type), error_message.value_or("")};
    wake.created_at = row.time();
    wake.started_at = row.maybe_time();
    wake.ended_at = row.maybe_time();
    return wake;
}

model::WakeSignal read_signal(RowReader& row) {
    model::WakeSignal signal;
    signal.wake_id = row.number();
    signal.ordinal = row.number();
    signal.kind = row.choice(model::SignalKind::notification);
    signal.key = row.text();
    signal.rule = row.text();
    signal.body = row.json();
    signal.came_at = row.time();
    return signal;
}

}  // namespace belfry::store
