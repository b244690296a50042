#include "rules/hold_proof.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "model/handle.hpp"

namespace belfry::rules {
namespace {

using Links = std::span<const model::PullLink>;

Links::iterator find_pull(Links pulls, const base::Uuid& pull) {
    return std::ranges::find(pulls, pull, &model::PullLink::pull);
}

Hold judge_by_pull(const model::Notification& row, const base::Uuid& named, Links pulls) {
    if (row.pull_id == named) return Hold::proven;
    const auto has = find_pull(pulls, named);
    const auto went = row.pull_id ? find_pull(pulls, *row.pull_id) : pulls.end();
    if (has == pulls.end() || went == pulls.end() || has->chain != went->chain) return Hold::stale;
    if (went < has) return Hold::proven;
    const bool is_own = std::all_of(
        has + 1, went + 1, [&](const model::PullLink& link) { return link.chain != has->chain || link.is_named; });
    // Two runtimes may share a token: an unnamed pull that followed may be the other one's.
    return is_own ? Hold::not_arrived : Hold::stale;
}

}  // namespace

bool is_named(const model::Notification& row, std::string_view key) {
    return (row.handle > 0 && key == model::handle_text(row.handle)) || base::parse_uuid(key) == row.id.uuid;
}

Hold judge_hold(const model::Notification& row, const HoldProof& proof, Links pulls) {
    for (const NamedLease& named : proof.leases) {
        if (is_named(row, named.key)) return named.lease == row.lease ? Hold::proven : Hold::stale;
    }
    if (proof.pull_id) return judge_by_pull(row, *proof.pull_id, pulls);
    return row.lease == 1 && row.holder == proof.by ? Hold::proven : Hold::unnamed;
}

void link_pull(std::vector<model::PullLink>& pulls, const base::Uuid& pull, const std::optional<base::Uuid>& after,
               bool begins_turn) {
    model::PullLink link{pull, pull, false};
    const auto before = after ? std::ranges::find(pulls, *after, &model::PullLink::pull) : pulls.end();
    if (before != pulls.end()) {
        link.chain = before->chain;
        link.is_named = true;
    } else if (!begins_turn && !after && !pulls.empty()) {
        link.chain = pulls.back().chain;
    }
    if (pulls.size() >= base::limits::chained_pulls_max) pulls.erase(pulls.begin());
    pulls.push_back(link);
}

}  // namespace belfry::rules
