#include "rules/tool_call.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "rules/json_schema.hpp"

namespace belfry::rules {
namespace {

using base::Code;
using model::AgentCapability;
using model::JsonKind;

struct Profile {
    std::string_view kind;
    std::initializer_list<AgentCapability> capabilities;
};

using enum AgentCapability;
constexpr std::array<Profile, 4> profiles{{
    {"gym_coach", {category_read, task_read, time_write, rating_read}},
    {"planner", {category_read, task_read, task_write, checklist_write, day_plan_read, day_plan_write, rating_read}},
    {"pomodoro", {category_read, task_read, checklist_write, time_write, rating_write}},
    {"strategy", {category_read, task_read, day_plan_read, rating_read}},
}};

// What is given, and says something: not null, false or empty.
bool says_something(model::JsonView arguments, std::string_view name) {
    const auto member = arguments.member(name);
    if (!member || member->kind() == JsonKind::null || member->text == "false") return false;
    if (member->kind() != JsonKind::array) return true;
    return model::JsonWalker(*member).next().has_value();
}

base::Result<void> check_arguments(const model::RawJson& schema, model::JsonView arguments) {
    auto fits = check_against(schema.view(), arguments, {});
    if (fits.ok()) return {};
    base::Error why = std::move(fits).error();
    why.reason = "invalid_arguments";
    return why;
}

base::Result<void> require_capability(const std::string& tool, const model::Agent& agent, std::string_view name) {
    if (std::ranges::find(agent.capabilities, name) != agent.capabilities.end()) return {};
    return base::error(Code::forbidden, tool + " needs the capability " + std::string(name), {}, "not_permitted");
}

base::Result<void> check_reason(const std::string& tool, const std::vector<model::WakeReason>& allowed,
                                model::WakeReason reason) {
    if (allowed.empty() || std::ranges::find(allowed, reason) != allowed.end()) return {};
    return base::error(Code::forbidden,
                       tool + " is not for a run that was begun by " + std::string(model::wake_reason_name(reason)), {},
                       "not_permitted");
}

}  // namespace

base::Result<void> check_call(const model::ToolContract& tool, const model::Agent& agent, model::WakeReason reason,
                              model::JsonView arguments) {
    TRY(check_arguments(tool.input_schema, arguments));
    return may_use(tool, agent, reason);
}

base::Result<void> may_use(const model::ToolContract& tool, const model::Agent& agent, model::WakeReason reason) {
    for (const AgentCapability one : tool.capabilities) {
        TRY(require_capability(tool.name, agent, model::agent_capability_name(one)));
    }
    return check_reason(tool.name, tool.wake_reasons, reason);
}

base::Result<void> check_call(const model::ToolInfo& tool, const model::Agent& agent, model::WakeReason reason,
                              model::JsonView arguments) {
    TRY(check_arguments(tool.schema, arguments));
    return may_use(tool, agent, reason);
}

base::Result<void> may_use(const model::ToolInfo& tool, const model::Agent& agent, model::WakeReason reason) {
    for (const std::string& one : tool.capabilities) TRY(require_capability(tool.name, agent, one));
    return check_reason(tool.name, tool.wake_reasons, reason);
}

bool takes_argument(const model::ToolContract& tool, std::string_view name) {
    const auto properties = tool.input_schema.member("properties");
    return properties && properties->member(name).has_value();
}

bool is_high_risk(const model::ToolContract& tool, model::JsonView arguments) {
    return tool.risk == model::ToolRisk::high || std::ranges::any_of(tool.high_risk_with, [&](const std::string& name) {
               return says_something(arguments, name);
           });
}

bool is_preview(model::JsonView arguments) {
    return says_something(arguments, preview_only_argument);
}

std::vector<std::string> profile_of(std::string_view kind) {
    // What it remembers is its own, whatever it is.
    std::vector<std::string> names{std::string(model::agent_capability_name(memory_read))};
    const auto at = std::ranges::find(profiles, kind, &Profile::kind);
    if (at == profiles.end()) return names;
    for (const AgentCapability one : at->capabilities) names.emplace_back(model::agent_capability_name(one));
    std::ranges::sort(names);
    return names;
}

}  // namespace belfry::rules
