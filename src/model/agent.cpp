#include "model/agent.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 4> lifecycles{"created", "active", "dormant", "destroyed"};
constexpr std::array<std::string_view, 3> modes{"autonomous", "interactive", "hybrid"};
constexpr std::array<std::string_view, 3> workflows{"worker", "model", "script"};
constexpr std::array<std::string_view, 3> tool_policies{"run", "ask", "propose"};
constexpr std::array<std::string_view, 4> run_statuses{"idle", "queued", "running", "failed"};

std::string text_of(JsonView json, std::string_view name) {
    const auto member = json.member(name);
    return member && member->kind() == JsonKind::string ? member->as_text() : std::string();
}

void append_config(JsonWriter& writer, const AgentConfig& config) {
    writer.begin_object().field("schema_version", config.schema_version);
    append_text(writer, "model_id", config.model_id);
    append_text(writer, "prompt_id", config.prompt_id);
    writer.name("extension").raw(config.extension.bytes()).end_object();
}

void append_state(JsonWriter& writer, const AgentState& state) {
    writer.begin_object().field("id", base::format_uuid(state.id)).field("revision", state.revision);
    writer.field("updated_at", base::format_timestamp(state.updated_at));
    append_time(writer, "last_wake_at", state.last_wake_at);
    append_time(writer, "next_wake_at", state.next_wake_at);
    append_time(writer, "sleep_until", state.sleep_until);
    append_id(writer, "recent_head_message_id", state.recent_head_message_id);
    append_id(writer, "latest_summary_message_id", state.latest_summary_message_id);
    writer.name("processed_counter_by_host");
    append_counters(writer, state.processed_counter_by_host);
    writer.name("slots");
    append_agent_slots(writer, state.slots);
    writer.end_object();
}

void append_runtime(JsonWriter& writer, const AgentRuntimeState& runtime) {
    writer.begin_object().field("run_status", agent_run_status_name(runtime.run_status));
    writer.field("updated_at", base::format_timestamp(runtime.updated_at)).name("active_run_id");
    runtime.active_run_id == 0 ? writer.null() : writer.number(runtime.active_run_id);
    append_text(writer, "active_session_id", runtime.active_session_id);
    append_time(writer, "last_run_started_at", runtime.last_run_started_at);
    writer.field("failure_streak", runtime.failure_streak);
    writer.field("hot_message_count", runtime.hot_message_count).end_object();
}

}  // namespace

std::string_view agent_lifecycle_name(AgentLifecycle lifecycle) {
    return lifecycles[static_cast<std::size_t>(lifecycle)];
}
std::optional<AgentLifecycle> parse_agent_lifecycle(std::string_view name) {
    return parse_choice<AgentLifecycle>(lifecycles, name);
}
std::string_view agent_mode_name(AgentMode mode) {
    return modes[static_cast<std::size_t>(mode)];
}
std::optional<AgentMode> parse_agent_mode(std::string_view name) {
    return parse_choice<AgentMode>(modes, name);
}
std::string_view workflow_kind_name(WorkflowKind kind) {
    return workflows[static_cast<std::size_t>(kind)];
}
std::optional<WorkflowKind> parse_workflow_kind(std::string_view name) {
    return parse_choice<WorkflowKind>(workflows, name);
}
std::string_view tool_policy_name(ToolPolicy policy) {
    return tool_policies[static_cast<std::size_t>(policy)];
}
std::optional<ToolPolicy> parse_tool_policy(std::string_view name) {
    return parse_choice<ToolPolicy>(tool_policies, name);
}
std::string_view agent_run_status_name(AgentRunStatus status) {
    return run_statuses[static_cast<std::size_t>(status)];
}

std::string_view extension_name_fault(std::string_view name) {
    constexpr std::size_t name_bytes_max = 200;
    if (name.size() > name_bytes_max) return "is longer than 200 bytes";
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    std::size_t parts = 0;
    for (std::size_t at = 0; at <= name.size(); ++parts) {
        const std::size_t dot = std::min(name.find('.', at), name.size());
        if (dot == at || !std::ranges::all_of(name.substr(at, dot - at), is_word)) {
            return "must be words of letters, digits, - and _ with dots between them, such as acme.colour";
        }
        at = dot + 1;
    }
    return parts < 2 ? "has no namespace: names of an extension look like acme.colour" : std::string_view();
}

void append_text_list(JsonWriter& writer, const std::vector<std::string>& texts) {
    writer.begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
}

