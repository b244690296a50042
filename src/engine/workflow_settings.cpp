#include "engine/workflow_settings.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "model/tool.hpp"
#include "rules/model_settings.hpp"
#include "rules/tool_call.hpp"
#include "text/script.hpp"
#include "tools/registry.hpp"

namespace belfry::engine {
namespace {

using base::Code;

base::Error in_settings(base::Error error) {
    error.field = "workflow.settings." + error.field;
    return error;
}

// A tool of somebody outside may be registered later than its agent is made.
bool may_call_outside(const model::Agent& agent, std::string_view tool) {
    return std::ranges::find(agent.capabilities, model::own_capability_of(tool)) != agent.capabilities.end();
}

// For people.
std::string tool_names() {
    std::string names;
    for (const model::ToolContract& one : tools::all_contracts()) names += (names.empty() ? "" : ", ") + one.name;
    return names;
}

base::Result<void> check_steps(const text::Script& script, const model::Agent& agent) {
    std::size_t number = 0;
    for (const text::Script::StepInfo& step : script.steps()) {
        const std::string place = "steps[" + std::to_string(number++) + "]";
        const model::ToolContract* const tool = tools::find_contract(step.tool);
        if (tool == nullptr && may_call_outside(agent, step.tool)) continue;
        if (tool == nullptr) return base::error(Code::invalid, "must be one of " + tool_names(), place + ".do");
        for (const std::string_view name : step.arguments) {
            if (rules::takes_argument(*tool, name)) continue;
            return base::error(Code::invalid, "is no argument of " + std::string(step.tool),
                               place + ".with." + std::string(name));
        }
    }
    return {};
}

base::Result<void> check_settings(const model::Agent& agent) {
    if (agent.workflow == model::WorkflowKind::script) {
        TRY_ASSIGN(const text::Script script, text::Script::compile(agent.workflow_settings.view()));
        return check_steps(script, agent);
    }
    TRY_ASSIGN(const rules::ModelSettings settings, rules::read_model_settings(agent));
    TRY(text::compile_setting("system", settings.system));
    return {};
}

}  // namespace

base::Result<void> check_workflow(const model::Agent& agent) {
    if (agent.workflow == model::WorkflowKind::worker) return {};
    auto checked = check_settings(agent);
    if (checked.ok()) return checked;
    return in_settings(std::move(checked).error());
}

}  // namespace belfry::engine
