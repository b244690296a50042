#include "rules/mark_sources.hpp"

#include <algorithm>
#include <string_view>

#include "base/characters.hpp"
#include "rules/fold_case.hpp"
#include "rules/memory_text.hpp"

namespace belfry::rules {
namespace {

using model::AgentMessage;
using model::MemoryItem;
using model::MemoryMark;

bool is_word_character(char32_t code) {
    if (code < 0x80) {
        return (code >= U'0' && code <= U'9') || (code >= U'a' && code <= U'z') || (code >= U'A' && code <= U'Z');
    }
    const bool is_punctuation = (code >= 0x2000 && code <= 0x206F) || (code >= 0x3000 && code <= 0x303F);
    return !is_punctuation && !base::is_harmful(code);
}

// The words of a text in their order, in small letters, each between spaces: ` serve eve `. So one text is found in
// another whatever the case, spacing and punctuation are, and only at whole words.
std::string spaced_words(std::string_view text) {
    std::string out(" ");
    while (!text.empty()) {
        const base::Character next = base::first_character(text);
        if (!is_word_character(next.code)) {
            if (out.back() != ' ') out += ' ';
        } else if (const char32_t code = fold_case(next.code); code < 0x80) {
            out += static_cast<char>(code);
        } else {
            // Compared, never shown.
            out.append("\x01").append(std::to_string(static_cast<std::uint32_t>(code))).append("\x01");
        }
        text.remove_prefix(next.bytes);
    }
    if (out.back() != ' ') out += ' ';
    return out;
}

}  // namespace

MarkSources::MarkSources(std::span<const AgentMessage> messages) {
    for (const AgentMessage& message : messages) {
        std::string words = spaced_words(memory_text(message));
        if (may_set_marks(message.kind)) own_.emplace(message.id, std::move(words));
        else foreign_.push_back(std::move(words));
    }
}

MarkSources::MarkSources(std::span<const FoldedSummary> summaries) {
    const auto retain = [this](MemoryMark mark, const std::vector<MemoryItem>& items) {
        for (const MemoryItem& item : items) retained_[static_cast<std::size_t>(mark)].insert(item_key(item.text));
    };
    for (const FoldedSummary& folded : summaries) {
        if (!folded.summary) continue;
        retain(MemoryMark::goal, folded.summary->goals);
        retain(MemoryMark::decision, folded.summary->decisions);
        retain(MemoryMark::open_loop, folded.summary->open_loops);
    }
}

bool MarkSources::may_set(const MemoryItem& item) const {
    const auto named = own_.find(item.message_id);
    if (named == own_.end()) return false;
    const std::string words = spaced_words(item.text);
    if (words == " ") return false;
    if (named->second.find(words) != std::string::npos) return true;
    return std::ranges::none_of(foreign_,
                                [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

bool MarkSources::is_retained(MemoryMark mark, const std::string& text) const {
    return retained_[static_cast<std::size_t>(mark)].contains(item_key(text));
}

}  // namespace belfry::rules
