#pragma once

#include <string_view>

namespace belfry::store::schema_14 {

// Context values. Sessions and agents are empty where a value is for all of them.
inline constexpr std::string_view context_values = R"sql(
CREATE TABLE context_values (
    user_id @bytes NOT NULL,
    name @bytes NOT NULL,
    session_id @bytes NOT NULL,
    agent_id @bytes NOT NULL,
    content @bytes NOT NULL,
    set_at @int NOT NULL,
    expires_at @int NOT NULL,
    set_by @bytes NOT NULL,
    PRIMARY KEY (user_id, name, session_id, agent_id)
) @keyed;

CREATE INDEX context_values_expiry ON context_values (expires_at);
CREATE INDEX context_values_set ON context_values (set_at);
CREATE INDEX context_values_session ON context_values (session_id);
)sql";

}  // namespace belfry::store::schema_14
