#pragma once

#include <string_view>

// The parts of schema version 8, a block a capability.
namespace belfry::store::schema_8 {

// What agents propose to their people. A set is open as long as something of it is; its items stand under its ordinal.
inline constexpr std::string_view change_sets = R"sql(
ALTER TABLE agents ADD COLUMN tool_policies_json @bytes;

CREATE TABLE change_sets (
    ordinal @int PRIMARY KEY,
    change_set_id @bytes NOT NULL UNIQUE,
    wake_id @int NOT NULL UNIQUE,
    user_id @bytes NOT NULL,
    agent_id @bytes NOT NULL,
    agent_name @bytes NOT NULL,
    run_id @int NOT NULL,
    thread_id @bytes NOT NULL,
    session_id @bytes NOT NULL,
    reason @int NOT NULL,
    depth @int NOT NULL,
    proposed @int NOT NULL,
    accepted @int NOT NULL,
    rejected @int NOT NULL,
    failed @int NOT NULL,
    created_at @int NOT NULL,
    updated_at @int NOT NULL,
    decided_at @int
) @table;

CREATE INDEX change_sets_user ON change_sets (user_id, ordinal);
CREATE INDEX change_sets_open ON change_sets (user_id, ordinal) WHERE decided_at IS NULL;
CREATE INDEX change_sets_agent ON change_sets (agent_id, ordinal);
CREATE INDEX change_sets_decided ON change_sets (decided_at) WHERE decided_at IS NOT NULL;

CREATE TABLE change_items (
    set_ordinal @int NOT NULL,
    number @int NOT NULL,
    tool_name @bytes NOT NULL,
    operation_id @bytes NOT NULL,
    state @int NOT NULL,
    error_code @bytes NOT NULL,
    error_message @bytes NOT NULL,
    decided_by @bytes NOT NULL,
    created_at @int NOT NULL,
    decided_at @int,
    arguments_json @bytes NOT NULL,
    changes_json @bytes NOT NULL,
    result_json @bytes,
    PRIMARY KEY (set_ordinal, number)
) @keyed;
)sql";

// Tools that somebody outside carries out. Of a tool whose `capabilities_json` is null an agent needs the tool's own.
// `due_at` is when somebody has to look after an open call: when its claim or its time runs out, whichever is first.
inline constexpr std::string_view outside_tools = R"sql(
ALTER TABLE tools ADD COLUMN risk @int NOT NULL DEFAULT 0;
ALTER TABLE tools ADD COLUMN capabilities_json @bytes;
ALTER TABLE tools ADD COLUMN wake_reasons @int NOT NULL DEFAULT 0;
ALTER TABLE tools ADD COLUMN runner @int NOT NULL DEFAULT 0;
ALTER TABLE tools ADD COLUMN url @bytes;
ALTER TABLE tools ADD COLUMN secret_env @bytes;
ALTER TABLE tools ADD COLUMN time_max_us @int NOT NULL DEFAULT 60000000;

CREATE TABLE tool_calls (
    call_id @bytes PRIMARY KEY,
    tool_name @bytes NOT NULL,
    runner @int NOT NULL,
    operation_id @bytes NOT NULL,
    agent_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    wake_id @int NOT NULL,
    action_id @bytes NOT NULL UNIQUE,
    arguments_json @bytes NOT NULL,
    state @int NOT NULL,
    holder @bytes NOT NULL,
    fence @int NOT NULL,
    lease_until @int,
    attempts @int NOT NULL,
    deadline @int NOT NULL,
    due_at @int NOT NULL,
    error_code @bytes NOT NULL,
    created_at @int NOT NULL,
    ended_at @int
) @keyed;

CREATE INDEX tool_calls_waiting ON tool_calls (tool_name, call_id, user_id) WHERE state = 0 AND runner = 1;
CREATE INDEX tool_calls_due ON tool_calls (due_at) WHERE state < 2;
CREATE INDEX tool_calls_wake ON tool_calls (wake_id, state);
CREATE INDEX tool_calls_user ON tool_calls (user_id, call_id);
)sql";

}  // namespace belfry::store::schema_8
