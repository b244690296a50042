#include "model/agent_message.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 7> kinds{"observation", "user",    "thought", "action",
                                                "tool_result", "summary", "system"};
constexpr std::array<std::string_view, 4> action_types{"tool_call", "propose_plan", "ask_user", "lifecycle_transition"};
constexpr std::array<std::string_view, 3> statuses{"success", "error", "partial"};
constexpr std::array<std::string_view, 5> relations{"message_prev", "message_payload", "summary_start", "summary_end",
                                                    "tool_effect"};

void append_status(JsonWriter& writer, const AgentMessageMetadata& metadata) {
    writer.name("status");
    metadata.status ? writer.text(tool_status_name(*metadata.status)) : writer.null();
}

void append_metadata(JsonWriter& writer, const AgentMessageMetadata& metadata) {
    writer.begin_object();
    append_id(writer, "action_ref_id", metadata.action_ref_id);
    append_text(writer, "operation_id", metadata.operation_id);
    append_status(writer, metadata);
    append_text(writer, "error_code", metadata.error_code);
    append_text(writer, "error_message", metadata.error_message);
    writer.name("extension").raw(metadata.extension.bytes()).end_object();
}

void append_action(JsonWriter& writer, const AgentMessage& message) {
    writer.begin_object().field("action_type", action_type_name(message.action->type));
    append_text(writer, "tool_name", message.action->tool_name);
    append_text(writer, "operation_id", message.metadata.operation_id);
    append_text(writer, "arguments_hash", message.action->arguments_hash);
    writer.name("scope_snapshot");
    append_text_list(writer, message.action->scope_snapshot);
    writer.end_object();
}

void append_tool_result(JsonWriter& writer, const AgentMessage& message) {
    writer.begin_object();
    append_id(writer, "action_ref_id", message.metadata.action_ref_id);
    append_text(writer, "operation_id", message.metadata.operation_id);
    append_status(writer, message.metadata);
    writer.name("changed_entity_ids");
    append_text_list(writer, message.tool_result->changed_entity_ids);
    writer.name("changed_tokens");
    append_text_list(writer, message.tool_result->changed_tokens);
    append_text(writer, "error_code", message.metadata.error_code);
    append_text(writer, "error_message", message.metadata.error_message);
    writer.end_object();
}

std::string text_of(JsonView json, std::string_view name) {
    const auto member = json.member(name);
    return member && member->kind() == JsonKind::string ? member->as_text() : std::string();
}

std::vector<std::string> list_of(JsonView json, std::string_view name) {
    const auto member = json.member(name);
    return member ? text_list_of(*member) : std::vector<std::string>();
}

void append_planned_members(JsonWriter& writer, const PlannedAction& action) {
    writer.field("ordinal", action.ordinal).field("action_type", action_type_name(action.type));
    append_text(writer, "tool_name", action.tool_name);
    writer.field("operation_id", action.operation_id).field("arguments_hash", action.arguments_hash);
    writer.name("arguments").raw(action.arguments.bytes());
}

}  // namespace

std::string_view agent_message_kind_name(AgentMessageKind kind) {
    return kinds[static_cast<std::size_t>(kind)];
}
std::optional<AgentMessageKind> parse_agent_message_kind(std::string_view name) {
    return parse_choice<AgentMessageKind>(kinds, name);
}
std::string_view action_type_name(ActionType type) {
    return action_types[static_cast<std::size_t>(type)];
}
std::optional<ActionType> parse_action_type(std::string_view name) {
    return parse_choice<ActionType>(action_types, name);
}
std::string_view agent_relation_name(AgentRelation relation) {
    return relations[static_cast<std::size_t>(relation)];
}

std::string_view tool_status_name(ToolStatus status) {
    return statuses[static_cast<std::size_t>(status)];
}
std::optional<ToolStatus> parse_tool_status(std::string_view name) {
    return parse_choice<ToolStatus>(statuses, name);
}

