#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/agent_message.hpp"
#include "ports/commands/command.hpp"

// Calls of tools by whoever works for an agent, fenced by his claim: `conflict` with the reason `stale_claim` where
// somebody else has it by now, or it has ended.
namespace belfry::ports {

// A call that is in no plan.
struct ToolWish {
    std::string tool_name;
    model::RawJson arguments;
};

// Who has to do something before there is a result.
struct ToolWait {
    enum class For : std::uint8_t { person, outside };
    For whom = For::person;
    std::string id;  // of the interaction, or of the call that somebody outside is to carry out
};

struct CalledTool {
    model::AgentMessage action;
    std::optional<model::AgentMessage> result;
    std::optional<ToolWait> waits_for;  // where there is no result yet: ask again
    bool is_new = true;                 // false: it was done before, and this is what came of it
};

// Calls a tool: an action of the stored plan, by its operation, or one that is in no plan. What it does, the call and
// its result are one transaction, so that it is done once, whatever crashes: the same operation again has the same
// result. What a tool refuses is its result, not an error. `invalid` where the plan has no such action; `conflict`,
// `operation_taken`, where another call has this operation.
struct CallTool final : CommandOf<CalledTool> {
    model::WakeId id = 0;
    std::int64_t fence = 0;
    std::string operation_id;
    std::optional<ToolWish> call;
};

}  // namespace belfry::ports
