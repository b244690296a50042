#include "rules/agent_message.hpp"

#include <algorithm>
#include <string>

#include "base/characters.hpp"
#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "model/change.hpp"
#include "model/value_json.hpp"
#include "rules/agent.hpp"
#include "rules/message_fork.hpp"
#include "rules/model_tokens.hpp"
#include "rules/wake_key.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;
using model::ActionType;
using model::AgentMessage;
using model::AgentMessageKind;
using model::ToolStatus;
constexpr std::size_t hash_chars = 64;

base::Error invalid(std::string field, std::string message) {
    return base::error(Code::invalid, std::move(message), std::move(field));
}

base::Result<void> check_text(std::string_view text, std::size_t bytes_max, const std::string& field) {
    if (text.size() > bytes_max) {
        return base::error(Code::too_large, "is longer than " + std::to_string(bytes_max) + " bytes", field);
    }
    if (base::has_harmful(text)) {
        return invalid(field, "must not have characters that nobody sees or that turn text around");
    }
    return {};
}

base::Result<void> check_list(const std::vector<std::string>& texts, std::size_t count_max, std::size_t bytes_max,
                              const std::string& field) {
    if (texts.size() > count_max) {
        return base::error(Code::too_large, "has more than " + std::to_string(count_max) + " entries", field);
    }
    for (const std::string& text : texts) {
        if (text.empty()) return invalid(field, "must not have an empty entry");
        TRY(check_text(text, bytes_max, field));
    }
    return {};
}

