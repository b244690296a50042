#include "cli/notification_text.hpp"

#include <algorithm>

#include "rules/route.hpp"

namespace belfry::cli {
namespace {

constexpr std::size_t gist_bytes_max = 80;

}  // namespace

std::string gist(const client::NotificationState& notification) {
    std::string_view text = notification.text.empty() ? notification.content : notification.text;
    if (!notification.narration.empty()) text = notification.narration;
    const std::string_view line = text.substr(0, text.find('\n'));
    std::size_t end = std::min(line.size(), gist_bytes_max);
    while (end < line.size() && end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
    return host::printable(line.substr(0, end)) + (end < text.size() ? "…" : "");
}

std::string state_words(const client::NotificationState& notification) {
    std::string words = notification.state;
    if (!notification.outcome.empty()) words += " (" + notification.outcome + ")";
    return host::printable(words);
}

std::string read_words(const client::NotificationState& notification) {
    if (!notification.acted_at.empty()) return "acted";
    if (!notification.dismissed_at.empty()) return "dismissed";
    return notification.seen_at.empty() ? "" : "seen";
}

std::string route_words(std::string_view address, std::string_view target, std::string_view handler) {
    const auto where = model::parse_address(address);
    const auto whom = model::parse_target(target);
    const auto who = model::parse_handler(handler);
    if (!where || !whom || !who) return "?";
    const rules::Route route = rules::route(*where, *whom, *who);
    return "for the " + std::string(target) + ", said by the " + std::string(handler) + ": " +
           std::string(model::channel_name(route.channel));
}

Colour priority_colour(std::string_view priority) {
    if (priority == "critical") return Colour::red;
    if (priority == "high") return Colour::yellow;
    return priority == "low" ? Colour::dim : Colour::plain;
}

}  // namespace belfry::cli