void append_agent_slots(JsonWriter& writer, const AgentSlots& slots) {
    writer.begin_object();
    append_text(writer, "primary_goal", slots.primary_goal);
    append_text(writer, "active_task_id", slots.active_task_id);
    writer.name("open_loop_ids");
    append_text_list(writer, slots.open_loop_ids);
    writer.name("preferences").begin_object();
    for (const auto& [key, value] : slots.preferences) writer.field(key, value);
    writer.end_object().name("extension").raw(slots.extension.bytes()).end_object();
}

void append_counters(JsonWriter& writer, const std::map<std::string, std::int64_t>& counters) {
    writer.begin_object();
    for (const auto& [host, counter] : counters) writer.field(host, counter);
    writer.end_object();
}

std::vector<std::string> text_list_of(JsonView json) {
    std::vector<std::string> texts;
    JsonWalker walker(json);
    while (const auto element = walker.next()) texts.push_back(element->as_text());
    return texts;
}

AgentSlots agent_slots_of(JsonView json) {
    AgentSlots slots;
    slots.primary_goal = text_of(json, "primary_goal");
    slots.active_task_id = text_of(json, "active_task_id");
    if (const auto loops = json.member("open_loop_ids")) slots.open_loop_ids = text_list_of(*loops);
    if (const auto preferences = json.member("preferences")) {
        JsonWalker walker(*preferences);
        std::string_view name;
        while (const auto value = walker.next(&name)) {
            const std::string quoted = '"' + std::string(name) + '"';
            slots.preferences.insert_or_assign(JsonView{quoted}.as_text(), value->as_text());
        }
    }
    if (const auto extension = json.member("extension"))
        slots.extension = RawJson::trusted(std::string(extension->text));
    return slots;
}

std::map<std::string, std::int64_t> counters_of(JsonView json) {
    std::map<std::string, std::int64_t> counters;
    JsonWalker walker(json);
    std::string_view name;
    while (const auto value = walker.next(&name)) {
        std::int64_t counter = 0;
        std::from_chars(value->text.data(), value->text.data() + value->text.size(), counter);
        counters.insert_or_assign(std::string(name), counter);
    }
    return counters;
}

void append_tool_policies(JsonWriter& writer, const std::map<std::string, ToolPolicy>& policies) {
    writer.begin_object();
    for (const auto& [tool, policy] : policies) writer.field(tool, tool_policy_name(policy));
    writer.end_object();
}

std::optional<std::map<std::string, ToolPolicy>> tool_policies_of(JsonView json) {
    std::map<std::string, ToolPolicy> policies;
    JsonWalker walker(json);
    std::string_view name;
    while (const auto value = walker.next(&name)) {
        const auto policy = parse_tool_policy(value->as_text());
        if (!policy) return std::nullopt;
        policies.insert_or_assign(std::string(name), *policy);
    }
    return policies;
}

std::optional<base::Timestamp> next_wake_of(const AgentRecord& record) {
    const auto& timer = record.next_timer_at;
    const auto& wish = record.state.next_wake_at;
    if (!timer || !wish) return timer ? timer : wish;
    return std::min(*timer, *wish);
}

void append_agent(JsonWriter& writer, const AgentRecord& record) {
    const Agent& agent = record.agent;
    writer.begin_object().field("id", agent.id).field("user_id", agent.user_id).field("kind", agent.kind);
    writer.field("display_name", agent.display_name).field("lifecycle", agent_lifecycle_name(agent.lifecycle));
    writer.field("mode", agent_mode_name(agent.mode)).name("allowed_category_ids");
    append_text_list(writer, agent.allowed_category_ids);
    writer.name("capabilities");
    append_text_list(writer, agent.capabilities);
    writer.name("tool_policies");
    append_tool_policies(writer, agent.tool_policies);
    writer.name("config");
    append_config(writer, agent.config);
    writer.name("memory");
    append_memory_settings(writer, agent.memory);
    writer.name("workflow").begin_object().field("kind", workflow_kind_name(agent.workflow));
    writer.name("settings").raw(agent.workflow_settings.bytes()).end_object();
    writer.field("created_at", base::format_timestamp(agent.created_at));
    writer.field("updated_at", base::format_timestamp(agent.updated_at));
    append_time(writer, "destroyed_at", agent.destroyed_at);
    append_time(writer, "next_wake_at", next_wake_of(record));
    writer.name("state");
    append_state(writer, record.state);
    writer.name("runtime");
    append_runtime(writer, record.runtime);
    writer.end_object();
}

}  // namespace belfry::model
