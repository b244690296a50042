#include "sim/hand_overs_witness.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace belfry::sim {
namespace {

using base::Code;

std::int64_t handle_number(const std::string& handle) {
    return std::strtoll(handle.c_str() + 1, nullptr, 10);
}

std::string text_of(const std::pair<std::string, std::int64_t>& place) {
    return "n" + std::to_string(place.second) + " of " + place.first;
}

}  // namespace

void HandOversWitness::judge_order(const ports::PullReply& reply, Complaints& complaints) const {
    const ports::PulledItem* before = nullptr;
    for (const ports::PulledItem& item : reply.items) {
        if (!item.stands_for.empty()) continue;
        const model::Notification& one = item.notification;
        if (before != nullptr && std::tie(one.priority, one.ordinal) <=
                                     std::tie(before->notification.priority, before->notification.ordinal)) {
            complaints.push_back(item.handle + " was handed over after " + before->handle + ", against their order");
        }
        if (item.again != (one.lease > 1)) complaints.push_back(item.handle + " tells wrongly whether it came before");
        if (one.target != model::Target::agent) complaints.push_back(item.handle + " is not for an agent");
        before = &item;
    }
}

void HandOversWitness::take(const Place& place, std::optional<base::Uuid> id, std::int64_t lease, base::Timestamp born,
                            const SentPull& sent, const ports::PullReply& reply, base::Timestamp now,
                            Complaints& complaints) {
    const std::string what = text_of(place);
    if (id && delivered_.contains(*id)) complaints.push_back(what + " was confirmed and handed over again");
    // One of the user's may have had another handle in another session.
    const auto known = id ? places_.find(*id) : places_.end();
    const Place before_place = known != places_.end() ? known->second : place;
    const auto before = hands_.find(before_place);
    if (before != hands_.end() && !is_unheard_) {
        const Hand& hand = before->second;
        if (hand.is_delivered) complaints.push_back(what + " was delivered and handed over again");
        if (hand.until > now) complaints.push_back(what + " was handed over again before its lease had ended");
        if (id && lease != hand.lease + 1 && is_sure()) complaints.push_back(what + " came again without a new lease");
        if (!id) lease = hand.lease + 1;
    } else if (id && lease != 1 && is_sure()) {
        complaints.push_back(what + " came first under lease " + std::to_string(lease));
    }
    if (before != hands_.end() && before_place != place) hands_.erase(before);
    if (!id && before == hands_.end()) is_blurred_ = true;
    // What went as part of a summary does not say how old it is: that is learnt at the next look.
    const base::Timestamp unseen_until = born + base::limits::passive_ttl_default;
    hands_[place] = {id, lease, now + sent.lease, reply.pull_id, false, unseen_until};
    if (id) places_[*id] = place;
}

void HandOversWitness::told(const SentPull& sent, const base::Result<ports::PullReply>& reply, base::Timestamp now,
                            Complaints& complaints) {
    if (!reply.ok()) {
        if (reply.error().code == Code::outcome_unknown) unheard();
        else if (reply.error().code != Code::unavailable)
            complaints.push_back("a hand-over was refused: " + reply.error().message);
        return;
    }
    if (sent.acknowledge) acknowledged(*sent.acknowledge, sent.session_id, reply->acknowledged, complaints);
    judge_order(*reply, complaints);
    for (const ports::PulledItem& item : reply->items) {
        if (item.stands_for.empty()) {
            const model::Notification& one = item.notification;
            take({sent.session_id, one.handle}, one.id.uuid, one.lease, one.created_at, sent, *reply, now, complaints);
        }
        for (const std::string& handle : item.stands_for) {
            const Place place{sent.session_id, handle_number(handle)};
            const auto known = hands_.find(place);
            const auto id = known != hands_.end() ? known->second.id : std::nullopt;
            const std::int64_t lease = known != hands_.end() ? known->second.lease + 1 : 1;
            take(place, id, lease, item.notification.created_at, sent, *reply, now, complaints);
        }
    }
}

void HandOversWitness::acknowledged(const base::Uuid& pull, const std::string& session, std::int64_t count,
                                    Complaints& complaints) {
    // What was delivered long ago may be gone.
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (auto& [place, hand] : hands_) {
        if (place.first != session || hand.pull != pull) continue;
        ++most;
        if (!hand.is_delivered) ++least;
        if (!is_sure()) continue;
        hand.is_delivered = true;
        if (hand.id) delivered_.insert(*hand.id);
    }
    if (is_sure() && (count < least || count > most)) {
        complaints.push_back(std::to_string(count) + " were confirmed with a hand-over in " + session + " that had " +
                             std::to_string(most));
    }
    if (!is_sure()) unheard();  // which of them it were cannot be told
}

