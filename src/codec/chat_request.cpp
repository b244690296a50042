#include "codec/chat_completions.hpp"
#include "codec/utf8.hpp"

namespace belfry::codec {
namespace {

using base::Code;
using model::ChatMessage;
using model::ChatRequest;
using model::ChatRole;
using model::ChatTool;
using model::JsonWriter;
using model::ToolCall;

base::Error wrong(std::string message, std::string field) {
    return base::error(Code::invalid, std::move(message), std::move(field));
}

base::Result<void> check(const ChatMessage& message, const std::string& field) {
    bool is_text = is_utf8(message.text) && is_utf8(message.tool_call_id);
    for (const ToolCall& call : message.calls) is_text = is_text && is_utf8(call.id) && is_utf8(call.name);
    if (!is_text) return wrong("is not UTF-8", field);
    if (!message.calls.empty() && message.role != ChatRole::assistant) {
        return wrong("has tool calls, which only an assistant makes", field);
    }
    const bool is_result = message.role == ChatRole::tool;
    if (is_result == message.tool_call_id.empty())
        return wrong("must name its call if it is a result, else none", field);
    return {};
}

base::Result<void> check(const ChatRequest& request) {
    if (request.model.empty() || !is_utf8(request.model)) return wrong("must name a model", "model");
    if (request.messages.empty()) return wrong("must have a message at least", "messages");
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
        TRY(check(request.messages[i], "messages[" + std::to_string(i) + "]"));
    }
    bool has_chosen = request.tool_choice != model::ToolChoice::one;
    for (const ChatTool& tool : request.tools) {
        if (tool.name.empty() || !is_utf8(tool.name) || !is_utf8(tool.description)) {
            return wrong("must have a name and a description in UTF-8", "tools");
        }
        has_chosen = has_chosen || tool.name == request.tool;
    }
    if (!has_chosen) return wrong("must be one of the tools", "tool");
    return {};
}

void write(JsonWriter& writer, const ChatMessage& message) {
    writer.begin_object().field("role", model::chat_role_name(message.role)).field("content", message.text);
    if (!message.tool_call_id.empty()) writer.field("tool_call_id", message.tool_call_id);
    if (!message.calls.empty()) {
        writer.name("tool_calls").begin_array();
        for (const ToolCall& call : message.calls) {
            writer.begin_object().field("id", call.id).field("type", "function").name("function").begin_object();
            writer.field("name", call.name).field("arguments", call.arguments.bytes()).end_object().end_object();
        }
        writer.end_array();
    }
    writer.end_object();
}

void write(JsonWriter& writer, const ChatTool& tool) {
    writer.begin_object().field("type", "function").name("function").begin_object().field("name", tool.name);
    if (!tool.description.empty()) writer.field("description", tool.description);
    writer.name("parameters").raw(tool.parameters.bytes()).end_object().end_object();
}

// Without a word of it the choice is the model's; some servers refuse the word for that.
void write_choice(JsonWriter& writer, const ChatRequest& request) {
    switch (request.tool_choice) {
        case model::ToolChoice::automatic: return;
        case model::ToolChoice::none: writer.field("tool_choice", "none"); return;
        case model::ToolChoice::required: writer.field("tool_choice", "required"); return;
        case model::ToolChoice::one: break;
    }
    writer.name("tool_choice").begin_object().field("type", "function");
    writer.name("function").begin_object().field("name", request.tool).end_object().end_object();
}

void write_settings(JsonWriter& writer, const ChatRequest& request) {
    const bool in_pieces = request.endpoint.streaming == model::ChatStreaming::pieces;
    writer.name("stream").boolean(in_pieces);
    // The count comes in a last piece of its own, and only to those who ask for it.
    if (in_pieces) writer.name("stream_options").begin_object().name("include_usage").boolean(true).end_object();
    if (request.temperature) writer.name("temperature").real(*request.temperature);
    if (request.output_tokens_max) {
        const bool is_new = request.endpoint.output_limit_name == model::OutputLimitName::max_completion_tokens;
        writer.name(is_new ? "max_completion_tokens" : "max_tokens").number(*request.output_tokens_max);
    }
}

}  // namespace

base::Result<std::string> chat_request_body(const ChatRequest& request) {
    TRY(check(request));
    std::string body;
    JsonWriter writer(body);
    writer.begin_object().field("model", request.model).name("messages").begin_array();
    for (const ChatMessage& message : request.messages) write(writer, message);
    writer.end_array();
    write_settings(writer, request);
    if (!request.tools.empty()) {
        writer.name("tools").begin_array();
        for (const ChatTool& tool : request.tools) write(writer, tool);
        writer.end_array();
        write_choice(writer, request);
    }
    writer.end_object();
    if (body.size() > request.bounds.request_bytes) {
        return base::error(Code::too_large,
                           "the request has more than " + std::to_string(request.bounds.request_bytes) + " bytes");
    }
    return body;
}

}  // namespace belfry::codec
