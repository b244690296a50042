#include "sim/holding.hpp"

#include <algorithm>

namespace belfry::sim {
namespace {

constexpr std::size_t pulls_max = 64;
constexpr std::size_t unnamed_max = 16;
constexpr std::size_t decided_max = 64;

}  // namespace

bool is_called(const model::Notification& row, const std::string& key) {
    if (const auto id = base::parse_uuid(key)) return *id == row.id.uuid;
    return row.handle > 0 && key == "n" + std::to_string(row.handle);
}

void Seat::begin_turn() {
    has_spoken = false;
    decided.clear();
}

void Seat::forget_pulls() {
    has_named = false;
    unnamed.clear();
}

void Seat::name(const base::Uuid& pull) {
    received(pull);
    has_named = true;
}

const Seat::Pull* Seat::find(const base::Uuid& pull) const {
    const auto at = std::ranges::find(pulls, pull, &Pull::id);
    return at == pulls.end() ? nullptr : &*at;
}

// A pull that names one before it continues that one's chain. One that names nothing begins a chain at the start of a
// turn; in the middle of a turn it is taken for the newest chain's.
void Seat::add_pull(const base::Uuid& pull, const std::optional<base::Uuid>& after, bool is_start, bool has_items) {
    Pull added{pull, pull, false};
    if (const Pull* const before = after ? find(*after) : nullptr) {
        added.chain = before->chain;
        added.names_one_before = true;
    } else if (!after && !is_start && !pulls.empty()) {
        added.chain = pulls.back().chain;
    }
    pulls.push_back(added);
    if (pulls.size() > pulls_max) pulls.erase(pulls.begin());
    if (has_items) unnamed.push_back(pull);
    if (unnamed.size() > unnamed_max) unnamed.erase(unnamed.begin());
}

void Seat::note_decided(const base::Uuid& id) {
    if (decided.size() < decided_max) decided.push_back(id);
}

bool Seat::is_unnamed(const std::optional<base::Uuid>& pull) const {
    return pull && std::ranges::find(unnamed, *pull) != unnamed.end();
}

bool Seat::is_same_chain(const std::optional<base::Uuid>& one, const base::Uuid& other) const {
    if (one == other) return true;
    const Pull* const first = one ? find(*one) : nullptr;
    const Pull* const second = find(other);
    return first != nullptr && second != nullptr && first->chain == second->chain;
}

Right Seat::right_over(const model::Notification& row, const Proof& proof) const {
    for (const ports::Named& named : proof.leases) {
        if (named.lease && is_called(row, named.key)) return *named.lease == row.lease ? Right::holds : Right::none;
    }
    if (!proof.pull_id) {
        const bool had_one_holder = row.lease == 1 && row.holder == proof.by;
        return had_one_holder ? Right::holds : Right::none;
    }
    if (row.pull_id == *proof.pull_id) return Right::holds;
    if (!is_same_chain(row.pull_id, *proof.pull_id)) return Right::none;
    const Pull* const named = find(*proof.pull_id);
    const Pull* const handed = find(*row.pull_id);
    if (handed < named) return Right::holds;
    for (const Pull* one = named + 1; one <= handed; ++one) {
        if (one->chain == named->chain && !one->names_one_before) return Right::none;
    }
    return Right::not_arrived;
}

void Seat::adopt(const model::Progress& progress) {
    pulls.clear();
    for (const model::PullLink& link : progress.pulls) pulls.push_back({link.pull, link.chain, link.is_named});
    unnamed = progress.unnamed;
    has_named = progress.has_named;
    has_spoken = progress.has_spoken;
    decided = progress.decided;
}

}  // namespace belfry::sim