bool is_hash(std::string_view text) {
    return text.size() == hash_chars &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool has_content(const model::RawJson& content) {
    return content != model::RawJson();
}

std::string hash_of(const model::RawJson& arguments) {
    return arguments_hash(model::value_from(arguments.view()));
}

// Only a call has a tool, and it must.
base::Result<void> check_tool(ActionType type, std::string_view tool_name, const std::string& field) {
    if ((type == ActionType::tool_call) == tool_name.empty()) {
        return invalid(field, tool_name.empty() ? "must be given for a tool_call"
                                                : "belongs to a tool_call, and this is a " +
                                                      std::string(model::action_type_name(type)));
    }
    return check_text(tool_name, limits::agent_tool_name_bytes_max, field);
}

base::Result<void> check_action(AgentMessage& draft, const model::Agent& agent) {
    if (!draft.action) return invalid("action", "must be given for an action");
    model::ActionEnvelope& action = *draft.action;
    TRY(check_tool(action.type, action.tool_name, "action.tool_name"));
    if (draft.metadata.operation_id.empty()) return invalid("action.operation_id", "must be given");
    if (action.arguments_hash.empty()) {
        action.arguments_hash = hash_of(draft.content);
    } else if (!is_hash(action.arguments_hash)) {
        return invalid("action.arguments_hash", "must be " + std::to_string(hash_chars) + " hexadecimal digits");
    } else if (has_content(draft.content) && action.arguments_hash != hash_of(draft.content)) {
        return invalid("action.arguments_hash", "is not the hash of the content, which is its arguments");
    }
    if (action.scope_snapshot.empty()) action.scope_snapshot = agent.allowed_category_ids;
    TRY(check_list(action.scope_snapshot, limits::agent_list_max, limits::scope_id_bytes_max, "action.scope_snapshot"));
    for (const std::string& category : action.scope_snapshot) {
        if (std::ranges::find(agent.allowed_category_ids, category) != agent.allowed_category_ids.end()) continue;
        return invalid("action.scope_snapshot", "has a category that this agent may not work in");
    }
    return {};
}

base::Result<void> check_tool_result(const AgentMessage& draft) {
    if (!draft.tool_result) return invalid("tool_result", "must be given for a tool_result");
    const model::AgentMessageMetadata& said = draft.metadata;
    if (!said.action_ref_id && said.operation_id.empty()) {
        return invalid("tool_result.action_ref_id", "must be given, or operation_id: which action does it answer?");
    }
    if (!said.status) return invalid("tool_result.status", "must be success, error or partial");
    if (*said.status == ToolStatus::error && said.error_code.empty()) {
        return invalid("tool_result.error_code", "must be given with the status error");
    }
    if (*said.status == ToolStatus::success && !said.error_code.empty()) {
        return invalid("tool_result.error_code", "does not go with the status success");
    }
    if (said.error_code.empty() && !said.error_message.empty()) {
        return invalid("tool_result.error_message", "needs an error_code");
    }
    TRY(check_list(draft.tool_result->changed_entity_ids, limits::agent_message_list_max, limits::scope_id_bytes_max,
                   "tool_result.changed_entity_ids"));
    TRY(check_list(draft.tool_result->changed_tokens, limits::agent_message_list_max, limits::event_token_bytes_max,
                   "tool_result.changed_tokens"));
    for (const std::string& token : draft.tool_result->changed_tokens) {
        if (auto parsed = model::ChangeToken::parse(token); !parsed.ok()) {
            return invalid("tool_result.changed_tokens", parsed.error().message);
        }
    }
    return {};
}

base::Result<void> check_summary(const AgentMessage& draft) {
    const bool is_summary = draft.kind == AgentMessageKind::summary;
    if (draft.summary_start_message_id.has_value() != is_summary) {
        return invalid("summary_start_message_id", is_summary ? "must be given for a summary" : "belongs to a summary");
    }
    if (draft.summary_end_message_id.has_value() != is_summary) {
        return invalid("summary_end_message_id", is_summary ? "must be given for a summary" : "belongs to a summary");
    }
    const std::int64_t depth_max = is_summary ? limits::summary_depth_max : 0;
    if (draft.summary_depth >= 0 && draft.summary_depth <= depth_max) return {};
    return invalid("summary_depth", is_summary ? "must lie between 0 and " + std::to_string(depth_max)
                                               : std::string("belongs to a summary"));
}

base::Result<void> check_metadata(const model::AgentMessageMetadata& metadata, const std::string& place) {
    TRY(check_text(metadata.operation_id, limits::agent_operation_id_bytes_max, place + "operation_id"));
    TRY(check_text(metadata.error_code, limits::agent_error_code_bytes_max, place + "error_code"));
    if (metadata.error_message.size() > limits::agent_error_message_bytes_max) {
        return base::error(Code::too_large,
                           "is longer than " + std::to_string(limits::agent_error_message_bytes_max) + " bytes",
                           place + "error_message");
    }
    return check_extension(metadata.extension, "metadata.extension");
}

// The scope is what it was when it was done first.
bool is_same_action(const std::optional<model::ActionEnvelope>& a, const std::optional<model::ActionEnvelope>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return a->type == b->type && a->tool_name == b->tool_name && a->arguments_hash == b->arguments_hash;
}

}  // namespace

base::Result<void> check_message(AgentMessage& draft, const model::Agent& agent) {
    const bool is_action = draft.kind == AgentMessageKind::action;
    const bool is_result = draft.kind == AgentMessageKind::tool_result;
    if (draft.content.bytes().size() > limits::agent_message_bytes_max) {
        return base::error(Code::too_large,
                           "is longer than " + std::to_string(limits::agent_message_bytes_max) + " bytes", "content");
    }
    TRY(check_text(draft.trigger_source_id, limits::scope_id_bytes_max, "trigger_source_id"));
    TRY(check_metadata(draft.metadata, is_action ? "action." : is_result ? "tool_result." : "metadata."));
    if (draft.action && !is_action) return invalid("action", "belongs to a message of the kind action");
    if (draft.tool_result && !is_result) return invalid("tool_result", "belongs to a message of the kind tool_result");
    TRY(check_summary(draft));
    if (is_action) TRY(check_action(draft, agent));
    if (is_result) TRY(check_tool_result(draft));
    if (draft.tokens_approx < 0 || draft.tokens_approx > limits::agent_message_tokens_max) {
        return invalid("tokens_approx", "must lie between 0 and " + std::to_string(limits::agent_message_tokens_max));
    }
    if (draft.tokens_approx == 0 && has_content(draft.content)) {
        draft.tokens_approx = estimate_model_tokens(draft.content.bytes());
    }
    return {};
}

