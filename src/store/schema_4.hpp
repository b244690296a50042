#pragma once

#include <string_view>

// The parts of schema version 4, a block a capability.
namespace belfry::store::schema_4 {

// Runs and their log. What is null is empty. `queued` counts those that wait for a place, in the order in which they
// came. `last_stream` and `last_run` of the ledger remember the largest ids of what was removed, so that none is given
// twice.
inline constexpr std::string_view runs = R"sql(
ALTER TABLE ledger ADD COLUMN last_stream @int NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN last_run @int NOT NULL DEFAULT 0;

CREATE TABLE log_runs (
    first_position @int PRIMARY KEY,
    entry_count @int NOT NULL,
    committed_at @int NOT NULL,
    byte_count @int NOT NULL,
    directory @bytes NOT NULL,
    body @bytes NOT NULL
) @table;

CREATE TABLE runs (
    run_id @int PRIMARY KEY,
    run_key @bytes,
    parent_id @int NOT NULL,
    root_id @int NOT NULL,
    user_id @bytes NOT NULL,
    session_id @bytes,
    agent_id @bytes,
    title @bytes NOT NULL,
    metadata_json @bytes NOT NULL,
    caller_json @bytes,
    state @int NOT NULL,
    paused @int NOT NULL,
    tree @int NOT NULL,
    queued @int,
    result_json @bytes,
    error_type @bytes,
    error_message @bytes,
    cancel_reason @bytes,
    created_at @int NOT NULL,
    started_at @int,
    ended_at @int,
    events @int NOT NULL
) @table;

CREATE UNIQUE INDEX runs_key ON runs (user_id, run_key) WHERE run_key IS NOT NULL;
CREATE INDEX runs_open ON runs (run_id) WHERE state < 2;
CREATE INDEX runs_queue ON runs (queued) WHERE queued IS NOT NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX runs_root ON runs (root_id, run_id);
CREATE INDEX runs_user ON runs (user_id, run_id);
CREATE INDEX runs_session ON runs (session_id, run_id) WHERE session_id IS NOT NULL;
CREATE INDEX runs_agent ON runs (agent_id, run_id) WHERE agent_id IS NOT NULL;
)sql";

}  // namespace belfry::store::schema_4
