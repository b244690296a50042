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

bool is_sole_holder(const model::Notification& row, std::string_view by) {
    return row.lease == 1 && row.holder == by;
}

Hold judge_by_pull(const model::Notification& row, const base::Uuid& named, std::string_view by, Links pulls) {
    if (row.pull_id == named) return Hold::proven;
    const Hold otherwise = is_sole_holder(row, by) ? Hold::proven : Hold::stale;
    const auto has = find_pull(pulls, named);
    const auto went = row.pull_id ? find_pull(pulls, *row.pull_id) : pulls.end();
    if (went == pulls.end()) return otherwise;  // dropped, or of a version before
    // A pull that was dropped may be of any chain. It proves nothing that was handed out after it.
    if (has == pulls.end()) return named < *row.pull_id ? Hold::stale : otherwise;
    if (has->chain != went->chain) return Hold::stale;
    // Two runtimes may share a token: an unnamed pull may be the other one's.
    const auto are_named = [&](Links::iterator from, Links::iterator to) {
        return std::all_of(from + 1, to + 1,
                           [&](const model::PullLink& link) { return link.chain != has->chain || link.is_named; });
    };
    if (went < has) return are_named(went, has) ? Hold::proven : otherwise;
    return are_named(has, went) ? Hold::not_arrived : Hold::stale;
}

}  // namespace

bool is_named(const model::Notification& row, std::string_view key) {
    return (row.handle > 0 && key == model::handle_text(row.handle)) || base::parse_uuid(key) == row.id.uuid;
}

Hold judge_hold(const model::Notification& row, const HoldProof& proof, Links pulls) {
    for (const NamedLease& named : proof.leases) {
        if (!is_named(row, named.key)) continue;
        const bool is_anothers = proof.is_guest && row.holder != proof.by;
        return named.lease == row.lease && !is_anothers ? Hold::proven : Hold::stale;
    }
    if (proof.pull_id) return judge_by_pull(row, *proof.pull_id, proof.by, pulls);
    return is_sole_holder(row, proof.by) ? Hold::proven : Hold::unnamed;
}

void link_pull(std::vector<model::PullLink>& pulls, model::PullLink link, const std::optional<base::Uuid>& after,
               bool begins_turn) {
    link.chain = link.pull;
    const auto before = after ? std::ranges::find(pulls, *after, &model::PullLink::pull) : pulls.end();
    if (before != pulls.end()) {
        link.chain = before->chain;
        link.is_named = true;
    } else if (!begins_turn && !after && !pulls.empty()) {
        link.chain = pulls.back().chain;
    }
    if (pulls.size() >= base::limits::chained_pulls_max) {
        const auto empty = std::ranges::find_if(pulls, &model::PullLink::is_empty);
        pulls.erase(empty == pulls.end() ? pulls.begin() : empty);
    }
    pulls.push_back(std::move(link));
}

bool may_be_one(const model::PullLink& one, const model::PullLink& other) {
    return one.by.empty() || other.by.empty() || one.by == other.by;
}

bool is_latest(Links pulls, const base::Uuid& pull) {
    const auto found = find_pull(pulls, pull);
    if (found == pulls.end()) return false;
    return std::all_of(found + 1, pulls.end(), [&](const model::PullLink& link) { return may_be_one(link, *found); });
}

std::vector<model::PullLink*> own_pulls(std::vector<model::PullLink>& pulls, const HoldProof& proof) {
    const auto named = proof.pull_id ? find_pull(pulls, *proof.pull_id) : Links(pulls).end();
    const bool has_chain = proof.pull_id && named != Links(pulls).end();
    std::vector<model::PullLink*> own;
    for (model::PullLink& link : pulls) {
        const bool is_own = has_chain ? link.chain == named->chain : link.by.empty() || link.by == proof.by;
        if (is_own) own.push_back(&link);
    }
    return own;
}

void close_open_pull(model::Progress& progress, std::string_view by) {
    if (!progress.open_pull) return;
    const auto open = find_pull(progress.pulls, *progress.open_pull);
    const bool is_anothers = open != Links(progress.pulls).end() && !open->by.empty() && open->by != by;
    if (!is_anothers) progress.open_pull.reset();
}

void forget_spoken(model::Progress& progress, std::string_view by) {
    std::erase_if(progress.spoken, [&](const model::Spoken& one) { return one.by == by; });
}

void note_spoken(model::Progress& progress, std::string_view by) {
    forget_spoken(progress, by);
    if (progress.pulls.empty()) return;
    if (progress.spoken.size() >= base::limits::spoken_max) progress.spoken.erase(progress.spoken.begin());
    progress.spoken.push_back({std::string(by), progress.pulls.back().pull});
}

}  // namespace belfry::rules
