#pragma once

#include <cstdint>
#include <optional>

#include "model/change_set.hpp"
#include "ports/commands/command.hpp"

// A person's word on what an agent proposes.
namespace belfry::ports {

// Of one item, or of all that is open in the set, each with its own outcome. What is accepted is done in the agent's
// name, within what the agent may do now, in the same transaction; what the tool refuses then is a failed item, not an
// error. The same decision again finds what came of it. `conflict`: `decided` where the other was said before,
// `agent_gone` where the agent was destroyed and cannot do anything any more.
struct DecideChanges final : CommandOf<model::ProposedChanges> {
    model::ChangeSetId id;
    std::optional<std::int64_t> number;  // nothing: all that is open
    bool accept = false;
};

}  // namespace belfry::ports
