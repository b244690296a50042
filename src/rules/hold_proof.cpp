#include "rules/hold_proof.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/assert.hpp"
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

// Forgets a pull of the principal with the most pulls, so that a long turn of one takes nothing from another. The
// messages of a pull that nobody remembers are said again, so such a pull is forgotten last.
void forget_pull(model::Progress& progress) {
    std::vector<model::PullLink>& pulls = progress.pulls;
    std::map<std::string, std::size_t> counts;
    for (const model::PullLink& one : pulls) ++counts[one.by];
    const std::string& by = std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first;
    const auto cost = [&](const model::PullLink& one) {
        if (std::ranges::find(progress.spoken, one.pull, &model::Spoken::after) != progress.spoken.end()) return 4;
        if (one.by != by) return 3;
        return one.is_empty ? 0 : one.has_words ? 2 : 1;
    };
    const auto gone = std::ranges::min_element(pulls, {}, cost);
    ASSERT(cost(*gone) < 4);  // fewer principals have spoken than there are pulls
    pulls.erase(gone);
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
        return std::all_of(from + 1, to + 1, [&](const model::PullLink& link) {
            return link.chain != has->chain || link.is_named || !may_be_one(link, *has);
        });
    };
    if (went < has) return are_named(went, has) ? Hold::proven : otherwise;
    return are_named(has, went) ? Hold::not_arrived : Hold::stale;
}

// The pull of a guest that is not the caller.
bool is_of_guest(const model::PullLink& link, const HoldProof& proof) {
    return link.is_guest && link.by != proof.by;
}

}  // namespace

bool is_named(const model::Notification& row, std::string_view key) {
    return (row.handle > 0 && key == model::handle_text(row.handle)) || base::parse_uuid(key) == row.id.uuid;
}

bool may_be_own(const model::Notification& row, const HoldProof& proof, Links pulls) {
    if (row.holder == proof.by) return true;
    if (proof.is_guest) return false;
    const auto handed = row.pull_id ? find_pull(pulls, *row.pull_id) : pulls.end();
    return handed == pulls.end() || !is_of_guest(*handed, proof);
}

Hold judge_hold(const model::Notification& row, const HoldProof& proof, Links pulls) {
    const bool is_own = may_be_own(row, proof, pulls);
    for (const NamedLease& named : proof.leases) {
        if (!is_named(row, named.key)) continue;
        return named.lease == row.lease && is_own ? Hold::proven : Hold::stale;
    }
    if (!is_own) return proof.pull_id ? Hold::stale : Hold::unnamed;
    if (proof.pull_id) return judge_by_pull(row, *proof.pull_id, proof.by, pulls);
    return is_sole_holder(row, proof.by) ? Hold::proven : Hold::unnamed;
}

void link_pull(model::Progress& progress, model::PullLink link, const std::optional<base::Uuid>& after,
               bool begins_turn) {
    std::vector<model::PullLink>& pulls = progress.pulls;
    link.chain = link.pull;
    const auto before = after ? std::ranges::find(pulls, *after, &model::PullLink::pull) : pulls.end();
    if (before != pulls.end()) {
        link.chain = before->chain;
        link.is_named = true;
    } else if (!begins_turn && !after) {
        const auto latest =
            std::find_if(pulls.rbegin(), pulls.rend(), [&](const auto& one) { return may_be_one(one, link); });
        if (latest != pulls.rend()) link.chain = latest->chain;
    }
    if (pulls.size() >= base::limits::chained_pulls_max) forget_pull(progress);
    for (model::PullLink& one : pulls) {
        if (one.is_guest && one.by == link.by) one.open_point.reset();
    }
    pulls.push_back(std::move(link));
}

bool may_be_own_pull(Links pulls, const base::Uuid& pull, const HoldProof& proof) {
    const auto found = find_pull(pulls, pull);
    if (found == pulls.end()) return !proof.is_guest;
    return proof.is_guest ? found->by.empty() || found->by == proof.by : !is_of_guest(*found, proof);
}

bool knows_pull(Links pulls, const base::Uuid& pull) {
    return find_pull(pulls, pull) != pulls.end();
}

bool has_words(Links pulls, std::string_view by) {
    return std::ranges::any_of(pulls, [&](const model::PullLink& one) { return one.has_words && one.by == by; });
}

bool may_be_one(const model::PullLink& one, const model::PullLink& other) {
    return one.by.empty() || other.by.empty() || one.by == other.by;
}

bool is_latest(Links pulls, const base::Uuid& pull) {
    const auto found = find_pull(pulls, pull);
    if (found == pulls.end()) return false;
    return std::all_of(found + 1, pulls.end(),
                       [&](const model::PullLink& link) { return link.is_guest || may_be_one(link, *found); });
}