base::Result<void> check_plan(std::vector<model::PlannedAction>& actions, std::string_view run_key,
                              std::int64_t actions_before) {
    if (actions.empty()) return invalid("actions", "must not be empty");
    if (actions.size() > limits::plan_actions_max) {
        return base::error(Code::too_large, "has more than " + std::to_string(limits::plan_actions_max) + " entries",
                           "actions");
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        model::PlannedAction& action = actions[i];
        const std::string place = "actions[" + std::to_string(i) + "].";
        TRY(check_tool(action.type, action.tool_name, place + "tool_name"));
        bytes += action.arguments.bytes().size();
        if (bytes > limits::plan_bytes_max) {
            return base::error(Code::too_large,
                               "has more than " + std::to_string(limits::plan_bytes_max) + " bytes of arguments",
                               "actions");
        }
        action.ordinal = actions_before + static_cast<std::int64_t>(i) + 1;
        const std::string_view name =
            action.type == ActionType::tool_call ? action.tool_name : model::action_type_name(action.type);
        action.operation_id = operation_id(run_key, static_cast<std::uint64_t>(action.ordinal), name);
        action.arguments_hash = hash_of(action.arguments);
    }
    return {};
}

base::Result<void> check_planned(const model::PlannedAction& planned, const AgentMessage& action) {
    if (planned.type != action.action->type) {
        return base::error(Code::conflict,
                           "the plan has a " + std::string(model::action_type_name(planned.type)) + " here",
                           "action.action_type", "not_planned");
    }
    if (planned.tool_name != action.action->tool_name) {
        return base::error(Code::conflict, "the plan has the tool " + planned.tool_name + " here", "action.tool_name",
                           "not_planned");
    }
    if (planned.arguments_hash != action.action->arguments_hash) {
        return base::error(Code::conflict, "the plan has other arguments here", "action.arguments_hash", "not_planned");
    }
    return {};
}

AgentMessage message_of(const model::PlannedAction& planned, const model::Agent& agent) {
    AgentMessage message;
    message.kind = AgentMessageKind::action;
    message.metadata.operation_id = planned.operation_id;
    message.action =
        model::ActionEnvelope{planned.type, planned.tool_name, planned.arguments_hash, agent.allowed_category_ids};
    message.content = planned.arguments;
    if (has_content(message.content)) message.tokens_approx = estimate_model_tokens(message.content.bytes());
    return message;
}

bool may_be_answered(const AgentMessage& action, std::string_view thread_id) {
    return action.kind == AgentMessageKind::action && action.thread_id == thread_id;
}

bool is_same_message(const AgentMessage& there, const AgentMessage& draft) {
    const model::AgentMessageMetadata& a = there.metadata;
    const model::AgentMessageMetadata& b = draft.metadata;
    // What a result answers may be named in two ways.
    const bool is_same_place = (!b.action_ref_id || a.action_ref_id == b.action_ref_id) &&
                               (b.operation_id.empty() || a.operation_id == b.operation_id);
    return is_same_place && there.kind == draft.kind && there.content == draft.content && a.status == b.status &&
           a.error_code == b.error_code && a.error_message == b.error_message &&
           given_extension(there) == given_extension(draft) && is_same_action(there.action, draft.action) &&
           there.tool_result == draft.tool_result && there.summary_start_message_id == draft.summary_start_message_id &&
           there.summary_end_message_id == draft.summary_end_message_id && there.summary_depth == draft.summary_depth;
}

}  // namespace belfry::rules
