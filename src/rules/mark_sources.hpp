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
    // ones.
    // - three words of the item stand there side by side, and not so in the named message;
    // - two words of the item stand there side by side, and no message of the span that may set marks has either word;
    // - the item has one or two words, they stand there side by side, and not so in the named message.
    [[nodiscard]] bool may_set(const model::MemoryItem& item) const;
    // True if one of the summaries has this item already.
    [[nodiscard]] bool is_retained(model::MemoryMark mark, const std::string& text) const;

private:
    static constexpr std::size_t run_words = 3;
    void add_foreign(const std::vector<std::string>& words);
    [[nodiscard]] bool repeats_stranger(std::span<const std::string> words, const std::string& named) const;

    std::map<base::Uuid, std::string> own_;          // words of messages that may set marks, by id
    std::unordered_set<std::string> own_words_;      // of all of them
    std::unordered_set<std::string> foreign_runs_;   // one to three words side by side of all others
    std::array<std::set<std::string>, 3> retained_;  // rules::item_key, by the mark
};

}  // namespace belfry::rules
