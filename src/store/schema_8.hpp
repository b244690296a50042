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

}  // namespace belfry::store::schema_8
