#pragma once

#include <string_view>

namespace belfry::store::schema_14 {

// What is stored about the clock. `latest` is the latest time that a commit was made at, noted every few seconds. A
// start compares it with the clock. A clock that was set back to `set_back_to` and has not shown `set_back_from` since
// may have been right before: `moved_wake_times` keeps the wake times of agents as they were until then, of this device
// only, and goes with the agent and with the user. `wake_said_at` and `sleep_said_at` say when an agent's wake time got
// the value that it has. `clock_corrections` names timers by their ids and contains no data of users.
// `timer_spans` holds the times for which a timer was counted on this device: an instant in them has fired. The table
// goes with the timers of an erased user and does not sync.
//
// A timer of an older store that counts from the future was counted by a clock that was ahead: the first start finds
// the clock behind it.
inline constexpr std::string_view clock = R"sql(
CREATE TABLE clock_state (
    id @int PRIMARY KEY,
    latest @int NOT NULL,
    set_back_from @int NOT NULL DEFAULT 0,
    set_back_to @int NOT NULL DEFAULT 0
) @table;

INSERT INTO clock_state (id, latest) SELECT 1, coalesce(max(counted_from), 0) FROM agent_timers;

CREATE TABLE clock_corrections (
    number @int PRIMARY KEY,
    noticed_at @int NOT NULL,
    set_back @int NOT NULL,
    timers @int NOT NULL,
    timer_ids @bytes NOT NULL,
    agents @int NOT NULL,
    deadlines @int NOT NULL
) @table;

CREATE TABLE timer_spans (
    timer_id @bytes PRIMARY KEY,
    user_id @bytes NOT NULL,
    spans_json @bytes NOT NULL
) @keyed;

CREATE INDEX timer_spans_user ON timer_spans (user_id);

ALTER TABLE agent_states ADD COLUMN wake_said_at @int NOT NULL DEFAULT 0;
ALTER TABLE agent_states ADD COLUMN sleep_said_at @int NOT NULL DEFAULT 0;
UPDATE agent_states SET wake_said_at = updated_at, sleep_said_at = updated_at;

CREATE TABLE moved_wake_times (
    agent_id @bytes PRIMARY KEY,
    user_id @bytes NOT NULL,
    wake_was @int,
    wake_is @int,
    sleep_was @int,
    sleep_is @int
) @keyed;

CREATE INDEX moved_wake_times_user ON moved_wake_times (user_id);
)sql";

}  // namespace belfry::store::schema_14
