#pragma once

#include <string_view>

// The parts of schema version 9, a block a capability.
namespace belfry::store::schema_9 {

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

}  // namespace belfry::store::schema_9
