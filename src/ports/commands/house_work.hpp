#pragma once

#include <string>

#include "model/agent_message.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"

// What Belfry's own workers ask of the engine, besides what every worker does.
namespace belfry::ports {

struct PerformedAction {
    model::AgentMessage result;
    bool is_new = true;  // false: it was done before, and this is what came of it
};

// Does one action of the stored plan of a run: its effect, its message and its result are one transaction, so that it
// is done once, whatever crashes. What the tool refuses is its result, not an error. `invalid` where the plan has no
// such action.
struct PerformAction final : CommandOf<PerformedAction> {
    model::WakeId id = 0;
    std::int64_t fence = 0;
    std::string operation_id;
};

// No worker of Belfry's own is at work: it has just started, or is about to stop. What was claimed for them waits again
// and is due at once. That is no failure, unless it has happened too often.
struct ReturnWakes final : CommandOf<Nothing> {};

}  // namespace belfry::ports
