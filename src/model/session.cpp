#include "model/session.hpp"

#include <algorithm>
#include <array>

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 4> roles{"user", "assistant", "tool", "system"};

}  // namespace

std::string_view message_role_name(MessageRole role) {
    return roles[static_cast<std::size_t>(role)];
}

std::optional<MessageRole> parse_message_role(std::string_view name) {
    const auto at = std::ranges::find(roles, name);
    if (at == roles.end()) return std::nullopt;
    return static_cast<MessageRole>(at - roles.begin());
}

void append_system_message_json(std::string& out, const SystemMessage& message) {
    JsonWriter writer(out);
    writer.begin_object();
    writer.field("id", base::format_uuid(message.id.uuid));
    writer.field("ordinal", static_cast<long long>(message.ordinal));
    writer.field("role", "system");
    writer.field("source", message.source);
    writer.field("severity", message.severity);
    writer.field("content", message.content);
    writer.field("text", message.text);
    writer.field("timestamp", base::format_timestamp(message.timestamp));
    writer.field("notification_id", base::format_uuid(message.notification_id));
    writer.end_object();
}

}  // namespace belfry::model
