#include "rules/search.hpp"

#include <algorithm>
#include <cstddef>

namespace belfry::rules {
namespace {

void append_lower(std::string& out, std::string_view text) {
    for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    out += '\n';  // no word reaches from one field into the next
}

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
    std::vector<std::string> words;
    std::string lower;
    append_lower(lower, text);
    for (std::size_t at = 0; at < lower.size();) {
        const std::size_t end = lower.find_first_of(" \t\r\n", at);
        if (end > at) words.push_back(lower.substr(at, end - at));
        at = end == std::string::npos ? lower.size() : end + 1;
    }
    return words;
}

bool mentions(const model::Notification& notification, const std::vector<std::string>& words) {
    std::string all;
    const model::Scope& scope = notification.scope;
    for (const std::string_view field :
         {std::string_view(notification.text), model::delivery_state_name(notification.state),
          std::string_view(notification.outcome), std::string_view(notification.subscriber_id),
          std::string_view(notification.emitter), std::string_view(scope.user_id), std::string_view(scope.session_id),
          std::string_view(scope.agent_id)}) {
        append_lower(all, field);
    }
    append_lower(all, base::format_uuid(notification.id.uuid));
    return std::ranges::all_of(words, [&](const std::string& word) { return all.find(word) != std::string::npos; });
}

}  // namespace belfry::rules
