#pragma once

#include <string_view>

// The parts of schema version 6, a block a capability.
namespace belfry::store::schema_6 {

// Agents, their state and what they do here, which are written at different times and apart from each other; and their
// rules for being woken.
inline constexpr std::string_view agents = R"sql(
CREATE TABLE agents (
    agent_id @bytes PRIMARY KEY,
    user_id @bytes NOT NULL,
    kind @bytes NOT NULL,
    display_name @bytes NOT NULL,
    lifecycle @int NOT NULL,
    mode @int NOT NULL,
    allowed_categories_json @bytes NOT NULL,
    capabilities_json @bytes NOT NULL,
    config_version @int NOT NULL,
    model_id @bytes,
    prompt_id @bytes,
    config_extension_json @bytes NOT NULL,
    workflow @int NOT NULL,
    workflow_json @bytes NOT NULL,
    state_id @bytes NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    destroyed_at @int
) @table;

CREATE INDEX agents_user ON agents (user_id, agent_id);

CREATE TABLE agent_states (
    agent_id @bytes PRIMARY KEY,
    state_id @bytes NOT NULL,
    revision @int NOT NULL,
    updated_at @int NOT NULL,
    last_wake_at @int,
    next_wake_at @int,
    sleep_until @int,
    recent_head_message @bytes,
    latest_summary_message @bytes,
    processed_json @bytes NOT NULL,
    slots_json @bytes NOT NULL
) @table;

CREATE TABLE agent_runtime_states (
    agent_id @bytes PRIMARY KEY,
    run_status @int NOT NULL,
    updated_at @int NOT NULL,
    active_run @int NOT NULL,
    active_session @bytes,
    last_run_started_at @int,
    failure_streak @int NOT NULL,
    hot_message_count @int NOT NULL
) @table;

CREATE TABLE agent_subscriptions (
    subscription_id @bytes PRIMARY KEY,
    agent_id @bytes NOT NULL,
    active @int NOT NULL,
    rule_json @bytes NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL
) @table;

CREATE INDEX agent_subscriptions_agent ON agent_subscriptions (agent_id, active, subscription_id);
)sql";

// Wakes: the queue of those that have not ended (state below 2), and the record of those that have. Why each is there
// stands in rows of its own, so that one more signal costs one more row.
inline constexpr std::string_view wakes = R"sql(
CREATE TABLE wakes (
    wake_id @int PRIMARY KEY,
    run_key @bytes NOT NULL UNIQUE,
    agent_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    reason @int NOT NULL,
    reason_id @bytes NOT NULL,
    catch_up @int NOT NULL,
    thread_id @bytes NOT NULL,
    session_id @bytes,
    input_json @bytes NOT NULL,
    state @int NOT NULL,
    priority @int NOT NULL,
    due_at @int NOT NULL,
    signals @int NOT NULL,
    attempts @int NOT NULL,
    holder @bytes NOT NULL,
    fence @int NOT NULL,
    lease_until @int,
    deadline @int,
    run_id @int NOT NULL,
    coalesced_into @int NOT NULL,
    error_type @bytes,
    error_message @bytes,
    created_at @int NOT NULL,
    started_at @int,
    ended_at @int
) @table;

CREATE INDEX wakes_open ON wakes (wake_id) WHERE state < 2;
CREATE INDEX wakes_agent ON wakes (agent_id, wake_id);
CREATE INDEX wakes_user ON wakes (user_id, wake_id);
CREATE INDEX wakes_ended ON wakes (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE wake_signals (
    wake_id @int NOT NULL,
    ordinal @int NOT NULL,
    kind @int NOT NULL,
    signal_key @bytes NOT NULL,
    rule @bytes NOT NULL,
    body_json @bytes NOT NULL,
    came_at @int NOT NULL,
    PRIMARY KEY (wake_id, ordinal)
) @keyed;
)sql";

// What agents remember, one row a message, only ever added; what is large lies apart. An action (kind 3) is there once
// under its operation, and has one result (kind 4) at the most. The plans are those of runs.
inline constexpr std::string_view messages = R"sql(
CREATE TABLE agent_messages (
    position @int PRIMARY KEY,
    message_id @bytes NOT NULL UNIQUE,
    agent_id @bytes NOT NULL,
    thread_id @bytes NOT NULL,
    kind @int NOT NULL,
    created_at @int NOT NULL,
    prev_message_id @bytes,
    content_entry_id @bytes,
    trigger_source_id @bytes,
    summary_start_message_id @bytes,
    summary_end_message_id @bytes,
    summary_depth @int NOT NULL,
    tokens_approx @int NOT NULL,
    action_ref_id @bytes,
    operation_id @bytes,
    status @int,
    error_code @bytes,
    error_message @bytes,
    extension_json @bytes NOT NULL,
    envelope_json @bytes NOT NULL,
    content_json @bytes NOT NULL
) @table;

CREATE INDEX agent_messages_agent_created ON agent_messages (agent_id, created_at DESC, position DESC);
CREATE INDEX agent_messages_thread ON agent_messages (thread_id, position);
CREATE UNIQUE INDEX agent_messages_operation ON agent_messages (agent_id, operation_id) WHERE kind = 3;
CREATE UNIQUE INDEX agent_messages_result ON agent_messages (action_ref_id) WHERE kind = 4;

CREATE TABLE agent_payloads (
    entry_id @bytes PRIMARY KEY,
    content_json @bytes NOT NULL
) @table;

CREATE TABLE agent_links (
    from_id @bytes NOT NULL,
    relation @int NOT NULL,
    to_id @bytes NOT NULL,
    thread_id @bytes NOT NULL,
    hidden @int NOT NULL,
    created_at @int NOT NULL,
    PRIMARY KEY (from_id, relation, to_id)
) @keyed;

CREATE INDEX agent_links_from ON agent_links (relation, from_id, hidden, created_at DESC);
CREATE INDEX agent_links_to ON agent_links (relation, to_id, hidden, created_at DESC);

CREATE TABLE agent_plans (
    run_key @bytes NOT NULL,
    round @int NOT NULL,
    agent_id @bytes NOT NULL,
    wake_id @int NOT NULL,
    created_at @int NOT NULL,
    actions_json @bytes NOT NULL,
    PRIMARY KEY (run_key, round)
) @keyed;

CREATE INDEX agent_plans_agent ON agent_plans (agent_id);
)sql";

}  // namespace belfry::store::schema_6
