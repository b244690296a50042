#pragma once

#include <optional>
#include <string>

#include "model/sync.hpp"

// The tombstone of a destroyed agent: the record `agent_state` without everything but the destruction. It stays after
// the agent and all that the agent remembered are removed, so that a device that still has the agent learns of it.
namespace belfry::rules {

// Returns the body of a tombstone: `{"destroyed_at":…,"lifecycle":"destroyed"}`.
[[nodiscard]] model::RawJson agent_tombstone_body(base::Timestamp destroyed_at);

// Returns when the agent of this record was destroyed; nothing if the record is no `agent_state`, or the agent lives.
[[nodiscard]] std::optional<base::Timestamp> destroyed_at(const model::SyncRecord& record);

// True if the record is a tombstone, and not the full state of a destroyed agent.
[[nodiscard]] bool is_agent_tombstone(const model::SyncRecord& record);

// Makes a tombstone of the `agent_state` of a destroyed agent. The clock stays; stamps of removed fields go.
void reduce_to_tombstone(model::SyncRecord& record);

// Returns the agent that owns the record: an agent, a state, a message, a subscription or a timer. Nothing: no agent.
[[nodiscard]] std::optional<std::string> owning_agent(const model::SyncRecord& record);

// True if the record is a timer for one instant that has fired. Each device removes such timers by its own clock.
[[nodiscard]] bool is_used_up_timer(const model::SyncRecord& record);

// Returns the 32 bytes of a destroyed agent in the digest. They are equal before and after a device has reduced the
// record.
[[nodiscard]] std::string tombstone_digest(const model::SyncRecord& record);

}  // namespace belfry::rules
