#pragma once

#include <string_view>

// The parts of schema version 13, a block per capability.
namespace belfry::store::schema_13 {

// Blocks of the events' log whose time lies before that of the block in front of them: the clock was set back. Between
// two of them the times only grow, so that an event is found by the time in its id.
inline constexpr std::string_view clock_steps = R"sql(
CREATE TABLE clock_steps (
    first_position @int PRIMARY KEY
) @table;

INSERT INTO clock_steps (first_position)
SELECT first_position FROM (SELECT first_position, committed_at,
    lag(committed_at) OVER (ORDER BY first_position) AS before FROM log_events) AS blocks
WHERE committed_at < before;
)sql";

// The notifications that the agent had in its conversation when it planned: their ids, one after the other.
inline constexpr std::string_view given = R"sql(
ALTER TABLE agent_plans ADD COLUMN given @bytes;
)sql";

}  // namespace belfry::store::schema_13
