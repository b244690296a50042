#include "engine/summary.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "model/handle.hpp"
#include "model/value.hpp"
#include "rules/model_tokens.hpp"
#include "text/toon.hpp"

namespace belfry::engine {
namespace {

constexpr std::size_t first_line_bytes_max = 120;

std::string first_line(std::string_view text) {
    std::string line(text.substr(0, text.find_first_of("\r\n")));
    if (line.size() <= first_line_bytes_max) return line;
    std::size_t end = first_line_bytes_max;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
    return line.substr(0, end) + "…";
}

// What came without events is counted by itself, and told by the words of the first of them.
std::string line_of(const ports::PulledItem& item, std::int64_t events, const std::string& first_words) {
    if (events == 0) {
        const std::size_t count = item.stands_for.size();
        return std::to_string(count) + (count == 1 ? " notification: " : " notifications: ") + first_words;
    }
    std::string what = item.notification.subscriber_id;
    std::ranges::replace(what, '_', ' ');
    return std::to_string(events) + ' ' + what + (events == 1 ? " event" : " events");
}

void write(ports::PulledItem& item, std::int64_t events, const std::string& first_words) {
    const std::string line = line_of(item, events, first_words);
    model::Value tree = model::Value::object(2);
    tree.append("summary", model::Value::string(line));
    const std::string& first = item.stands_for.front();
    tree.append("read", model::Value::string(item.stands_for.size() == 1 ? first : first + " to " + item.handle));
    auto content = text::toon_encode(tree);
    ASSERT(content.ok());
    item.notification.content = std::move(*content);
    item.notification.text = line;
    item.notification.model_tokens = rules::estimate_model_tokens(item.notification.content);
}

}  // namespace

std::vector<ports::PulledItem> summaries_of(std::vector<model::Notification> counted) {
    std::vector<ports::PulledItem> lines;
    std::vector<std::int64_t> events;
    std::vector<std::string> first_words;
    for (model::Notification& one : counted) {
        const auto at = std::ranges::find_if(
            lines, [&](const ports::PulledItem& line) { return line.notification.subscriber_id == one.subscriber_id; });
        const auto place = static_cast<std::size_t>(at - lines.begin());
        if (at == lines.end()) {
            lines.emplace_back();
            events.push_back(0);
            first_words.push_back(first_line(one.text.empty() ? one.content : one.text));
        }
        ports::PulledItem& line = lines[place];
        for (const model::NotifiedEvent& event : one.events) events[place] += event.count;
        line.handle = model::handle_text(one.handle);
        line.stands_for.push_back(line.handle);
        line.again = line.again || one.lease > 1;
        line.notification = std::move(one);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) write(lines[i], events[i], first_words[i]);
    return lines;
}

}  // namespace belfry::engine
