#include "model/tool.hpp"

#include <algorithm>
#include <array>

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 2> impact_names{"internal", "external"};
constexpr std::array<std::string_view, agent_capability_count> capability_names{
    "category_read", "task_read",      "task_write",  "checklist_write", "time_write",
    "day_plan_read", "day_plan_write", "rating_read", "rating_write",    "memory_read",
};
constexpr std::array<std::string_view, 3> risk_names{"low", "medium", "high"};
constexpr std::array<std::string_view, 3> runner_names{"nobody", "worker", "webhook"};
constexpr std::array<std::string_view, 2> idempotency_names{"read_only", "operation_id"};
constexpr std::array<std::string_view, 4> scope_rule_names{"none", "reads_in_scope", "target_in_scope",
                                                           "both_sides_in_scope"};

// `task_read` as the contract file has it: taskRead.
std::string camel(std::string_view name) {
    std::string out;
    bool is_next_large = false;
    for (const char c : name) {
        if (c == '_') {
            is_next_large = true;
            continue;
        }
        out += is_next_large && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        is_next_large = false;
    }
    return out;
}

template <class List, class Name>
void append_names(JsonWriter& writer, std::string_view field, const List& list, Name name) {
    writer.name(field).begin_array();
    for (const auto& one : list) writer.text(camel(name(one)));
    writer.end_array();
}

void append_texts(JsonWriter& writer, std::string_view field, const std::vector<std::string>& texts) {
    writer.name(field).begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
}

}  // namespace

std::string_view impact_name(Impact impact) {
    return impact_names[static_cast<std::size_t>(impact)];
}

std::string_view agent_capability_name(AgentCapability capability) {
    return capability_names[static_cast<std::size_t>(capability)];
}

std::optional<AgentCapability> parse_agent_capability(std::string_view name) {
    const auto at = std::ranges::find(capability_names, name);
    if (at == capability_names.end()) return std::nullopt;
    return static_cast<AgentCapability>(at - capability_names.begin());
}

std::string_view tool_risk_name(ToolRisk risk) {
    return risk_names[static_cast<std::size_t>(risk)];
}

std::optional<ToolRisk> parse_tool_risk(std::string_view name) {
    const auto at = std::ranges::find(risk_names, name);
    if (at == risk_names.end()) return std::nullopt;
    return static_cast<ToolRisk>(at - risk_names.begin());
}

std::string_view tool_runner_name(ToolRunner runner) {
    return runner_names[static_cast<std::size_t>(runner)];
}

std::string own_capability_of(std::string_view tool) {
    return "tool:" + std::string(tool);
}

std::string_view tool_idempotency_name(ToolIdempotency idempotency) {
    return idempotency_names[static_cast<std::size_t>(idempotency)];
}

std::string_view tool_scope_rule_name(ToolScopeRule rule) {
    return scope_rule_names[static_cast<std::size_t>(rule)];
}

void append_tool_contract(JsonWriter& writer, const ToolContract& contract) {
    constexpr std::array all_reasons{WakeReason::subscription, WakeReason::timer, WakeReason::user_initiated,
                                     WakeReason::recovery_catchup, WakeReason::manual};
    writer.begin_object().field("name", contract.name).field("version", static_cast<long long>(contract.version));
    writer.field("description", contract.description);
    append_names(writer, "capabilitiesRequired", contract.capabilities, agent_capability_name);
    if (contract.wake_reasons.empty()) {
        append_names(writer, "allowedWakeReasons", all_reasons, wake_reason_name);
    } else {
        append_names(writer, "allowedWakeReasons", contract.wake_reasons, wake_reason_name);
    }
    writer.field("idempotencyStrategy", camel(tool_idempotency_name(contract.idempotency)));
    append_names(writer, "scopeRules", contract.scope_rules, tool_scope_rule_name);
    writer.name("sideEffects").begin_object();
    append_texts(writer, "entityTypes", contract.changed_kinds);
    append_texts(writer, "notificationTokens", contract.changed_tokens);
    writer.end_object().field("riskLevel", tool_risk_name(contract.risk));
    append_texts(writer, "highRiskWith", contract.high_risk_with);
    writer.field("impact", contract.impact == Impact::internal ? "INTERNAL" : "EXTERNAL");
    writer.name("inputSchema").raw(contract.input_schema.bytes());
    writer.name("outputSchema").raw(contract.output_schema.bytes());
    writer.end_object();
}

}  // namespace belfry::model
