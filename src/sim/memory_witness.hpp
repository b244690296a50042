#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ports/commands/agent_messages.hpp"
#include "sim/wake_look.hpp"

namespace belfry::sim {

// Remembers what workers said for their agents: what was acknowledged is in its thread once, in its order, each message
// linked to the one before it, results after their actions and one of each; a plan stays what it was.
class MemoryWitness {
public:
    void heard(const ports::AppendAgentMessages& command, const std::string& thread_id);
    void heard(const ports::StorePlan& command, const std::string& run_key, Complaints& complaints);
    void unheard(const ports::AppendAgentMessages& command);

    base::Result<void> compare(store::SqlStore& store, Complaints& complaints) const;

private:
    void compare_thread(const std::string& id, const std::vector<model::AgentMessage>& chain,
                        Complaints& complaints) const;

    std::map<std::string, std::vector<base::Uuid>> threads_;
    std::set<base::Uuid> known_;
    std::set<base::Uuid> perhaps_;
    std::map<std::string, std::vector<std::string>> plans_;  // the tools, by the key of the run
};

}  // namespace belfry::sim
