#include "rules/mark_sources.hpp"

#include <string_view>

#include "base/characters.hpp"
#include "rules/fold_case.hpp"
#include "rules/memory_text.hpp"
#include "rules/summary_prompt.hpp"

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

// True for scripts that put no space between words: Thai and its neighbours, kana, Chinese characters.
bool is_word_alone(char32_t code) {
    return (code >= 0x0E00 && code <= 0x0EFF) || (code >= 0x3040 && code <= 0x30FF) ||
           (code >= 0x3400 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF) ||
           (code >= 0x20000 && code <= 0x3FFFF);
}

// The words of a text in their order, in small letters, each between spaces: ` serve eve `. So one text is found in
// another whatever the case, spacing and punctuation are, and only at whole words. Of a script without spaces each
// character is a word.
std::string spaced_words(std::string_view text) {
    std::string out(" ");
    const auto end_word = [&out] {
        if (out.back() != ' ') out += ' ';
    };
    while (!text.empty()) {
        const base::Character next = base::first_character(text);
        const bool is_alone = is_word_alone(next.code);
        if (is_alone || !is_word_character(next.code)) end_word();
        if (is_word_character(next.code)) {
            const char32_t code = fold_case(next.code);
            // Other characters than ASCII are compared and never shown.
            if (code < 0x80) out += static_cast<char>(code);
            else out.append("\x01").append(std::to_string(static_cast<std::uint32_t>(code))).append("\x01");
        }
        if (is_alone) end_word();
        text.remove_prefix(next.bytes);
    }
    end_word();
    return out;
}

std::vector<std::string> words_of(std::string_view text) {
    const std::string spaced = spaced_words(text);
    std::vector<std::string> words;
    for (std::size_t at = 1; at < spaced.size();) {
        const std::size_t end = spaced.find(' ', at);
        words.push_back(spaced.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

// So many words from this one on, as spaced_words has them.
std::string run_of(std::span<const std::string> words, std::size_t first, std::size_t count) {
    std::string run(" ");
    for (const std::string& word : words.subspan(first, count)) run.append(word).append(" ");
    return run;
}

}  // namespace

MarkSources::MarkSources(std::span<const AgentMessage> messages) {
    for (const AgentMessage& message : messages) {
        const std::string text = memory_text(message);
        if (may_set_marks(message.kind)) {
            own_.emplace(message.id, spaced_words(text));
            for (std::string& word : words_of(text)) own_words_.insert(std::move(word));
        } else {
            // A model repeats only what it was told.
            add_foreign(words_of(told_to_summarizer(message, messages.size())));
        }
    }
}

void MarkSources::add_foreign(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (std::size_t count = 1; count <= run_words && i + count <= words.size(); ++count) {
            foreign_runs_.insert(run_of(words, i, count));
        }
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
    const std::vector<std::string> words = words_of(item.text);
    if (words.empty()) return false;
    return !repeats_stranger(words, named->second);
}

bool MarkSources::repeats_stranger(std::span<const std::string> words, const std::string& named) const {
    const auto is_foreign = [&](const std::string& run) {
        return foreign_runs_.contains(run) && named.find(run) == std::string::npos;
    };
    const auto is_own = [this](const std::string& word) { return own_words_.contains(word); };
    if (words.size() < run_words) return is_foreign(run_of(words, 0, words.size()));
    for (std::size_t i = 0; i + run_words <= words.size(); ++i) {
        if (is_foreign(run_of(words, i, run_words))) return true;
    }
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (!is_own(words[i]) && !is_own(words[i + 1]) && is_foreign(run_of(words, i, 2))) return true;
    }
    return false;
}

bool MarkSources::is_retained(MemoryMark mark, const std::string& text) const {
    return retained_[static_cast<std::size_t>(mark)].contains(item_key(text));
}

}  // namespace belfry::rules
