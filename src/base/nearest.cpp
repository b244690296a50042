#include "base/nearest.hpp"

#include <algorithm>
#include <vector>

namespace belfry::base {
namespace {

// Edits from one word to the other, two swapped neighbours counting as one.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, change});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string_view> candidates) {
    constexpr std::size_t word_max = 64;
    if (typed.size() > word_max) return {};
    std::string_view best;
    std::size_t best_distance = word_max;
    for (const std::string_view candidate : candidates) {
        const std::size_t edits = distance(typed, candidate);
        if (edits > std::max<std::size_t>(2, candidate.size() / 3) || edits >= candidate.size()) continue;
        if (edits < best_distance) best = candidate, best_distance = edits;
    }
    return std::string(best);
}

}  // namespace belfry::base
