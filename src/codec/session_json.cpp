#include "codec/session_json.hpp"

#include "codec/notification_json.hpp"

namespace belfry::codec {
namespace {

using model::JsonWriter;

void append_limit(JsonWriter& writer, std::string_view name, std::int64_t limit) {
    writer.name(name);
    limit == 0 ? writer.null() : writer.number(limit);
}

void append_id(JsonWriter& writer, std::string_view name, const base::Uuid& id) {
    writer.name(name);
    id.is_nil() ? writer.null() : writer.text(base::format_uuid(id));
}

}  // namespace

void append_budget(JsonWriter& writer, std::string_view name, const model::Budget& budget) {
    writer.name(name).begin_object();
    append_limit(writer, "tokens", budget.tokens);
    append_limit(writer, "iterations", budget.iterations);
    append_limit(writer, "timeout_s", budget.timeout_s);
    append_limit(writer, "context_tokens", budget.context_tokens);
    writer.end_object();
}

void append_progress(JsonWriter& writer, std::string_view name, const model::Progress& progress) {
    writer.name(name).begin_object().field("turn", static_cast<long long>(progress.turn));
    writer.name("in_turn").boolean(progress.in_turn);
    writer.field("tokens_used", static_cast<long long>(progress.tokens_used));
    writer.field("context_tokens", static_cast<long long>(progress.context_used));
    append_time_or_null(writer, "counting_since", progress.counting_since);
    writer.end_object();
}

void append_session(JsonWriter& writer, const model::Session& session) {
    writer.begin_object().field("id", session.id);
    append_text_or_null(writer, "user_id", session.user_id);
    append_text_or_null(writer, "agent_id", session.agent_id);
    append_text_or_null(writer, "title", session.title);
    writer.name("metadata").raw(session.metadata.bytes());
    append_budget(writer, "budget", session.budget);
    append_progress(writer, "progress", session.progress);
    append_id(writer, "head", session.head.uuid);
    append_time_or_null(writer, "last_turn_started_at", session.last_turn_started_at);
    append_time_or_null(writer, "last_turn_ended_at", session.last_turn_ended_at);
    writer.field("created_at", base::format_timestamp(session.created_at));
    writer.field("updated_at", base::format_timestamp(session.updated_at)).end_object();
}

void append_message(JsonWriter& writer, const model::SessionMessage& message) {
    writer.begin_object().field("id", base::format_uuid(message.id.uuid));
    writer.field("node_id", base::format_uuid(message.node.uuid));
    writer.field("ordinal", static_cast<long long>(message.ordinal));
    writer.field("role", model::message_role_name(message.role)).field("content", message.content);
    writer.name("metadata").raw(message.metadata.bytes());
    writer.field("created_at", base::format_timestamp(message.created_at)).end_object();
}

void append_node(JsonWriter& writer, const model::ContextNode& node, std::span<const model::SessionMessage> messages) {
    writer.begin_object().field("id", base::format_uuid(node.id.uuid));
    append_id(writer, "parent_id", node.parent ? node.parent->uuid : base::Uuid{});
    writer.field("created_at", base::format_timestamp(node.created_at)).name("messages").begin_array();
    for (const model::SessionMessage& message : messages) append_message(writer, message);
    writer.end_array().name("system_messages").raw(node.system_messages.bytes()).end_object();
}

}  // namespace belfry::codec
