#include "model/notification_json.hpp"

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

void append_number(JsonWriter& writer, std::string_view name, std::int64_t number) {
    writer.field(name, static_cast<long long>(number));
}

void begin(JsonWriter& writer, std::string_view type, const Notification& notification) {
    writer.begin_object().field("type", type).field("id", base::format_uuid(notification.id.uuid));
}

}  // namespace

void append_interface_json(std::string& out, const Notification& notification) {
    JsonWriter writer(out);
    writer.begin_object().field("type", "notification");
    append_interface_members(writer, notification);
    writer.end_object();
}

void append_interface_members(JsonWriter& writer, const Notification& notification) {
    writer.field("id", base::format_uuid(notification.id.uuid));
    append_text(writer, "session_id", notification.scope.session_id);
    const bool is_narrated = !notification.narration.empty();
    writer.field("content", is_narrated ? notification.narration : notification.content);
    writer.field("text", is_narrated ? notification.narration : notification.text);
    writer.name("narrated").boolean(is_narrated);
    if (is_narrated) writer.field("replaced_text", notification.text);
    writer.name("used_tools").begin_array();
    for (const std::string& tool : notification.used_tools) writer.text(tool);
    writer.end_array();
    writer.name("routing").begin_object().field("address", address_name(notification.address));
    writer.field("target", target_name(notification.target));
    writer.field("handler", handler_name(notification.handler)).end_object();
    writer.field("channel", channel_name(interface_channel(notification)));
    writer.name("metadata").raw(notification.metadata.bytes());
    writer.field("priority", priority_name(notification.priority));
    writer.field("severity", severity_name(notification.severity));
    append_number(writer, "owner_lease", notification.lease);
    append_number(writer, "version", notification.version);
    writer.field("state", delivery_state_name(notification.state));
    writer.field("timestamp", base::format_timestamp(notification.created_at));
}

void append_state_json(std::string& out, const Notification& notification, std::string_view by) {
    JsonWriter writer(out);
    begin(writer, "notification_state", notification);
    writer.field("state", delivery_state_name(notification.state));
    append_number(writer, "owner_lease", notification.lease);
    append_number(writer, "version", notification.version);
    append_time(writer, "seen_at", notification.seen_at);
    append_time(writer, "acted_at", notification.acted_at);
    append_time(writer, "dismissed_at", notification.dismissed_at);
    append_text(writer, "by", by);
    writer.end_object();
}

void append_turn_requested_json(std::string& out, const Notification& notification, std::string_view reason) {
    JsonWriter writer(out);
    begin(writer, "turn_requested", notification);
    append_text(writer, "session_id", notification.scope.session_id);
    append_text(writer, "agent_id", notification.scope.agent_id);
    append_text(writer, "user_id", notification.scope.user_id);
    writer.field("priority", priority_name(notification.priority)).field("reason", reason);
    append_number(writer, "depth", notification.depth);
    writer.end_object();
}

}  // namespace belfry::model
