#include "rules/awareness.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "rules/digest.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;

// Takes the line where there is room for it.
bool fits(const std::string& line, std::int64_t& left, Awareness& awareness) {
    const std::int64_t cost = estimate_model_tokens(line);
    if (cost > left) return false;
    left -= cost;
    awareness.model_tokens += cost;
    return true;
}

}  // namespace

Awareness awareness_of(std::span<const model::Notification> shown, std::int64_t in_inbox, std::int64_t budget_tokens) {
    Awareness awareness;
    std::vector<model::Notification> inbox;
    for (const model::Notification& one : shown) {
        if (one.address == model::Address::user) inbox.push_back(one);
    }
    std::int64_t left = budget_tokens == 0 ? std::numeric_limits<std::int64_t>::max() : budget_tokens / 2;
    std::string digest = ambient_digest(inbox, static_cast<std::size_t>(in_inbox), limits::digest_bytes_max);
    if (!digest.empty() && fits(digest, left, awareness)) awareness.digest = std::move(digest);
    // The newest are the likeliest to be asked about.
    const std::size_t first = shown.size() - std::min(shown.size(), limits::seen_facts_max);
    for (std::size_t i = shown.size(); i > first; --i) {
        std::string fact = seen_fact(shown[i - 1], limits::seen_fact_bytes_max);
        if (!fits(fact, left, awareness)) break;
        awareness.seen.push_back(std::move(fact));
    }
    std::ranges::reverse(awareness.seen);
    return awareness;
}

}  // namespace belfry::rules
