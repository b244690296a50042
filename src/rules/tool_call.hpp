#pragma once

#include <string>

#include "base/result.hpp"
#include "model/agent.hpp"
#include "model/tool.hpp"
#include "model/wake.hpp"

// Whether a tool may be called, before anything of it is done. The reason of an error is its code for the agent.
namespace belfry::rules {

// The arguments fit the schema (`invalid_arguments`); the agent has what the tool needs, and the tool may be used in
// such a run (`not_permitted`).
base::Result<void> check_call(const model::ToolContract& tool, const model::Agent& agent, model::WakeReason reason,
                              model::JsonView arguments);
// The same of a tool that somebody outside carries out.
base::Result<void> check_call(const model::ToolInfo& tool, const model::Agent& agent, model::WakeReason reason,
                              model::JsonView arguments);

// The second half of it alone: whatever the arguments are.
base::Result<void> may_use(const model::ToolContract& tool, const model::Agent& agent, model::WakeReason reason);
base::Result<void> may_use(const model::ToolInfo& tool, const model::Agent& agent, model::WakeReason reason);

// Whether its schema knows such an argument.
[[nodiscard]] bool takes_argument(const model::ToolContract& tool, std::string_view name);

// With these arguments: of high risk, whose effects are to be seen before they happen.
[[nodiscard]] bool is_high_risk(const model::ToolContract& tool, model::JsonView arguments);

// Arguments of every tool of high risk: whether only to tell what would change, and what was told before.
inline constexpr std::string_view preview_only_argument = "previewOnly";
inline constexpr std::string_view preview_token_argument = "previewToken";
inline constexpr std::string_view operation_id_argument = "operationId";
[[nodiscard]] bool is_preview(model::JsonView arguments);

// What an agent of this kind may do where nobody says otherwise; empty: nothing.
[[nodiscard]] std::vector<std::string> profile_of(std::string_view kind);

}  // namespace belfry::rules
