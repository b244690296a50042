#pragma once

#include <string_view>

// The part of schema version 14 that is memory's.
namespace belfry::store::schema_14 {

// Threads of one agent with messages that no summary covers. Each claim asks for them; an agent may have any number of
// threads that are summarized.
inline constexpr std::string_view unsummarized_threads = R"sql(
CREATE INDEX agent_threads_unsummarized ON agent_threads (agent_id, last_at, thread_id) WHERE hot_messages > 0;
)sql";

}  // namespace belfry::store::schema_14
