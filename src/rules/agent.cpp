#include "rules/agent.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/characters.hpp"
#include "base/journal_limits.hpp"
#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "model/change.hpp"
#include "rules/predicate.hpp"
#include "rules/type_pattern.hpp"
#include "rules/wake_facts.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;

base::Error too_long(const char* field, std::size_t bytes_max) {
    return base::error(Code::too_large, "is longer than " + std::to_string(bytes_max) + " bytes", field);
}

base::Result<void> check_text(std::string_view text, std::size_t bytes_max, const char* field) {
    if (text.size() > bytes_max) return too_long(field, bytes_max);
    if (base::has_harmful(text)) {
        return base::error(Code::invalid, "must not have characters that nobody sees or that turn text around", field);
    }
    return {};
}

base::Result<void> check_list(std::vector<std::string>& texts, const char* field) {
    if (texts.size() > limits::agent_list_max) {
        return base::error(Code::too_large, "has more than " + std::to_string(limits::agent_list_max) + " entries",
                           field);
    }
    for (const std::string& text : texts) {
        if (text.empty()) return base::error(Code::invalid, "must not have an empty entry", field);
        TRY(check_text(text, limits::scope_id_bytes_max, field));
    }
    std::ranges::sort(texts);
    const auto repeats = std::ranges::unique(texts);
    texts.erase(repeats.begin(), repeats.end());
    return {};
}

base::Result<void> check_policies(const std::map<std::string, model::ToolPolicy>& policies) {
    constexpr const char* field = "tool_policies";
    if (policies.size() > limits::agent_list_max) {
        return base::error(Code::too_large, "has more than " + std::to_string(limits::agent_list_max) + " entries",
                           field);
    }
    for (const auto& [tool, policy] : policies) {
        TRY(check_text(tool, limits::agent_tool_name_bytes_max, field));
        if (tool.empty() || tool.find_first_of("\"\\") != std::string::npos) {
            return base::error(Code::invalid, "must have names of tools, or * for all that are not named", field);
        }
    }
    return {};
}

base::Result<void> check_count(std::size_t count, const char* field) {
    if (count <= limits::wake_subscription_entries_max) return {};
    return base::error(Code::too_large,
                       "has more than " + std::to_string(limits::wake_subscription_entries_max) + " entries", field);
}

base::Result<void> check_events_part(const model::WakeSubscription& subscription) {
    TRY(check_count(subscription.types.size(), "types"));
    TRY(check_count(subscription.sources.size(), "sources"));
    for (const std::string& type : subscription.types) {
        if (is_event_type(type) || is_type_pattern(type)) continue;
        return base::error(Code::invalid, "must be event types such as ci.failed, or patterns such as ci.*", "types");
    }
    for (const std::string& source : subscription.sources) {
        TRY(check_text(source, limits::event_source_bytes_max, "sources"));
    }
    return {};
}

base::Result<void> check_changes_part(const model::WakeSubscription& subscription) {
    TRY(check_count(subscription.tokens.size(), "tokens"));
    for (const std::string& token : subscription.tokens) {
        auto parsed = model::ChangeToken::parse(token);
        if (parsed.ok()) continue;
        base::Error error = std::move(parsed).error();
        error.field = "tokens";
        return error;
    }
    return {};
}

}  // namespace

base::Result<void> check_extension(const model::RawJson& extension, const char* field) {
    if (extension.bytes().size() > limits::agent_json_bytes_max) return too_long(field, limits::agent_json_bytes_max);
    model::JsonWalker walker(extension.view());
    std::string_view name;
    while (walker.next(&name)) {
        const std::string_view fault = model::extension_name_fault(name);
        if (fault.empty()) continue;
        return base::error(Code::invalid,
                           '"' + std::string(name.substr(0, limits::scope_id_bytes_max)) + "\" " + std::string(fault),
                           field);
    }
    return {};
}

