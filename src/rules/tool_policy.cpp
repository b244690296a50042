#include "rules/tool_policy.hpp"

#include <algorithm>
#include <array>

#include "rules/tool_call.hpp"

namespace belfry::rules {
namespace {

constexpr std::array<std::string_view, 5> own_matters{"say", "set_state", "sleep", "belfry_ack", "notify_self"};

bool changes_nothing(const model::ToolContract& contract, model::JsonView arguments) {
    return contract.idempotency == model::ToolIdempotency::read_only || is_preview(arguments);
}

}  // namespace

model::ToolPolicy policy_of(const model::Agent& agent, std::string_view tool_name, const model::ToolContract* contract,
                            model::JsonView arguments) {
    const bool is_own_matter = std::ranges::find(own_matters, tool_name) != own_matters.end();
    if (is_own_matter || (contract != nullptr && changes_nothing(*contract, arguments))) return model::ToolPolicy::run;
    for (const std::string_view name : {tool_name, std::string_view("*")}) {
        const auto at = agent.tool_policies.find(std::string(name));
        if (at != agent.tool_policies.end()) return at->second;
    }
    return model::ToolPolicy::run;
}

}  // namespace belfry::rules
