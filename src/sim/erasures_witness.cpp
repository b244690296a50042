#include "sim/erasures_witness.hpp"

#include <algorithm>

namespace belfry::sim {

using base::Code;

void ErasuresWitness::told(const SentErase& sent, const base::Result<ports::ErasureReply>& reply,
                           Complaints& complaints) {
    if (reply.ok()) {
        if (owed_.contains(reply->obligation)) complaints.push_back("two erasures have the same id");
        owed_[reply->obligation] = {sent.user_id, events_.head(), false, false};
        events_.erasing(sent.user_id);
        tokens_.erased(sent.user_id);
    } else if (reply.error().code == Code::outcome_unknown) {
        unheard(sent);
    } else if (reply.error().code != Code::unavailable) {
        complaints.push_back("an erasure was refused: " + reply.error().message);
    }
}

void ErasuresWitness::unheard(const SentErase& sent) {
    open_.push_back({sent.user_id, events_.head(), false, false});
    events_.erasing(sent.user_id);
    tokens_.maybe_erased(sent.user_id);
}

void ErasuresWitness::told(const SentSlice& sent, const base::Result<ports::EraseProgress>& reply,
                           Complaints& complaints) {
    if (!reply.ok()) {
        if (reply.error().code == Code::outcome_unknown) unheard(sent);
        return;
    }
    if (sent.is_stale) complaints.push_back("a slice was accepted under a claim that was held by another");
    const auto at = owed_.find(sent.obligation);
    if (at == owed_.end() || at->second.is_finished) complaints.push_back("a slice of nothing owed was accepted");
    else if (reply->finished) finish(at->second);
}

void ErasuresWitness::unheard(const SentSlice& sent) {
    const auto at = owed_.find(sent.obligation);
    if (at != owed_.end()) at->second.may_be_finished = true;
}

void ErasuresWitness::finish(Owed& owed) {
    owed.is_finished = true;
    events_.erased(owed.user, owed.through);
}

std::size_t ErasuresWitness::unfinished() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(owed_, [](const auto& owed) { return !owed.second.is_finished; }));
}

void ErasuresWitness::compare(const Stock& stock, Complaints& complaints) {
    std::map<base::Uuid, bool> stored;
    for (const ports::Obligation& obligation : stock.obligations) {
        stored[obligation.id] = true;
        const std::string user = obligation.detail.member("user_id")->as_text();
        auto at = owed_.find(obligation.id);
        if (at == owed_.end()) {
            const auto open = std::ranges::find(open_, user, &Owed::user);
            if (open == open_.end()) {
                complaints.push_back("the erasure of " + user + " is owed though nobody was promised it");
                continue;
            }
            at = owed_.emplace(obligation.id, *open).first;
            open_.erase(open);
        }
        Owed& owed = at->second;
        if (owed.user != user) complaints.push_back("an erasure is of " + user + " instead of " + owed.user);
        if (obligation.finished_at && !owed.is_finished && owed.may_be_finished) finish(owed);
        if (obligation.finished_at.has_value() != owed.is_finished) {
            complaints.push_back("the erasure of " + user + (owed.is_finished ? " is open again" : " ended by itself"));
        }
        owed.may_be_finished = false;
    }
    for (const auto& [id, owed] : owed_) {
        // Finished ones may go with the audit's retention.
        if (!owed.is_finished && !stored.contains(id)) complaints.push_back("an owed erasure is lost");
    }
    for (const Owed& open : open_) events_.not_erasing(open.user);
    open_.clear();
}

}  // namespace belfry::sim