std::vector<model::PullLink*> own_pulls(std::vector<model::PullLink>& pulls, const HoldProof& proof) {
    const auto named = proof.pull_id ? find_pull(pulls, *proof.pull_id) : Links(pulls).end();
    const bool has_chain = proof.pull_id && named != Links(pulls).end();
    std::vector<model::PullLink*> own;
    for (model::PullLink& link : pulls) {
        const bool is_callers = link.by.empty() || link.by == proof.by;
        const bool is_own = has_chain ? link.chain == named->chain && (is_callers || !proof.is_guest) : is_callers;
        if (is_own) own.push_back(&link);
    }
    return own;
}

std::optional<std::vector<model::PullLink*>> pulls_with_words(std::vector<model::PullLink>& pulls,
                                                              const HoldProof& proof) {
    const bool are_all_own = std::ranges::none_of(
        pulls, [&](const model::PullLink& link) { return link.has_words && is_of_guest(link, proof); });
    if (!proof.is_guest && are_all_own) return std::nullopt;
    std::vector<model::PullLink*> own;
    for (model::PullLink& link : pulls) {
        const bool is_own = proof.is_guest ? link.by == proof.by : !is_of_guest(link, proof);
        if (link.has_words && is_own) own.push_back(&link);
    }
    return own;
}

bool has_named_pull(const model::Progress& progress, const HoldProof& proof) {
    if (!proof.is_guest) return progress.has_named;
    return std::ranges::find(progress.named_by_guests, proof.by) != progress.named_by_guests.end();
}

void note_named(model::Progress& progress, std::string_view guest) {
    forget_named(progress, guest);
    std::vector<std::string>& all = progress.named_by_guests;
    if (all.size() >= base::limits::spoken_max) all.erase(all.begin());
    all.emplace_back(guest);
}

void forget_named(model::Progress& progress, std::string_view guest) {
    std::erase(progress.named_by_guests, guest);
}

model::PullLink* open_pull_of(std::vector<model::PullLink>& pulls, std::string_view guest, model::InjectAt point) {
    const auto at = static_cast<std::int64_t>(point);
    const auto open = std::ranges::find_if(
        pulls, [&](const model::PullLink& one) { return one.is_guest && one.by == guest && one.open_point == at; });
    return open == pulls.end() ? nullptr : &*open;
}

void close_open_pull(model::Progress& progress, std::string_view by) {
    for (model::PullLink& one : progress.pulls) {
        if (one.by == by) one.open_point.reset();
    }
    if (!progress.open_pull) return;
    const auto open = find_pull(progress.pulls, *progress.open_pull);
    const bool is_anothers = open != Links(progress.pulls).end() && !open->by.empty() && open->by != by;
    if (!is_anothers) progress.open_pull.reset();
}

void note_decided(model::Progress& progress, const base::Uuid& id, const HoldProof& proof) {
    if (!proof.is_guest) {
        if (progress.decided.size() < base::limits::decided_rows_max) progress.decided.push_back(id);
        return;
    }
    std::vector<model::Decided>& all = progress.decided_by_guests;
    if (all.size() >= base::limits::decided_rows_max) all.erase(all.begin());
    all.push_back({std::string(proof.by), id});
}

std::vector<base::Uuid> decided_in_turn(const model::Progress& progress, const HoldProof& proof) {
    if (!proof.is_guest) return progress.decided;
    std::vector<base::Uuid> own;
    for (const model::Decided& one : progress.decided_by_guests) {
        if (one.by == proof.by) own.push_back(one.id);
    }
    return own;
}

void forget_decided(model::Progress& progress, std::string_view by) {
    std::erase_if(progress.decided_by_guests, [&](const model::Decided& one) { return one.by == by; });
}

void forget_spoken(model::Progress& progress, std::string_view by) {
    std::erase_if(progress.spoken, [&](const model::Spoken& one) { return one.by == by; });
}

void note_spoken(model::Progress& progress, std::string_view by, bool is_guest) {
    forget_spoken(progress, by);
    if (progress.pulls.empty()) return;
    if (progress.spoken.size() >= base::limits::spoken_max) {
        // Guests push out no message of the session's own agent.
        const auto of_guest = std::ranges::find_if(progress.spoken, &model::Spoken::is_guest);
        progress.spoken.erase(of_guest != progress.spoken.end() ? of_guest : progress.spoken.begin());
    }
    progress.spoken.push_back({std::string(by), progress.pulls.back().pull, is_guest});
}

}  // namespace belfry::rules
