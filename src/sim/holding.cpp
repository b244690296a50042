#include "sim/holding.hpp"

#include <algorithm>
#include <cstdlib>

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

bool Seat::has_given(const std::string& key) const {
    if (!key.starts_with('n')) return false;
    const std::int64_t handle = std::strtoll(key.c_str() + 1, nullptr, 10);
    return handle > 0 && handle <= last_handle && key == "n" + std::to_string(handle);
}

void Seat::begin_turn(const std::string& by) {
    spoken.erase(by);
    decided.clear();
}

void Seat::forget_pulls() {
    has_named = false;
    unnamed.clear();
}

void Seat::name(const base::Uuid& pull) {
    received(pull);
    const Pull* const named = find(pull);
    if (named == nullptr) return;
    for (const Pull& one : pulls) {
        if (&one > named && one.by != named->by) return;
    }
    has_named = true;
}

void Seat::note_message(const std::string& by) {
    spoken.erase(by);
    if (!pulls.empty()) spoken.emplace(by, pulls.back().id);
}

bool Seat::is_told_by_message(const model::Notification& row) const {
    const auto message = spoken.find(row.holder);
    if (message == spoken.end() || row.address != model::Address::session || !row.used_tools.empty()) return false;
    if (!row.pull_id) return true;
    const Pull* const handed = find(*row.pull_id);
    const Pull* const before = find(message->second);
    // The session forgets old pulls. Ids of pulls rise with the time.
    return before != nullptr && (handed != nullptr ? handed <= before : *row.pull_id < before->id);
}

const Seat::Pull* Seat::find(const base::Uuid& pull) const {
    const auto at = std::ranges::find(pulls, pull, &Pull::id);
    return at == pulls.end() ? nullptr : &*at;
}

// A pull that names one before it continues that one's chain. One that names nothing begins a chain at the start of a
// turn; in the middle of a turn it continues the chain of the newest pull of its caller.
void Seat::add_pull(const ports::PullReply& reply, const std::optional<base::Uuid>& after, bool is_start,
                    const std::string& by) {
    const base::Uuid& pull = reply.pull_id;
    const bool has_items = !reply.items.empty();
    Pull added{pull, pull, false, !has_items && reply.user_messages.empty() && reply.seen.empty(), by};
    if (const Pull* const before = after ? find(*after) : nullptr) {
        added.chain = before->chain;
        added.names_one_before = true;
    } else if (!after && !is_start) {
        for (const Pull& one : pulls) {
            if (one.by.empty() || one.by == by) added.chain = one.chain;
        }
    }
    if (pulls.size() == pulls_max) {
        forget_pull();
    }
    pulls.push_back(added);
    if (has_items) unnamed.push_back(pull);
    if (unnamed.size() > unnamed_max) unnamed.erase(unnamed.begin());
}

// The principal with the most pulls loses one, an empty one before others. Pulls that date a message stay.
void Seat::forget_pull() {
    std::map<std::string, std::int64_t> counts;
    for (const Pull& one : pulls) ++counts[one.by];
    std::string most;
    for (const auto& [by, count] : counts) {
        if (!counts.contains(most) || count > counts[most]) most = by;
    }
    const auto is_kept = [&](const Pull& one) {
        return std::ranges::any_of(spoken, [&](const auto& message) { return message.second == one.id; });
    };
    const auto forget_first = [&](auto may_go) {
        const auto gone = std::ranges::find_if(pulls, [&](const Pull& one) { return !is_kept(one) && may_go(one); });
        if (gone == pulls.end()) return false;
        pulls.erase(gone);
        return true;
    };
    const auto is_empty_one = [&](const Pull& one) { return one.by == most && one.is_empty; };
    const auto is_one_of_most = [&](const Pull& one) { return one.by == most; };
    if (!forget_first(is_empty_one) && !forget_first(is_one_of_most)) forget_first([](const Pull&) { return true; });
}

void Seat::note_decided(const base::Uuid& id, bool is_sure) {
    if (decided.size() < decided_max) decided.push_back({id, is_sure});
}

bool Seat::is_sure_of_decided() const {
    return std::ranges::all_of(decided, &Decided::is_sure);
}

void Seat::adopt_decided(const model::Progress& progress) {
    decided.clear();
    for (const base::Uuid& id : progress.decided) decided.push_back({id, true});
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
    const Right if_sole = row.lease == 1 && row.holder == proof.by ? Right::holds : Right::none;
    const Pull* const named = find(*proof.pull_id);
    const Pull* const handed = row.pull_id ? find(*row.pull_id) : nullptr;
    if (handed == nullptr) return if_sole;
    if (named == nullptr) return *proof.pull_id < *row.pull_id ? Right::none : if_sole;
    if (named->chain != handed->chain) return Right::none;
    // A pull between the two that names none may be another runtime's of the same token.
    const bool is_earlier = handed < named;
    for (const Pull* one = std::min(named, handed) + 1; one <= std::max(named, handed); ++one) {
        const bool is_same_token = one->by.empty() || named->by.empty() || one->by == named->by;
        if (one->chain == named->chain && !one->names_one_before && is_same_token)
            return is_earlier ? if_sole : Right::none;
    }
    return is_earlier ? Right::holds : Right::not_arrived;
}

void Seat::adopt(const model::Progress& progress) {
    pulls.clear();
    for (const model::PullLink& link : progress.pulls)
        pulls.push_back({link.pull, link.chain, link.is_named, link.is_empty, link.by});
    unnamed = progress.unnamed;
    has_named = progress.has_named;
    spoken.clear();
    for (const model::Spoken& one : progress.spoken) spoken.emplace(one.by, one.after);
    adopt_decided(progress);
}

}  // namespace belfry::sim
