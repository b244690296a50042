#include "rules/change_wake.hpp"

#include <algorithm>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

using model::ChangeOrigin;

bool is_processed(const model::ChangeUnit& unit, const Counters& processed) {
    const auto at = processed.find(unit.host);
    return at != processed.end() && unit.counter <= static_cast<std::uint64_t>(at->second);
}

}  // namespace

bool touches(const model::Change& change, std::span<const model::ChangeToken> tokens) {
    return std::ranges::any_of(
        change.tokens, [&](const model::ChangeToken& token) { return std::ranges::binary_search(tokens, token); });
}

std::vector<const model::Change*> changes_for(const model::WakeSubscription& rule,
                                              std::span<const model::ChangeToken> tokens, const Counters& processed,
                                              std::span<const model::Change> changes) {
    std::vector<const model::Change*> found;
    for (const model::Change& change : changes) {
        const ChangeOrigin& origin = change.origin;
        if (origin.kind == ChangeOrigin::Kind::agent && origin.agent_id == rule.agent_id) continue;
        if (origin.kind == ChangeOrigin::Kind::sync && !rule.synced) continue;
        if (is_processed(change.unit, processed) || !touches(change, tokens)) continue;
        found.push_back(&change);
    }
    return found;
}

std::int64_t depth_of(const std::vector<const model::Change*>& changes) {
    std::int64_t deepest = -1;
    for (const model::Change* const change : changes) {
        if (change->origin.depth <= base::limits::chain_depth_max) deepest = std::max(deepest, change->origin.depth);
    }
    return deepest >= 0 ? deepest : changes.front()->origin.depth;
}

Counters processed_after(Counters processed, const std::map<std::string, std::uint64_t>& settled,
                         const std::map<std::string, std::uint64_t>& carried) {
    for (const auto& [host, counter] : settled) {
        std::uint64_t reached = counter;
        const auto open = carried.find(host);
        if (open != carried.end()) reached = std::min(reached, open->second - 1);
        if (reached == 0) continue;
        std::int64_t& mine = processed[host];
        mine = std::max(mine, static_cast<std::int64_t>(reached));
    }
    return processed;
}

}  // namespace belfry::rules
