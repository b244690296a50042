#pragma once

#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "model/memory.hpp"
#include "rules/rule_summary.hpp"

namespace belfry::rules {

// The messages of a span that goals, decisions and open loops of a model's summary may come from. A model reads what
// strangers wrote (observations, results of tools) beside what the agent and its user said, and its answer may repeat
// the strangers' text as a goal. Only messages of the span that may set marks count as a source.
class MarkSources {
public:
    explicit MarkSources(std::span<const model::AgentMessage> messages);
    // Summaries are no source: their text may repeat strangers. Rules retain their items without the model.
    explicit MarkSources(std::span<const FoldedSummary> summaries);

    // True if the item names a message of the span that may set marks, and does not repeat a stranger. An item repeats
    // an observation or a tool's result in any of these cases, whatever case, spaces and punctuation are. Characters
    // that nobody sees count as nothing, and as the end of a word, too. Fullwidth and other styled letters are plain
    // ones. Of scripts without spaces, five Chinese characters or ten others count as three words; four or seven as
    // two. Words side by side of a result that its own call has, too, are not the stranger's if two of them stand side
    // by side in the named message or in a message of the user: many results repeat their call, but strangers choose
    // links, titles and search terms.
    // - three words of the item stand there side by side, and not so in the named message;
    // - two words of the item stand there side by side, and no message of the span that may set marks has either word;
    // - the item has one or two words, they stand there side by side, and not so in the named message.
    [[nodiscard]] bool may_set(const model::MemoryItem& item) const;
    // True if one of the summaries has this item already.
    [[nodiscard]] bool is_retained(model::MemoryMark mark, const std::string& text) const;

private:
    using Runs = std::unordered_set<std::size_t>;  // hashes of words side by side, of up to three words

    [[nodiscard]] bool repeats_stranger(std::span<const std::string> words, const std::string& named) const;
    // True if two of these words side by side (all of them, if they are fewer) stand in the named message or in a
    // message of the user.
    [[nodiscard]] bool has_part(std::span<const std::string> words, const std::string& named) const;

    std::map<base::Uuid, std::string> own_;          // words of messages that may set marks, by id
    std::unordered_set<std::string> own_words_;      // of all of them
    std::string user_;                               // words of the user's messages
    Runs foreign_runs_;                              // of all others
    Runs echoed_runs_;                               // of results, where the call of the result has them, too
    std::array<std::set<std::string>, 3> retained_;  // rules::item_key, by the mark
};

}  // namespace belfry::rules
