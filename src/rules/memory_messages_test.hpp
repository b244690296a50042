#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "model/memory.hpp"
#include "rules/model_tokens.hpp"

// Messages for tests of what is made of them.
namespace belfry::rules {

inline base::Uuid numbered_id(std::uint64_t number) {
    base::Uuid id;
    for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    return id;
}

// When the message with this number was said.
inline base::Timestamp second(std::uint64_t number) {
    return base::Timestamp{} + base::seconds(static_cast<std::int64_t>(number));
}
// Something that it says.
inline model::MemoryItem item_of(std::string text, std::uint64_t number) {
    return {std::move(text), numbered_id(number), model::Summarizer::rules, second(number)};
}

inline model::AgentMessage message_of_json(std::uint64_t number, model::AgentMessageKind kind, std::string json) {
    model::AgentMessage message;
    message.id = numbered_id(number);
    message.agent_id = "coach";
    message.thread_id = "coach:session:s";
    message.kind = kind;
    message.position = static_cast<std::int64_t>(number);
    message.created_at = second(number);
    message.tokens_approx = estimate_model_tokens(json);
    message.content = model::RawJson::trusted(std::move(json));
    return message;
}

inline model::AgentMessage said(std::uint64_t number, std::string_view text,
                                model::AgentMessageKind kind = model::AgentMessageKind::user) {
    std::string json;
    model::JsonWriter(json).begin_object().field("text", text).end_object();
    return message_of_json(number, kind, std::move(json));
}

inline model::AgentMessage done(std::uint64_t number, std::string tool, std::string arguments = "{}",
                                model::ActionType type = model::ActionType::tool_call) {
    model::AgentMessage message = message_of_json(number, model::AgentMessageKind::action, std::move(arguments));
    message.action = model::ActionEnvelope{type, std::move(tool), {}, {}};
    return message;
}

inline model::AgentMessage answered(std::uint64_t number, std::uint64_t action, std::string error_code = {},
                                    std::string changed = {}) {
    model::AgentMessage message = message_of_json(number, model::AgentMessageKind::tool_result, "{}");
    message.metadata.action_ref_id = numbered_id(action);
    message.metadata.status = error_code.empty() ? model::ToolStatus::success : model::ToolStatus::error;
    message.metadata.error_code = std::move(error_code);
    message.tool_result.emplace();
    if (!changed.empty()) message.tool_result->changed_entity_ids.push_back(std::move(changed));
    return message;
}

}  // namespace belfry::rules
