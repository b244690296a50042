#include "rules/mark_sources.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>

#include "base/characters.hpp"
#include "rules/between_words.hpp"
#include "rules/fold_case.hpp"
#include "rules/memory_text.hpp"
#include "rules/summary_prompt.hpp"

namespace belfry::rules {
namespace {

using model::AgentMessage;
using model::MemoryItem;
using model::MemoryMark;

// How characters that nobody sees are read: a reader sees no gap, but a program may have put them between two words.
enum class Unseen : std::uint8_t { vanish, end_words };

// True for characters that show nothing: harmful ones, joiners, selectors of variants, fillers.
bool is_unseen(char32_t code) {
    if (base::is_space(code)) return false;
    if (base::is_harmful(code) || code == 0x200C || code == 0x200D || code == 0x034F) return true;
    return code == 0x115F || code == 0x1160 || code == 0x17B4 || code == 0x17B5 || (code >= 0x180B && code <= 0x180F) ||
           code == 0x3164 || (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFFA0;
}

bool has_unseen(std::string_view text) {
    while (!text.empty()) {
        const base::Character next = base::first_character(text);
        if (is_unseen(next.code)) return true;
        text.remove_prefix(next.bytes);
    }
    return false;
}

// The plain letter, digit or sign of a form that a model reads as the same: fullwidth, mathematical, in a circle or in
// a square. Any other character is its own.
char32_t plain_form(char32_t code) {
    if (code >= 0xFF01 && code <= 0xFF5E) return code - 0xFEE0;
    if (code >= 0x1D400 && code <= 0x1D6A3) return U'a' + (code - 0x1D400) % 26;
    if (code >= 0x1D7CE && code <= 0x1D7FF) return U'0' + (code - 0x1D7CE) % 10;
    if (code >= 0x24B6 && code <= 0x24E9) return U'a' + (code - 0x24B6) % 26;
    if (code < 0x1F130 || code > 0x1F189 || (code - 0x1F130) % 32 >= 26) return code;
    return U'a' + (code - 0x1F130) % 32;
}

// True for scripts that put no space between words: Thai and its neighbours, kana, Chinese characters.
bool is_word_alone(char32_t code) {
    return (code >= 0x0E00 && code <= 0x0EFF) || (code >= 0x3040 && code <= 0x30FF) ||
           (code >= 0x3400 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF) ||
           (code >= 0x20000 && code <= 0x3FFFF);
}

// A Chinese character says more than a letter of kana or Thai.
bool is_chinese(char32_t code) {
    return code >= 0x3400 && (code <= 0x9FFF || code >= 0xF900);
}

// The words of a text in their order, in small letters, each between spaces: ` serve eve `. So one text is found in
// another whatever the case, spacing and punctuation are, and only at whole words. Of a script without spaces each
// character is a word.
std::string spaced_words(std::string_view text, Unseen unseen) {
    std::string out(" ");
    const auto end_word = [&out] {
        if (out.back() != ' ') out += ' ';
    };
    for (; !text.empty(); text.remove_prefix(base::first_character(text).bytes)) {
        const char32_t seen = base::first_character(text).code;
        if (is_unseen(seen)) {
            if (unseen == Unseen::end_words) end_word();
            continue;
        }
        const char32_t code = fold_case(plain_form(seen));
        const bool is_between = base::is_space(code) || is_between_words(code);
        const bool is_alone = is_word_alone(code);
        if (is_alone || is_between) end_word();
        if (is_between) continue;
        // Other characters than ASCII are compared and never shown.
        if (code < 0x80) out += static_cast<char>(code);
        else out.append("\x01").append(std::to_string(static_cast<std::uint32_t>(code))).append("\x01");
        if (is_alone) end_word();
    }
    end_word();
    return out;
}

// All readings of a text: two if it has characters that nobody sees.
std::vector<std::string> readings_of(std::string_view text) {
    std::vector<std::string> readings{spaced_words(text, Unseen::vanish)};
    if (has_unseen(text)) readings.push_back(spaced_words(text, Unseen::end_words));
    return readings;
}

// `spaced`: as spaced_words returns it.
std::vector<std::string> words_of(const std::string& spaced) {
    std::vector<std::string> words;
    for (std::size_t at = 1; at < spaced.size();) {
        const std::size_t end = spaced.find(' ', at);
        words.push_back(spaced.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

// How much of a sentence a word is. Characters of scripts without spaces are parts of words: three kana side by side
// stand in every Japanese text.
constexpr std::size_t weight_of_letters = 7;
constexpr std::size_t weight_of_chinese = 4;
constexpr std::size_t weight_of_syllable = 2;
constexpr std::size_t two_words = 2 * weight_of_letters;
constexpr std::size_t three_words = 20;  // also five Chinese characters
static_assert(three_words <= 3 * weight_of_letters && three_words > two_words);

std::size_t weight_of(std::string_view word) {
    const bool is_one = word.size() > 2 && word.front() == '\x01' && word.find('\x01', 1) == word.size() - 1;
    if (!is_one) return weight_of_letters;
    std::uint32_t code = 0;
    std::from_chars(word.data() + 1, word.data() + word.size() - 1, code);
    if (!is_word_alone(code)) return weight_of_letters;
    return is_chinese(code) ? weight_of_chinese : weight_of_syllable;
}

// Words side by side, as spaced_words has them.
struct Run {
    std::string text;
    std::size_t count = 0;
    std::size_t weight = 0;

    void add(const std::string& word) {
        if (text.empty()) text = " ";
        text.append(word).append(" ");
        weight += weight_of(word);
        ++count;
    }
};

// Calls `take` with the hash of each run of these words, up to three words long.
template <class Take>
void each_run(std::span<const std::string> words, Take&& take) {
    for (; !words.empty(); words = words.subspan(1)) {
        Run run;
        while (run.count < words.size() && run.weight < three_words) {
            run.add(words[run.count]);
            take(std::hash<std::string>{}(run.text));
        }
    }
}

// The shortest run from the first word on that has this weight; all words, if they have less.
Run run_of(std::span<const std::string> words, std::size_t weight) {
    Run run;
    while (run.count < words.size() && run.weight < weight) run.add(words[run.count]);
    return run;
}

}  // namespace

MarkSources::MarkSources(std::span<const AgentMessage> messages) {
    std::map<base::Uuid, Runs> calls;
    for (const AgentMessage& message : messages) {
        if (!may_set_marks(message.kind)) {
            const bool is_result = message.kind == model::AgentMessageKind::tool_result;
            const Runs& of_call =
                calls[is_result ? message.metadata.action_ref_id.value_or(base::Uuid{}) : base::Uuid{}];
            // A model repeats only what it was told.
            for (const std::string& reading : readings_of(told_to_summarizer(message, messages.size()))) {
                each_run(words_of(reading), [&](std::size_t hash) {
                    (of_call.contains(hash) ? echoed_runs_ : foreign_runs_).insert(hash);
                });
            }
            continue;
        }
        std::string& own = own_[message.id];
        for (const std::string& reading : readings_of(memory_text(message))) {
            own.append(reading).append("\n");  // no run of words goes on into the next reading
            std::vector<std::string> words = words_of(reading);
            if (message.action) each_run(words, [&](std::size_t hash) { calls[message.id].insert(hash); });
            for (std::string& word : words) own_words_.insert(std::move(word));
        }
        if (message.kind == model::AgentMessageKind::user) user_ += own;
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
    return std::ranges::all_of(readings_of(item.text), [&](const std::string& reading) {
        const std::vector<std::string> words = words_of(reading);
        return !words.empty() && !repeats_stranger(words, named->second);
    });
}

bool MarkSources::repeats_stranger(std::span<const std::string> words, const std::string& named) const {
    const auto is_foreign = [&](const Run& run) {
        if (named.find(run.text) != std::string::npos) return false;
        const std::size_t hash = std::hash<std::string>{}(run.text);
        if (foreign_runs_.contains(hash)) return true;
        return echoed_runs_.contains(hash) && !has_part(words.first(run.count), named);
    };
    const auto is_own = [this](const std::string& word) { return own_words_.contains(word); };
    for (bool is_first = true; !words.empty(); words = words.subspan(1), is_first = false) {
        const Run three = run_of(words, three_words);
        if ((is_first || three.weight >= three_words) && is_foreign(three)) return true;
        const Run two = run_of(words, two_words);
        const bool has_two = two.weight >= two_words;
        if (has_two && std::ranges::none_of(words.first(two.count), is_own) && is_foreign(two)) return true;
    }
    return false;
}

bool MarkSources::has_part(std::span<const std::string> words, const std::string& named) const {
    for (; !words.empty(); words = words.subspan(1)) {
        const Run two = run_of(words, two_words);
        const bool is_part = named.find(two.text) != std::string::npos || user_.find(two.text) != std::string::npos;
        if (is_part) return true;
        if (two.count == words.size()) break;
    }
    return false;
}

bool MarkSources::is_retained(MemoryMark mark, const std::string& text) const {
    return retained_[static_cast<std::size_t>(mark)].contains(item_key(text));
}

}  // namespace belfry::rules
