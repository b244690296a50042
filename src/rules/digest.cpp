#include "rules/digest.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace belfry::rules {
namespace {

using model::Notification;

constexpr std::string_view ellipsis = "…";
constexpr std::size_t words_bytes_min = 12;  // fewer say nothing

// Bytes of the character that ends a line or controls a terminal at the start of `text`; 0: it is none. Unicode has
// three line ends beyond ASCII.
std::size_t break_bytes(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first <= 0x20 || first == 0x7F) return 1;
    if (first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0) return 2;
    if (text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9")) return 3;
    return 0;
}

// One line, with single spaces where there were breaks.
std::string flat(std::string_view text) {
    std::string line;
    while (!text.empty()) {
        const std::size_t skipped = break_bytes(text);
        if (skipped == 0) {
            line += text.front();
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
        text.remove_prefix(std::max<std::size_t>(skipped, 1));
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

// At most `bytes_max` bytes, cut between characters.
void cut(std::string& line, std::size_t bytes_max) {
    if (line.size() <= bytes_max) return;
    const bool has_room = bytes_max >= ellipsis.size();
    std::size_t end = has_room ? bytes_max - ellipsis.size() : bytes_max;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
    line.resize(end);
    if (has_room) line += ellipsis;
}

// What the person has before his eyes.
std::string words_of(const Notification& shown) {
    if (!shown.narration.empty()) return flat(shown.narration);
    return flat(shown.text.empty() ? shown.content : shown.text);
}

std::string_view status_text(model::FactStatus status) {
    switch (status) {
        case model::FactStatus::none:
        case model::FactStatus::shown: break;
        case model::FactStatus::escalated: return "[SHOWN, escalated]";
        case model::FactStatus::seen: return "[SEEN]";
    }
    return "[SHOWN]";
}

std::string_view kind_of(const Notification& shown) {
    return shown.subscriber_id.empty() ? std::string_view("notice") : std::string_view(shown.subscriber_id);
}

struct Kind {
    std::string_view name;
    std::size_t count = 0;
};

std::vector<Kind> kinds_of(std::span<const Notification> shown) {
    std::map<std::string_view, std::size_t> counts;
    for (const Notification& one : shown) ++counts[kind_of(one)];
    std::vector<Kind> kinds;
    for (const auto& [name, count] : counts) kinds.push_back({name, count});
    std::ranges::sort(
        kinds, [](const Kind& a, const Kind& b) { return a.count != b.count ? a.count > b.count : a.name < b.name; });
    return kinds;
}

// The sentence with the first `named` kinds by name, around `words`.
std::string sentence(std::size_t total, std::span<const Kind> kinds, std::size_t named, std::string_view severity,
                     std::string_view words) {
    std::string text = "Not written by a person: the person was shown " + std::to_string(total) +
                       (total == 1 ? " notification" : " notifications");
    std::size_t rest = total;
    for (std::size_t i = 0; i < named; ++i) {
        text += (i == 0 ? " (" : ", ") + std::to_string(kinds[i].count) + ' ' + flat(kinds[i].name);
        rest -= kinds[i].count;
    }
    if (named > 0) text += rest > 0 ? ", " + std::to_string(rest) + " other)" : ")";
    if (!words.empty())
        text.append(", the most severe one (").append(severity).append(") says \"").append(words) += '"';
    return text + "; do not announce " + (total == 1 ? "it." : "any of them.");
}

}  // namespace

std::string ambient_digest(std::span<const Notification> shown, std::size_t total, std::size_t bytes_max) {
    if (shown.empty()) return {};
    const std::vector<Kind> kinds = kinds_of(shown);
    // Of equals the newest, which comes last.
    const Notification* gravest = &shown.front();
    for (const Notification& one : shown) {
        if (one.severity >= gravest->severity) gravest = &one;
    }
    const std::string_view severity = model::severity_name(gravest->severity);
    std::string words = words_of(*gravest);
    std::ranges::replace(words, '"', '\'');
    // First the words give way, then the names of kinds, the rarest first; never what is not to be done.
    std::size_t named = kinds.size();
    const auto bytes_with = [&](std::string_view said) { return sentence(total, kinds, named, severity, said).size(); };
    const std::string least = words.substr(0, std::min(words.size(), words_bytes_min));
    while (named > 0 && bytes_with(least) > bytes_max) --named;
    const std::size_t frame = bytes_with("-") - 1;
    const std::size_t room = bytes_max > frame ? bytes_max - frame : 0;
    if (room < least.size()) {
        words.clear();
    } else {
        cut(words, room);
    }
    std::string text = sentence(total, kinds, named, severity, words);
    cut(text, bytes_max);
    return text;
}

std::string fact_line(const Notification& row, std::size_t bytes_max) {
    std::string when = base::format_timestamp(row.created_at).substr(0, 19);
    std::ranges::replace(when, 'T', ' ');
    std::string line(status_text(row.fact.status));
    line.append(" ").append(when).append(" ").append(model::severity_name(row.severity)).append(" ");
    line += flat(kind_of(row));
    if (row.fact.version < row.version) line += " (the user was shown an earlier text)";
    line += ": " + words_of(row);
    cut(line, bytes_max);
    return line;
}

std::string short_fact_line(const Notification& row, std::size_t bytes_max) {
    std::string line(status_text(row.fact.status));
    if (row.fact.version < row.version) line += " (the user was shown an earlier text)";
    line += " " + words_of(row);
    cut(line, bytes_max);
    return line;
}

}  // namespace belfry::rules