void HandOversWitness::told(const SentAcknowledge& sent, const base::Result<ports::AcknowledgeReply>& reply,
                            Complaints& complaints) {
    if (!reply.ok() && reply.error().code == Code::unavailable) return;
    if (!reply.ok() && reply.error().code == Code::outcome_unknown) return unheard();
    if (!reply.ok() && reply.error().code != Code::conflict && reply.error().code != Code::not_found) {
        complaints.push_back("a confirmation was refused: " + reply.error().message);
        return;
    }
    if (sent.pull_id)
        return acknowledged(*sent.pull_id, sent.session_id, reply.ok() ? reply->acknowledged : 0, complaints);
    if (!is_sure()) {
        if (reply.ok()) unheard();
        return;
    }
    const bool is_held = std::ranges::all_of(sent.items, [&](const ports::Acknowledge::Item& item) {
        const auto at = hands_.find({sent.session_id, handle_number(item.key)});
        return at != hands_.end() && item.lease > 0 && at->second.lease == item.lease;
    });
    const bool may_be_gone = std::ranges::any_of(sent.items, [&](const ports::Acknowledge::Item& item) {
        const auto at = hands_.find({sent.session_id, handle_number(item.key)});
        return at != hands_.end() && at->second.is_delivered;
    });
    if (!reply.ok() && may_be_gone) return;
    if (reply.ok() != is_held) {
        complaints.push_back(std::string("a confirmation in ") + sent.session_id +
                             (is_held ? " was refused though its leases hold" : " was taken under an old lease"));
        return;
    }
    if (!is_held) return;
    for (const ports::Acknowledge::Item& item : sent.items) {
        Hand& hand = hands_[{sent.session_id, handle_number(item.key)}];
        hand.is_delivered = true;
        if (hand.id) delivered_.insert(*hand.id);
    }
}

void HandOversWitness::renew(const std::string& session, base::Timestamp until) {
    for (auto& [place, hand] : hands_) {
        if (place.first == session && !hand.is_delivered) hand.until = std::max(hand.until, until);
    }
}

void HandOversWitness::end_turn(const std::string& session, base::Timestamp now) {
    if (!is_sure()) return unheard();  // which of them it held cannot be told
    for (auto& [place, hand] : hands_) {
        if (place.first != session || hand.is_delivered) continue;
        if (hand.unseen_until <= now) return unheard();
        hand.is_delivered = true;
        if (hand.id) delivered_.insert(*hand.id);
    }
}

void HandOversWitness::told(const SentTurn& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now) {
    if (!reply.ok()) {
        if (reply.error().code == Code::outcome_unknown) unheard();
    } else if (sent.edge == ports::TurnEdge::start) {
        renew(sent.session_id, now + base::limits::lease_default);
    } else {
        end_turn(sent.session_id, now);
    }
}

void HandOversWitness::told(const SentToolCall& sent, const base::Result<ports::ReportReply>& reply,
                            base::Timestamp now) {
    if (reply.ok()) renew(sent.session_id, now + base::limits::lease_default);
    else if (reply.error().code == Code::outcome_unknown) unheard();
}

void HandOversWitness::erased() {
    hands_.clear();
    places_.clear();
    is_blurred_ = true;
}

void HandOversWitness::compare_row(const model::Notification& row, Complaints& complaints) const {
    const Place place{row.handed_to, row.handle};
    const auto at = hands_.find(place);
    const bool is_delivered = row.state == model::DeliveryState::delivered;
    const bool has_failed = row.state == model::DeliveryState::failed;
    if (delivered_.contains(row.id.uuid) && !is_delivered) {
        complaints.push_back(text_of(place) + " was confirmed and is not delivered");
    }
    if (!is_sure()) return;
    if (at == hands_.end()) {
        complaints.push_back(text_of(place) + " was handed over and nobody heard of it");
        return;
    }
    const Hand& hand = at->second;
    if (hand.lease != row.lease || hand.pull != row.pull_id.value_or(base::Uuid{})) {
        complaints.push_back(text_of(place) + " has lease " + std::to_string(row.lease) + " instead of " +
                             std::to_string(hand.lease));
    }
    if (hand.is_delivered != is_delivered) {
        complaints.push_back(text_of(place) +
                             (is_delivered ? " is delivered and nobody confirmed it" : " was confirmed and is open"));
    }
    if (has_failed && *row.ended_at < std::max(hand.until, hand.unseen_until)) {
        complaints.push_back(text_of(place) + " was given up while somebody had it");
    }
    if (!is_delivered && !has_failed && row.lease_until != hand.until) {
        complaints.push_back("the lease of " + text_of(place) + " does not end when it was said");
    }
}

void HandOversWitness::compare(const Stock& stock, Complaints& complaints) {
    for (const model::Notification& row : stock.notifications) {
        if (row.handle > 0) compare_row(row, complaints);
    }
    hands_.clear();
    places_.clear();
    for (const model::Notification& row : stock.notifications) {
        if (!row.pull_id) continue;
        const bool is_delivered = row.state == model::DeliveryState::delivered;
        // Where the session was erased that it was handed over in, it has no handle any more.
        const Place place{row.handed_to, row.handle > 0 ? row.handle : row.ordinal};
        const bool is_new =
            hands_
                .emplace(place, Hand{row.id.uuid, row.lease, row.lease_until.value_or(base::Timestamp{}),
                                     row.pull_id.value_or(base::Uuid{}), is_delivered,
                                     row.created_at + base::limits::passive_ttl_default})
                .second;
        if (!is_new) complaints.push_back("two notifications have the handle " + text_of(place));
        places_[row.id.uuid] = place;
        if (is_delivered) delivered_.insert(row.id.uuid);
    }
    is_unheard_ = is_blurred_ = false;
}

}  // namespace belfry::sim
