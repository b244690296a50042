#include "sim/erasures_witness.hpp"

#include <algorithm>

namespace belfry::sim {

using base::Code;
constexpr model::StreamId events_stream = 1;

void ErasuresWitness::told(const SentErase& sent, const base::Result<ports::ErasureReply>& reply,
                           Complaints& complaints) {
    if (reply.ok()) {
        if (owed_.contains(reply->obligation)) complaints.push_back("two erasures have the same id");
        owed_[reply->obligation] = {sent.user_id, events_.head(), false, false, {}};
        events_.erasing(sent.user_id);
        tokens_.erased(sent.user_id);
    } else if (reply.error().code == Code::outcome_unknown) {
        unheard(sent);
    } else if (reply.error().code != Code::unavailable) {
        complaints.push_back("an erasure was refused: " + reply.error().message);
    }
}

void ErasuresWitness::unheard(const SentErase& sent) {
    open_.push_back({sent.user_id, events_.head(), false, false, {}});
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

std::string ErasuresWitness::user_of(const base::Uuid& obligation) const {
    const auto at = owed_.find(obligation);
    return at == owed_.end() ? std::string() : at->second.user;
}

void ErasuresWitness::compare(const Stock& stock, base::Timestamp now, Complaints& complaints) {
    std::map<base::Uuid, bool> stored;
    for (const ports::Obligation& obligation : stock.obligations) {
        if (obligation.kind != "erase_user") continue;
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
        if (obligation.finished_at) owed.finished_at = *obligation.finished_at;
    }
    for (const auto& [id, owed] : owed_) {
        // Finished ones may go with the audit's retention.
        if (!owed.is_finished && !stored.contains(id)) complaints.push_back("an owed erasure is lost");
    }
    for (const Owed& open : open_) events_.not_erasing(open.user);
    open_.clear();
    compare_gone(stock, now, complaints);
}

// Whether the log says of an event that it is somebody else's: one of a session whose user was a guess stays the
// owner's, though its notification goes to whoever the session was named for before it left. What was erased names
// nobody.
bool ErasuresWitness::is_anothers(const Stock& stock, const std::string& user, model::Sequence sequence) {
    for (const model::SharedBlock& block : stock.events) {
        for (const model::LogEntry& entry : block->entries) {
            if (entry.stream != events_stream || entry.sequence != sequence) continue;
            return !entry.facets.user_id.empty() && entry.facets.user_id != user;
        }
    }
    return false;
}

bool ErasuresWitness::is_in_log(const Stock& stock, model::Sequence sequence) {
    return std::ranges::any_of(stock.events, [&](const model::SharedBlock& block) {
        return std::ranges::any_of(block->entries, [&](const model::LogEntry& entry) {
            return entry.stream == events_stream && entry.sequence == sequence;
        });
    });
}

void ErasuresWitness::compare_gone(const Stock& stock, base::Timestamp now, Complaints& complaints) {
    struct Gone {
        model::Sequence through = 0;
        base::Timestamp at;
    };
    std::map<std::string, Gone> gone;
    for (const auto& [id, owed] : owed_) {
        if (!owed.is_finished) continue;
        Gone& one = gone[owed.user];
        one = {std::max(one.through, owed.through), std::max(one.at, owed.finished_at)};
    }
    const auto is_gone = [&](const std::string& user, model::Sequence sequence) {
        const auto at = gone.find(user);
        return at != gone.end() && sequence <= at->second.through;
    };
    for (const model::Notification& row : stock.notifications) {
        for (const model::NotifiedEvent& event : row.events) {
            if (!is_gone(row.scope.user_id, event.sequence)) continue;
            // Retention may have dropped the entry. A notification that was made later may come of another user's
            // event.
            const bool is_made_later = row.created_at > gone.at(row.scope.user_id).at;
            if (is_made_later && !is_in_log(stock, event.sequence)) continue;
            if (is_anothers(stock, row.scope.user_id, event.sequence)) continue;
            complaints.push_back("a notification of " + row.scope.user_id + " outlived the erasure, of entry " +
                                 std::to_string(event.sequence));
        }
    }
    for (const model::WaitingRow& row : stock.waiting) {
        if (!is_gone(row.scope.user_id, row.sequence)) continue;
        complaints.push_back("entry " + std::to_string(row.sequence) + " of " + row.scope.user_id +
                             " still waits after the erasure");
    }
    std::map<std::string, Seen> seen;
    for (const Stock::Conversation& one : stock.conversations) {
        const model::Session& session = one.session;
        seen[session.id] = {session.user_id, session.created_at, now};
        const auto before = sessions_.find(session.id);
        if (before == sessions_.end() || before->second.created_at != session.created_at) continue;
        const auto at = gone.find(before->second.user);
        if (at != gone.end() && before->second.at < at->second.at) {
            complaints.push_back(session.id + " of " + before->second.user + " outlived the erasure");
        }
    }
    sessions_ = std::move(seen);
}

}  // namespace belfry::sim
