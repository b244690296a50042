#include "rules/recall.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/memory_limits.hpp"
#include "rules/journal_terms.hpp"
#include "rules/memory_text.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::RecalledMessage;

constexpr std::size_t snippet_bytes = 240;

std::int64_t count_words(const model::AgentMessage& message, const std::vector<std::string>& wanted) {
    const std::vector<std::string> has = memory_words(message);
    const std::set<std::string_view> there(has.begin(), has.end());
    return std::ranges::count_if(wanted, [&](const std::string& word) { return there.contains(word); });
}

RecalledMessage recalled(model::AgentMessage message, const std::vector<std::string>& wanted, std::size_t at_least) {
    RecalledMessage found;
    // What the store has found them by counts, also where the text that they stand in is not here.
    found.words = std::max(count_words(message, wanted), static_cast<std::int64_t>(at_least));
    found.snippet = snippet_of(memory_text(message), wanted, snippet_bytes);
    found.message = std::move(message);
    return found;
}

bool comes_first(const RecalledMessage& a, const RecalledMessage& b) {
    return a.words != b.words ? a.words > b.words : a.message.position > b.message.position;
}

}  // namespace

std::vector<std::string> recall_words(std::string_view query) {
    std::vector<std::string> words = words_of(query);
    if (words.size() > limits::recall_words_max) words.resize(limits::recall_words_max);
    return words;
}

RecallTries recall_tries(std::vector<std::string> words) {
    constexpr std::size_t single_max = 3;
    constexpr std::size_t joint_max = limits::recall_tries_max - single_max;
    constexpr std::size_t few = 4;  // from here on one word after the other is given up
    const auto is_shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
    RecallTries tries;
    tries.single = words;
    const std::size_t all = words.size();
    while (!words.empty() && tries.joint.size() < joint_max) {
        const bool is_tried = words.size() + 1 >= all || words.size() <= few;
        if (is_tried) tries.joint.push_back(words);
        words.erase(std::next(std::min_element(words.rbegin(), words.rend(), is_shorter)).base());
    }
    if (!tries.joint.empty() && tries.joint.back().size() == 1) std::erase(tries.single, tries.joint.back().front());
    while (tries.single.size() > single_max) {
        const auto shortest = std::min_element(tries.single.rbegin(), tries.single.rend(), is_shorter);
        tries.single.erase(std::next(shortest).base());
    }
    return tries;
}

base::Result<std::vector<RecalledMessage>> recall(std::string_view query, std::size_t limit, const LookForWords& look) {
    const std::vector<std::string> words = recall_words(query);
    if (words.empty()) return base::error(base::Code::invalid, "has no word that could be looked for", "q");
    std::vector<RecalledMessage> found;
    std::set<base::Uuid> seen;
    const auto try_with = [&](const std::vector<std::string>& wanted) -> base::Result<void> {
        TRY_ASSIGN(std::vector<model::AgentMessage> messages, look(wanted));
        for (model::AgentMessage& message : messages) {
            if (seen.insert(message.id).second) found.push_back(recalled(std::move(message), words, wanted.size()));
        }
        return {};
    };
    const RecallTries tries = recall_tries(words);
    for (const std::vector<std::string>& wanted : tries.joint) {
        if (found.size() < limit) TRY(try_with(wanted));
    }
    // One frequent word must not keep out what has several of the others.
    const bool is_enough = found.size() >= limit;
    for (const std::string& word : tries.single) {
        if (!is_enough) TRY(try_with({word}));
    }
    std::ranges::sort(found, comes_first);
    if (found.size() > limit) found.resize(limit);
    return found;
}

}  // namespace belfry::rules
