#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/agent.hpp"
#include "model/agent_message.hpp"
#include "ports/commands/command.hpp"

namespace belfry::ports {

struct ImportedAgent {
    model::AgentRecord record;
    std::size_t added = 0;      // messages
    std::size_t unchanged = 0;  // were there already
};

// Takes an agent, or more of its messages, as another Belfry has exported them: with their ids and times, in the order
// of their coming. All of it or nothing. `conflict` with a reason: `taken` where another agent, or something else, has
// the id; `out_of_order` where `after` is not the agent's newest message here.
struct ImportAgent final : CommandOf<ImportedAgent> {
    std::optional<model::AgentRecord> draft;  // it is made with this; nothing: it is there
    std::string agent_id;                     // of the one that is there
    std::optional<base::Uuid> after;          // the last message of what was sent before; nothing: there was none
    std::vector<model::AgentMessage> messages;
};

}  // namespace belfry::ports
