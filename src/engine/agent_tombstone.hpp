#pragma once

#include <set>
#include <span>
#include <string>

#include "engine/agent_book.hpp"
#include "engine/capability.hpp"

// What stays of a destroyed agent after the sweep has removed it: its tombstone, for devices that still have the agent.
namespace belfry::engine {

// Writes the tombstones of agents that are about to be removed. Removes the merge notes of each agent and its parts,
// the tombstones of its subscriptions and timers, and messages that were kept beside its thread. Passes over an agent
// that has its tombstone already, is not there, or is not destroyed. Reads all plain records of three kinds once.
base::Result<void> bury_agents(std::span<const std::string> ids, Unit& unit);

// Returns those of the agents of which this store has nothing but a tombstone.
base::Result<std::set<std::string>> buried_agents(const std::set<std::string>& ids, AgentBook& agents, Unit& unit);

// Returns an error if an agent of this id was destroyed: its id is never given again.
base::Result<base::Result<void>> check_not_buried(const std::string& id, AgentBook& agents, Unit& unit);

}  // namespace belfry::engine