void append_agent_message(JsonWriter& writer, const AgentMessage& message) {
    writer.begin_object().field("id", base::format_uuid(message.id)).field("agent_id", message.agent_id);
    writer.field("thread_id", message.thread_id).field("kind", agent_message_kind_name(message.kind));
    writer.field("created_at", base::format_timestamp(message.created_at));
    append_id(writer, "prev_message_id", message.prev_message_id);
    append_id(writer, "content_entry_id", message.content_entry_id);
    append_text(writer, "trigger_source_id", message.trigger_source_id);
    append_id(writer, "summary_start_message_id", message.summary_start_message_id);
    append_id(writer, "summary_end_message_id", message.summary_end_message_id);
    writer.field("summary_depth", message.summary_depth).field("tokens_approx", message.tokens_approx);
    writer.name("metadata");
    append_metadata(writer, message.metadata);
    if (message.action) append_action(writer.name("action"), message);
    if (message.tool_result) append_tool_result(writer.name("tool_result"), message);
    writer.name("content").raw(message.content.bytes()).end_object();
}

void append_plan(JsonWriter& writer, const PlanNow& now) {
    const AgentPlan& plan = now.plan;
    writer.begin_object().field("run_key", plan.run_key).field("round", plan.round).field("agent_id", plan.agent_id);
    writer.field("wake_id", plan.wake_id).field("created_at", base::format_timestamp(plan.created_at));
    writer.name("actions").begin_array();
    for (std::size_t i = 0; i < plan.actions.size(); ++i) {
        writer.begin_object();
        append_planned_members(writer, plan.actions[i]);
        const PlanNow::Progress& progress = now.progress.at(i);
        writer.name("action_id");
        progress.action ? writer.text(base::format_uuid(progress.action->id)) : writer.null();
        writer.name("result");
        if (progress.result) append_agent_message(writer, *progress.result);
        else writer.null();
        writer.end_object();
    }
    writer.end_array().end_object();
}

void append_envelope(JsonWriter& writer, const AgentMessage& message) {
    writer.begin_object();
    if (message.action) {
        writer.field("action_type", action_type_name(message.action->type));
        append_text(writer, "tool_name", message.action->tool_name);
        append_text(writer, "arguments_hash", message.action->arguments_hash);
        writer.name("scope_snapshot");
        append_text_list(writer, message.action->scope_snapshot);
    }
    if (message.tool_result) {
        writer.name("changed_entity_ids");
        append_text_list(writer, message.tool_result->changed_entity_ids);
        writer.name("changed_tokens");
        append_text_list(writer, message.tool_result->changed_tokens);
    }
    writer.end_object();
}

void read_envelope(JsonView json, AgentMessage& message) {
    if (message.kind == AgentMessageKind::action) {
        ActionEnvelope& action = message.action.emplace();
        action.type = parse_action_type(text_of(json, "action_type")).value_or(ActionType::tool_call);
        action.tool_name = text_of(json, "tool_name");
        action.arguments_hash = text_of(json, "arguments_hash");
        action.scope_snapshot = list_of(json, "scope_snapshot");
    }
    if (message.kind == AgentMessageKind::tool_result) {
        ResultEnvelope& result = message.tool_result.emplace();
        result.changed_entity_ids = list_of(json, "changed_entity_ids");
        result.changed_tokens = list_of(json, "changed_tokens");
    }
}

void append_planned_actions(JsonWriter& writer, const std::vector<PlannedAction>& actions) {
    writer.begin_array();
    for (const PlannedAction& action : actions) {
        writer.begin_object();
        append_planned_members(writer, action);
        writer.end_object();
    }
    writer.end_array();
}

std::vector<PlannedAction> planned_actions_of(JsonView json) {
    std::vector<PlannedAction> actions;
    JsonWalker walker(json);
    while (const auto one = walker.next()) {
        PlannedAction& action = actions.emplace_back();
        if (const auto ordinal = one->member("ordinal")) {
            std::from_chars(ordinal->text.data(), ordinal->text.data() + ordinal->text.size(), action.ordinal);
        }
        action.type = parse_action_type(text_of(*one, "action_type")).value_or(ActionType::tool_call);
        action.tool_name = text_of(*one, "tool_name");
        action.operation_id = text_of(*one, "operation_id");
        action.arguments_hash = text_of(*one, "arguments_hash");
        if (const auto arguments = one->member("arguments")) {
            action.arguments = RawJson::trusted(std::string(arguments->text));
        }
    }
    return actions;
}

}  // namespace belfry::model
