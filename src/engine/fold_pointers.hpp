#pragma once

#include <cstdint>
#include <string>

#include "engine/capability.hpp"
#include "model/memory.hpp"

namespace belfry::engine {

// What of a thread lies up to this position is folded from now on: it is not hot any more.
base::Result<void> cool_thread(const std::string& thread_id, std::int64_t through, model::AgentRecord& agent,
                               Unit& unit);

// A summary that a worker has made, of raw messages of its thread from the oldest hot one on, has its place and folds
// them, as if Belfry had made it. Any other is a message and no more: also one with a goal, decision or open loop that
// names a message outside of the span, an observation or a tool's result.
base::Result<void> place_own_summary(const model::AgentMessage& summary, model::AgentRecord& agent, Unit& unit);

// A summary that another device tells of has its place only where what it tells of is exactly what is hot here, or, of
// summaries, what nothing has folded yet. Any other is one more message.
base::Result<void> place_told_summary(const model::AgentMessage& summary, model::AgentRecord& agent, Unit& unit);

}  // namespace belfry::engine