base::Result<void> check_agent(model::Agent& agent) {
    TRY(check_text(agent.kind, limits::agent_name_bytes_max, "kind"));
    TRY(check_text(agent.display_name, limits::agent_name_bytes_max, "display_name"));
    TRY(check_list(agent.allowed_category_ids, "allowed_category_ids"));
    TRY(check_list(agent.capabilities, "capabilities"));
    TRY(check_policies(agent.tool_policies));
    if (agent.config.schema_version < 1) {
        return base::error(Code::invalid, "must be 1 or more", "config.schema_version");
    }
    TRY(check_text(agent.config.model_id, limits::agent_name_bytes_max, "config.model_id"));
    TRY(check_text(agent.config.prompt_id, limits::agent_name_bytes_max, "config.prompt_id"));
    TRY(check_extension(agent.config.extension, "config.extension"));
    if (agent.workflow_settings.bytes().size() > limits::agent_json_bytes_max) {
        return too_long("workflow.settings", limits::agent_json_bytes_max);
    }
    return {};
}

base::Result<void> check_allowed_categories(const model::Agent& agent) {
    if (agent.allowed_category_ids.size() <= limits::allowed_categories_max) return {};
    return base::error(Code::too_large, "has more than " + std::to_string(limits::allowed_categories_max) + " entries",
                       "allowed_category_ids");
}

base::Result<void> check_slots(const model::AgentSlots& slots) {
    TRY(check_text(slots.primary_goal, limits::agent_text_bytes_max, "slots.primary_goal"));
    TRY(check_text(slots.active_task_id, limits::scope_id_bytes_max, "slots.active_task_id"));
    if (slots.open_loop_ids.size() > limits::agent_list_max) {
        return base::error(Code::too_large, "has more than " + std::to_string(limits::agent_list_max) + " entries",
                           "slots.open_loop_ids");
    }
    for (const std::string& id : slots.open_loop_ids) {
        TRY(check_text(id, limits::scope_id_bytes_max, "slots.open_loop_ids"));
    }
    if (slots.preferences.size() > limits::agent_list_max) {
        return base::error(Code::too_large, "has more than " + std::to_string(limits::agent_list_max) + " entries",
                           "slots.preferences");
    }
    for (const auto& [key, value] : slots.preferences) {
        TRY(check_text(key, limits::scope_id_bytes_max, "slots.preferences"));
        TRY(check_text(value, limits::agent_text_bytes_max, "slots.preferences"));
    }
    return check_extension(slots.extension, "slots.extension");
}

base::Result<void> check_subscription(const model::WakeSubscription& subscription) {
    if (subscription.types.empty() == subscription.tokens.empty()) {
        return base::error(Code::invalid, "must have either types of events or tokens of changes", "types");
    }
    TRY(check_events_part(subscription));
    TRY(check_changes_part(subscription));
    if (subscription.window.us < 0 || subscription.window > limits::wake_window_max) {
        return base::error(Code::invalid, "must lie between 0 and " + std::to_string(limits::wake_window_max.us / 1000),
                           "window_ms");
    }
    if (subscription.priority < -limits::wake_priority_max || subscription.priority > limits::wake_priority_max) {
        return base::error(Code::invalid, "must lie between -100 and 100", "priority");
    }
    if (subscription.predicate.empty()) return {};
    auto parsed = Predicate::parse(subscription.predicate, roots_of(subscription));
    if (!parsed.ok()) return std::move(parsed).error();
    return {};
}

bool is_same_rule(const model::WakeSubscription& a, const model::WakeSubscription& b) {
    return a.agent_id == b.agent_id && a.types == b.types && a.severity == b.severity && a.sources == b.sources &&
           a.tokens == b.tokens && a.predicate == b.predicate && a.window == b.window && a.synced == b.synced &&
           a.priority == b.priority;
}

bool takes(model::AgentMode mode, model::WakeReason reason) {
    if (reason == model::WakeReason::manual || mode == model::AgentMode::hybrid) return true;
    const bool is_persons = reason == model::WakeReason::user_initiated;
    return is_persons == (mode == model::AgentMode::interactive);
}

std::optional<model::WakeState> hindrance(const model::AgentRecord& agent, model::WakeReason reason,
                                          base::Timestamp now) {
    using model::AgentLifecycle;
    using model::WakeState;
    if (agent.agent.lifecycle == AgentLifecycle::destroyed) return WakeState::destroyed;
    if (!takes(agent.agent.mode, reason)) return WakeState::refused;
    if (agent.agent.lifecycle == AgentLifecycle::dormant) return WakeState::dormant;
    if (agent.state.sleep_until && *agent.state.sleep_until > now) return WakeState::sleeping;
    return std::nullopt;
}

}  // namespace belfry::rules
