#pragma once

#include <set>
#include <string>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"

// What stays of a destroyed agent after the sweep has removed it: its tombstone, for devices that still have the agent.
namespace belfry::engine {

// True if this store has ever been paired, or has records of another host: another device may have its agents.
base::Result<bool> has_shared_records(Unit& unit);

// Writes the tombstone of an agent that is about to be removed. Removes the merge notes of the agent and its parts, the
// tombstones of its subscriptions and timers, and messages that were kept beside its thread. Does nothing if the agent
// is not there.
base::Result<void> bury_agent(const std::string& agent_id, Unit& unit);

// Returns those of the agents of which this store has nothing but a tombstone.
base::Result<std::set<std::string>> buried_agents(const std::set<std::string>& ids, AgentBook& agents, Unit& unit);

// Returns an error if an agent of this id was destroyed: its id is never given again where devices share records.
base::Result<base::Result<void>> check_not_buried(const std::string& id, AgentBook& agents, Unit& unit);

}  // namespace belfry::engine
