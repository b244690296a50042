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

RawJson with_words(const RawJson& messages, const base::Uuid& notification_id, const std::optional<NewWords>& words) {
    const std::string wanted = base::format_uuid(notification_id);
    std::string out;
    JsonWriter writer(out);
    writer.begin_array();
    JsonWalker all(messages.view());
    while (const auto one = all.next()) {
        const auto about = one->member("notification_id");
        if (!about || about->as_text() != wanted) {
            writer.raw(one->text);
            continue;
        }
        if (!words) continue;
        writer.begin_object();
        JsonWalker members(*one);
        std::string_view name;
        while (const auto value = members.next(&name)) {
            writer.name(name);
            if (name == "content") writer.text(words->content);
            else if (name == "text") writer.text(words->text);
            else if (name == "severity") writer.text(words->severity);
            else writer.raw(value->text);
        }
        writer.end_object();
    }
    writer.end_array();
    return RawJson::trusted(std::move(out));
}

}  // namespace belfry::model
