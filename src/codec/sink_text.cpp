#include "codec/sink_text.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "model/notification_json.hpp"

namespace belfry::codec {
namespace {

constexpr std::size_t title_bytes_max = 200;

std::string cut(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return std::string(text);
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string(text.substr(0, end)) + "…";
}

int ntfy_priority(model::Priority priority) {
    switch (priority) {
        case model::Priority::critical: return 5;
        case model::Priority::high: return 4;
        case model::Priority::normal: return 3;
        case model::Priority::low: break;
    }
    return 2;
}

}  // namespace

std::string sink_title(const model::Notification& notification) {
    std::string title = "Belfry";
    // Whoever came through the socket has a number for a name.
    if (!notification.emitter.empty() && !notification.emitter.starts_with("peer:")) title = notification.emitter;
    if (!notification.subscriber_id.empty()) title = notification.subscriber_id;
    const auto given = notification.metadata.member("title");
    if (given && given->kind() == model::JsonKind::string && !given->as_text().empty()) title = given->as_text();
    std::ranges::replace_if(title, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return cut(title, title_bytes_max);
}

std::string sink_text(const model::Notification& notification) {
    const std::string& text = notification.text.empty() ? notification.content : notification.text;
    return cut(text, base::limits::sink_text_bytes_max);
}

std::string sink_json(const model::Notification& notification) {
    std::string out;
    model::append_interface_json(out, notification);
    out.pop_back();
    out += ",\"user_id\":\"";
    model::append_escaped(out, notification.scope.user_id);
    return out + "\"}";
}

std::string webhook_body(const model::Notification& notification) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("type", "notification");
    writer.field("timestamp", base::format_timestamp(notification.created_at));
    writer.name("data").raw(sink_json(notification)).end_object();
    return out;
}

std::string ntfy_body(const model::Notification& notification, std::string_view topic) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("topic", topic).field("title", sink_title(notification));
    writer.field("message", sink_text(notification));
    writer.field("priority", static_cast<long long>(ntfy_priority(notification.priority)));
    writer.name("tags").begin_array().text(model::severity_name(notification.severity)).end_array().end_object();
    return out;
}

}  // namespace belfry::codec
