#include "rules/body_fields.hpp"
#include "rules/sync_bodies.hpp"

namespace belfry::rules {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;

// What there is not is not written: what is said once is not merged field by field.
void put(BodyWriter& body, std::string_view name, std::string_view text) {
    if (!text.empty()) body.text(name, text);
}
void put(BodyWriter& body, std::string_view name, const std::optional<base::Uuid>& id) {
    if (id) body.id(name, id);
}

}  // namespace

model::RawJson message_body(const AgentMessage& message) {
    BodyWriter body;
    body.text("agent_id", message.agent_id);
    body.text("thread_id", message.thread_id);
    body.text("kind", model::agent_message_kind_name(message.kind));
    body.time("created_at", message.created_at);
    put(body, "prev", message.prev_message_id);
    put(body, "content_entry_id", message.content_entry_id);
    put(body, "trigger_source_id", message.trigger_source_id);
    put(body, "summary_start", message.summary_start_message_id);
    put(body, "summary_end", message.summary_end_message_id);
    if (message.summary_depth != 0) body.number("summary_depth", message.summary_depth);
    body.number("tokens", message.tokens_approx);
    const model::AgentMessageMetadata& said = message.metadata;
    put(body, "action_ref_id", said.action_ref_id);
    put(body, "operation_id", said.operation_id);
    if (said.status) body.text("status", model::tool_status_name(*said.status));
    put(body, "error_code", said.error_code);
    put(body, "error_message", said.error_message);
    if (said.extension != model::RawJson()) body.raw("extension", said.extension.bytes());
    if (message.action || message.tool_result) {
        body.value("envelope", [&](model::JsonWriter& writer) { model::append_envelope(writer, message); });
    }
    body.raw("content", message.content.bytes());
    return body.take();
}

base::Result<void> read_message_body(model::JsonView json, AgentMessage& message) {
    BodyReader body(json);
    message.agent_id = body.text("agent_id");
    message.thread_id = body.text("thread_id");
    message.kind = body.choice("kind", model::parse_agent_message_kind);
    message.created_at = body.time("created_at");
    message.prev_message_id = body.maybe_id("prev");
    message.content_entry_id = body.maybe_id("content_entry_id");
    message.trigger_source_id = body.text("trigger_source_id");
    message.summary_start_message_id = body.maybe_id("summary_start");
    message.summary_end_message_id = body.maybe_id("summary_end");
    message.summary_depth = body.number("summary_depth");
    message.tokens_approx = body.number("tokens");
    message.metadata.action_ref_id = body.maybe_id("action_ref_id");
    message.metadata.operation_id = body.text("operation_id");
    if (body.value("status")) message.metadata.status = body.choice("status", model::parse_tool_status);
    message.metadata.error_code = body.text("error_code");
    message.metadata.error_message = body.text("error_message");
    message.metadata.extension = body.object("extension");
    const bool has_envelope = message.kind == AgentMessageKind::action || message.kind == AgentMessageKind::tool_result;
    if (has_envelope) model::read_envelope(body.object("envelope").view(), message);
    const auto content = body.members().find("content");
    if (content == body.members().end()) body.fault("content", "must be given");
    else message.content = model::RawJson::trusted(std::string(content->second.text));
    if (!message.thread_id.starts_with(message.agent_id + ':')) body.fault("thread_id", "is none of the agent's");
    if (message.tokens_approx < 0) body.fault("tokens", "is below zero");
    return body.done();
}

model::RawJson forgotten_body() {
    return model::RawJson::trusted(R"({"forgotten":true})");
}

bool is_forgotten(model::JsonView json) {
    const auto forgotten = json.member("forgotten");
    return forgotten && forgotten->text == "true";
}

}  // namespace belfry::rules
