#include "rules/sync_bodies.hpp"

#include <algorithm>

#include "model/severity.hpp"
#include "rules/body_fields.hpp"
#include "rules/timer.hpp"

namespace belfry::rules {
namespace {

constexpr std::string_view preference_prefix = "slot.preference.";
constexpr std::size_t id_digits = 8;

void append_config(model::JsonWriter& writer, const model::AgentConfig& config) {
    writer.begin_object().name("extension").raw(config.extension.bytes());
    writer.field("model_id", config.model_id).field("prompt_id", config.prompt_id);
    writer.field("schema_version", config.schema_version).end_object();
}

base::Result<model::AgentConfig> config_of(model::JsonView json) {
    BodyReader reader(json, "config.");
    model::AgentConfig config;
    config.extension = reader.object("extension");
    config.model_id = reader.text("model_id");
    config.prompt_id = reader.text("prompt_id");
    config.schema_version = reader.number("schema_version");
    TRY(reader.done());
    return config;
}

base::Result<std::map<std::string, model::ToolPolicy>> policies_of(model::JsonView json) {
    BodyReader reader(json, "tool_policies.");
    std::map<std::string, model::ToolPolicy> policies;
    for (const auto& [tool, value] : reader.members()) {
        policies.emplace(tool, reader.choice(tool, model::parse_tool_policy));
    }
    TRY(reader.done());
    return policies;
}

base::Result<std::map<std::string, std::int64_t>> processed_of(model::JsonView json) {
    BodyReader reader(json, "processed.");
    std::map<std::string, std::int64_t> counters;
    for (const auto& [host, value] : reader.members()) counters.emplace(host, reader.number(host));
    TRY(reader.done());
    return counters;
}

std::string last_digits(const model::TimerId& id) {
    const std::string text = base::format_uuid(id.uuid);
    return text.substr(text.size() - id_digits);
}

}  // namespace

model::RawJson agent_body(const model::Agent& agent) {
    BodyWriter body;
    body.text("kind", agent.kind);
    body.text("display_name", agent.display_name);
    body.text("mode", model::agent_mode_name(agent.mode));
    body.texts("allowed_category_ids", agent.allowed_category_ids);
    body.texts("capabilities", agent.capabilities);
    body.value("tool_policies",
               [&](model::JsonWriter& writer) { model::append_tool_policies(writer, agent.tool_policies); });
    body.value("config", [&](model::JsonWriter& writer) { append_config(writer, agent.config); });
    body.value("memory", [&](model::JsonWriter& writer) { model::append_memory_settings(writer, agent.memory); });
    body.text("workflow", model::workflow_kind_name(agent.workflow));
    body.raw("workflow_settings", agent.workflow_settings.bytes());
    body.text("user_id", agent.user_id);
    body.id("state_id", agent.state_id);
    body.time("created_at", agent.created_at);
    return body.take();
}

base::Result<void> read_agent_body(model::JsonView json, model::Agent& agent) {
    BodyReader body(json);
    agent.kind = body.text("kind");
    agent.display_name = body.text("display_name");
    agent.mode = body.choice("mode", model::parse_agent_mode);
    agent.allowed_category_ids = body.texts("allowed_category_ids");
    agent.capabilities = body.texts("capabilities");
    if (const auto policies = body.value("tool_policies")) {
        TRY_ASSIGN(agent.tool_policies, policies_of(*policies));
    }
    if (const auto config = body.value("config")) {
        TRY_ASSIGN(agent.config, config_of(*config));
    }
    agent.memory = model::memory_settings_of(body.object("memory").view());
    agent.workflow = body.choice("workflow", model::parse_workflow_kind);
    agent.workflow_settings = body.object("workflow_settings");
    agent.user_id = body.text("user_id");
    agent.state_id = body.maybe_id("state_id").value_or(base::Uuid{});
    agent.created_at = body.time("created_at");
    return body.done();
}

model::RawJson agent_state_body(const model::Agent& agent, const model::AgentState& state,
                                const model::RecordKnowledge& knowledge) {
    BodyWriter body;
    for (const auto& [name, stamp] : knowledge.stamps) {
        if (name.starts_with(preference_prefix)) body.null(name);
    }
    body.text("lifecycle", model::agent_lifecycle_name(agent.lifecycle));
    body.time("destroyed_at", agent.destroyed_at);
    body.time("last_wake_at", state.last_wake_at);
    body.time("next_wake_at", state.next_wake_at);
    body.time("sleep_until", state.sleep_until);
    body.id("recent_head_message_id", state.recent_head_message_id);
    body.id("latest_summary_message_id", state.latest_summary_message_id);
    body.value("processed",
               [&](model::JsonWriter& writer) { model::append_counters(writer, state.processed_counter_by_host); });
    const model::AgentSlots& slots = state.slots;
    body.text("slot.primary_goal", slots.primary_goal);
    body.text("slot.active_task_id", slots.active_task_id);
    body.texts("slot.open_loop_ids", slots.open_loop_ids);
    body.raw("slot.extension", slots.extension.bytes());
    for (const auto& [key, value] : slots.preferences) {
        body.value(std::string(preference_prefix) + key,
                   [&text = value](model::JsonWriter& writer) { writer.text(text); });
    }
    return body.take();
}

base::Result<void> read_agent_state_body(model::JsonView json, model::Agent& agent, model::AgentState& state) {
    BodyReader body(json);
    agent.lifecycle = body.choice("lifecycle", model::parse_agent_lifecycle);
    agent.destroyed_at = body.maybe_time("destroyed_at");
    state.last_wake_at = body.maybe_time("last_wake_at");
    state.next_wake_at = body.maybe_time("next_wake_at");
    state.sleep_until = body.maybe_time("sleep_until");
    state.recent_head_message_id = body.maybe_id("recent_head_message_id");
    state.latest_summary_message_id = body.maybe_id("latest_summary_message_id");
    if (const auto processed = body.value("processed")) {
        TRY_ASSIGN(state.processed_counter_by_host, processed_of(*processed));
    }
    model::AgentSlots slots;
    slots.primary_goal = body.text("slot.primary_goal");
    slots.active_task_id = body.text("slot.active_task_id");
    slots.open_loop_ids = body.texts("slot.open_loop_ids");
    slots.extension = body.object("slot.extension");
    for (const auto& [name, value] : body.members()) {
        if (!name.starts_with(preference_prefix) || value.kind() == model::JsonKind::null) continue;
        slots.preferences.emplace(name.substr(preference_prefix.size()), body.text(name));
    }
    state.slots = std::move(slots);
    return body.done();
}

model::RawJson subscription_body(const model::WakeSubscription& subscription) {
    BodyWriter body;
    body.text("agent_id", subscription.agent_id);
    body.flag("active", subscription.active);
    body.texts("types", subscription.types);
    body.text("severity", model::severity_name(subscription.severity));
    body.texts("sources", subscription.sources);
    body.texts("tokens", subscription.tokens);
    body.text("predicate", subscription.predicate);
    body.number("window", subscription.window.us);
    body.flag("synced", subscription.synced);
    body.number("priority", subscription.priority);
    body.time("created_at", subscription.created_at);
    body.null("deleted_at");
    return body.take();
}

base::Result<void> read_subscription_body(model::JsonView json, model::WakeSubscription& subscription) {
    BodyReader body(json);
    subscription.agent_id = body.text("agent_id");
    subscription.active = body.flag("active");
    subscription.types = body.texts("types");
    subscription.severity = body.choice("severity", model::parse_severity);
    subscription.sources = body.texts("sources");
    subscription.tokens = body.texts("tokens");
    subscription.predicate = body.text("predicate");
    subscription.window = {body.number("window")};
    subscription.synced = body.flag("synced");
    subscription.priority = body.number("priority");
    subscription.created_at = body.time("created_at");
    if (subscription.agent_id.empty()) body.fault("agent_id", "must be given");
    if (subscription.window < base::Duration{}) body.fault("window", "is below zero");
    return body.done();
}

std::string timer_name_beside(std::string_view name, const model::TimerId& id) {
    return std::string(name) + '~' + last_digits(id);
}

std::string timer_name_given(std::string_view name, const model::TimerId& id) {
    const std::string mark = '~' + last_digits(id);
    if (name.size() > mark.size() && name.ends_with(mark)) name.remove_suffix(mark.size());
    return std::string(name);
}

model::RawJson timer_body(const model::AgentTimer& timer) {
    BodyWriter body;
    body.text("agent_id", timer.agent_id);
    body.text("name", timer_name_given(timer.name, timer.id));
    body.value("schedule", [&](model::JsonWriter& writer) { model::append_kept_schedule(writer, timer.schedule); });
    body.flag("active", timer.active || is_used_up(timer));  // nobody has stopped it: the others may come to it, too
    body.time("last_scheduled_at", timer.last_scheduled_at);
    body.time("begun_at", timer.begun_at);
    body.raw("input", timer.input.bytes());
    body.number("priority", timer.priority);
    body.time("created_at", timer.created_at);
    body.null("deleted_at");
    return body.take();
}

base::Result<void> read_timer_body(model::JsonView json, model::AgentTimer& timer) {
    BodyReader body(json);
    timer.agent_id = body.text("agent_id");
    timer.name = body.text("name");
    const auto schedule = body.value("schedule");
    const auto read =
        schedule && schedule->kind() == model::JsonKind::object ? model::kept_schedule_of(*schedule) : std::nullopt;
    if (read) timer.schedule = *read;
    else body.fault("schedule", "is none");
    timer.active = body.flag("active");
    timer.last_scheduled_at = body.maybe_time("last_scheduled_at");
    timer.begun_at = body.time("begun_at");
    timer.input = body.object("input");
    timer.priority = body.number("priority");
    timer.created_at = body.time("created_at");
    if (timer.agent_id.empty()) body.fault("agent_id", "must be given");
    if (timer.name.empty()) body.fault("name", "must be given");
    return body.done();
}

model::RawJson with_deleted_at(const model::RawJson& json, base::Timestamp at) {
    const BodyReader body(json.view());
    BodyWriter dead;
    for (const auto& [name, value] : body.members()) dead.raw(name, value.text);
    dead.time("deleted_at", at);
    return dead.take();
}

bool is_deleted(model::JsonView json) {
    const auto at = json.member("deleted_at");
    return at && at->kind() != model::JsonKind::null;
}

}  // namespace belfry::rules
