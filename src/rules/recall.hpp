#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/memory.hpp"

// How a memory is searched: first for messages that have all the words of a question; then, while that is too few,
// without the shortest of them, and with the four, three and two longest; at last for the longest words one by one,
// since a question has words that its answer has not. Whoever asks brings the store.
namespace belfry::rules {

// The words of a question as messages have them, limits::recall_words_max at the most.
[[nodiscard]] std::vector<std::string> recall_words(std::string_view query);

// What is looked for, one try after the other, limits::recall_tries_max at the most. Of words that are as short the
// last one is given up first.
struct RecallTries {
    std::vector<std::vector<std::string>> joint;  // until there is enough
    std::vector<std::string> single;              // all of them where there was not
};
[[nodiscard]] RecallTries recall_tries(std::vector<std::string> words);

// Messages that have all of these words, the newest first.
using LookForWords = std::function<base::Result<std::vector<model::AgentMessage>>(const std::vector<std::string>&)>;

// Those that have more of the words come first, then the newer ones. A question without a word is refused.
[[nodiscard]] base::Result<std::vector<model::RecalledMessage>> recall(std::string_view query, std::size_t limit,
                                                                       const LookForWords& look);

}  // namespace belfry::rules
