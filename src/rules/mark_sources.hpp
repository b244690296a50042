#pragma once

#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
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

    // True if the item names a message of the span that may set marks, and its text is not a stranger's: words of an
    // observation or of a tool's result that the named message does not have.
    [[nodiscard]] bool may_set(const model::MemoryItem& item) const;
    // True if one of the summaries has this item already.
    [[nodiscard]] bool is_retained(model::MemoryMark mark, const std::string& text) const;

private:
    std::map<base::Uuid, std::string> own_;          // words of messages that may set marks, by id
    std::vector<std::string> foreign_;               // words of all others
    std::array<std::set<std::string>, 3> retained_;  // rules::item_key, by the mark
};

}  // namespace belfry::rules
