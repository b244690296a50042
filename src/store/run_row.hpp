#pragma once

#include <string>

#include "model/run.hpp"
#include "store/row_reader.hpp"

// What the writing and the reading side of runs share.
namespace belfry::store {

#define BELFRY_RUN_COLUMNS                                                                                         \
    "run_id, run_key, parent_id, root_id, user_id, session_id, agent_id, title, metadata_json, caller_json, "      \
    "state, paused, tree, queued, result_json, error_type, error_message, cancel_reason, created_at, started_at, " \
    "ended_at, events, hierarchy_id"

model::Run read_run(RowReader& row);

// The largest id that was ever given.
base::Result<model::RunId> read_last_run(Database& database);

}  // namespace belfry::store
