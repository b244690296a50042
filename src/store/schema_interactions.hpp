#pragma once

#include <string_view>

namespace belfry::store::schema_4 {

// What messages of people and questions to them add. A message that waits may be handed over (`handed_until`) without
// having been confirmed; `handed_pull` is the hand-over that it went out with last.
inline constexpr std::string_view the_persons_word = R"sql(
ALTER TABLE messages ADD COLUMN waits @int NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN handed_pull @bytes;
ALTER TABLE messages ADD COLUMN handed_until @int;
CREATE INDEX messages_waiting ON messages (session_id, ordinal) WHERE waits = 1;

CREATE TABLE interactions (
    ordinal @int PRIMARY KEY,
    interaction_id @bytes NOT NULL UNIQUE,
    kind @int NOT NULL,
    session_id @bytes NOT NULL,
    user_id @bytes NOT NULL,
    run_id @int NOT NULL,
    state @int NOT NULL,
    message @bytes NOT NULL,
    tool_name @bytes NOT NULL,
    arguments_json @bytes,
    schema_json @bytes,
    answer_json @bytes,
    answered_by @bytes NOT NULL,
    always_allowed @int NOT NULL,
    created_at @int NOT NULL,
    expires_at @int NOT NULL,
    ended_at @int
) @table;

CREATE INDEX interactions_session ON interactions (session_id, ordinal);
CREATE INDEX interactions_user ON interactions (user_id, ordinal);
CREATE INDEX interactions_pending ON interactions (expires_at) WHERE state = 0;
CREATE INDEX interactions_waiting ON interactions (user_id, ordinal) WHERE state = 0;
CREATE INDEX interactions_allowed ON interactions (session_id, tool_name) WHERE always_allowed = 1;
CREATE INDEX interactions_ended ON interactions (ended_at) WHERE ended_at IS NOT NULL;
)sql";

}  // namespace belfry::store::schema_4
