#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "sim/delivery_witness.hpp"

// What agents are handed, say and do, and what the clock brings.
namespace belfry::sim {
namespace {

constexpr std::size_t surely_one_slice = 200;  // of the watchdog

std::int64_t handle_number(const std::string& handle) {
    return std::strtoll(handle.c_str() + 1, nullptr, 10);
}

}  // namespace

void DeliveryWitness::judge_order(const ports::PullReply& reply) {
    const ports::PulledItem* before = nullptr;
    for (const ports::PulledItem& item : reply.items) {
        const model::Notification& one = item.notification;
        if (!item.stands_for.empty()) {
            if (!expected::is_passive(one)) complain(one, "was counted where somebody must answer it");
            continue;
        }
        if (before != nullptr && std::tie(one.priority, one.ordinal) <=
                                     std::tie(before->notification.priority, before->notification.ordinal)) {
            complain(one, "was handed over after " + before->handle + ", against their order");
        }
        if (item.again != (one.lease > 1)) complain(one, "tells wrongly whether it came before");
        if (item.needs_answer != expected::is_spoken(one)) complain(one, "tells wrongly whether it needs an answer");
        if (item.must_tell != expected::must_be_told(one)) complain(one, "tells wrongly whether it must be told");
        before = &item;
    }
}

void DeliveryWitness::hand_over(const model::Notification& answered, const SentPull& sent, const base::Uuid& pull,
                                base::Timestamp now) {
    const base::Uuid& id = answered.id.uuid;
    const model::Scope& scope = answered.scope;
    Seat& seat = seats_[sent.session_id];
    seat.last_handle = std::max(seat.last_handle, answered.handle);
    const bool is_anothers =
        scope.session_id.empty() && !scope.agent_id.empty() && scope.agent_id != seat.agent && knows_seats();
    if (is_anothers) complain(answered, "was handed over to another agent than " + scope.agent_id);
    const Followed* const known = book_.find(id);
    if (known == nullptr || !is_sure(*known)) {
        // From here on it is known as it is, though not how it came there.
        book_.put({answered, {}, true, false});
        learnt_.insert(id);
        return touch(id);
    }
    const model::Notification& row = known->row;
    const bool is_free = !model::is_terminal(row.state) && !expected::is_shown(row) &&
                         (row.state != State::locked || !row.lease_until || *row.lease_until <= now);
    if (!is_free) return complain(row, "was handed over though somebody has it, or nobody is to have it");
    predict(id, [&](Followed& one) {
        expected::claim(one.row, now, runtime_principal(sent.session_id, sent.as_agent).id, sent.lease, one.steps);
        one.row.pull_id = pull;
        if (one.row.handed_to == sent.session_id) return;
        one.row.handed_to = sent.session_id;
        one.row.handle = answered.handle;
    });
    settle(id, answered, "it was handed over");
}

// Of one that is only counted in a summary nothing but the handle is told.
void DeliveryWitness::hand_over_unnamed(const ports::PulledItem& item, const SentPull& sent, const base::Uuid& pull,
                                        base::Timestamp now) {
    for (const std::string& handle : item.stands_for) {
        const Followed* const known = book_.find_handle(sent.session_id, handle_number(handle));
        if (known == nullptr || !is_sure(*known)) {
            is_blurred_ = true;
            continue;
        }
        model::Notification foretold = known->row;
        expected::Steps unused;
        expected::claim(foretold, now, runtime_principal(sent.session_id, sent.as_agent).id, sent.lease, unused);
        foretold.pull_id = pull;
        hand_over(foretold, sent, pull, now);
    }
}

std::pair<std::int64_t, std::int64_t> DeliveryWitness::confirm(const base::Uuid& pull, const std::string& session,
                                                               const std::string& by, base::Timestamp now) {
    seats_[session].received(pull);
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (const base::Uuid& id : book_.of_pull(pull)) {
        const Followed& known = *book_.find(id);
        if (known.row.handed_to != session) continue;
        const bool is_delivered = known.row.state == State::delivered;
        if (!is_delivered && known.row.state != State::locked) continue;
        ++most;
        if (!may_be_gone(&known, now) && is_sure(known)) ++least;
        if (is_delivered || !expected::is_passive(known.row)) continue;
        predict(id, [&](Followed& one) { expected::deliver(one.row, now, by, "acknowledged_by_runtime", one.steps); });
    }
    return {least, most};
}

void DeliveryWitness::told(const SentPull& sent, const base::Result<ports::PullReply>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply)) return inboxes_.awareness().may_be_told(sent.session_id);
    if (!reply.ok()) {
        if (!ever_deleted_.contains(sent.session_id)) complain("a hand-over was refused: " + reply.error().message);
        return;
    }
    if (sent.acknowledge) {
        const std::string by = runtime_principal(sent.session_id, sent.as_agent).id;
        const auto [least, most] = confirm(*sent.acknowledge, sent.session_id, by, now);
        if (is_all_sure() && (reply->acknowledged < least || reply->acknowledged > most)) {
            complain(std::to_string(reply->acknowledged) + " were confirmed with a hand-over that had " +
                     std::to_string(most));
        }
    }
    if (sent.acknowledge) inboxes_.awareness().confirmed(sent.session_id, *sent.acknowledge);
    judge_order(*reply);
    // Whoever comes to the start of one turn twice may not have read what he was given the first time.
    Seat& seat = seats_[sent.session_id];
    const bool is_start = sent.point == model::InjectAt::turn_start;
    DeliveryBook::Ids again;
    const bool is_again = is_start && seat.turn_pulled;
    if (is_again) {
        again = let_go(sent.session_id, "pulled_again", now);
        seat.forget_pulls();
        seat.spoken.clear();
    }
    free_lost(sent, now);
    if (is_start && (is_again || !seat.in_turn)) seat.begin_turn(runtime_principal(sent.session_id, sent.as_agent).id);
    seat.turn_pulled = seat.turn_pulled || is_start;
    seat.lease = sent.lease;
    seat.add_pull(*reply, sent.pull_id ? sent.pull_id : sent.acknowledge, is_start,
                  runtime_principal(sent.session_id, sent.as_agent).id);
    if (!reply->user_messages.empty()) seat.had_messages.insert(runtime_principal(sent.session_id, sent.as_agent).id);
    for (const ports::PulledItem& item : reply->items) {
        if (item.stands_for.empty()) hand_over(item.notification, sent, reply->pull_id, now);
        else hand_over_unnamed(item, sent, reply->pull_id, now);
    }
    judge_again(again, sent, *reply);
    inboxes_.awareness().pulled(sent, *reply, {seats_[sent.session_id].user, knows_seats(), now, kept_}, complaints_);
}

DeliveryBook::Ids DeliveryWitness::let_go(const std::string& session, std::string_view why, base::Timestamp now) {
    const DeliveryBook::Ids held = book_.held(session);
    for (const base::Uuid& id : held) {
        predict(id, [&](Followed& one) {
            expected::let_go(one.row, now, why, one.steps);
            if (one.row.state == State::escalated) send_to_user(one, now);
        });
        touch(id);
    }
    return held;
}

// A runtime that names the last pull that it has did not get the others of its chain. What another one may hold is not
// its own to give back.
void DeliveryWitness::free_lost(const SentPull& sent, base::Timestamp now) {
    if (!sent.pull_id) return;
    Seat& seat = seats_[sent.session_id];
    seat.name(*sent.pull_id);
    if (seat.unnamed.empty()) return;
    const Proof proof{runtime_principal(sent.session_id, sent.as_agent).id, sent.pull_id, {}};
    for (const base::Uuid& id : book_.held(sent.session_id)) {
        const model::Notification& row = book_.find(id)->row;
        if (seat.right_over(row, proof) != Right::not_arrived) continue;
        if (row.pull_id) seat.received(*row.pull_id);
        predict(id, [&](Followed& one) {
            expected::let_go(one.row, now, "not_arrived", one.steps);
            if (one.row.state == State::escalated) send_to_user(one, now);
        });
        touch(id);
    }
}

// What was let go is due in that very hand-over, whatever its point; a budget may keep it waiting.
void DeliveryWitness::judge_again(const DeliveryBook::Ids& let_go, const SentPull& sent,
                                  const ports::PullReply& reply) {
    const bool is_cut = sent.budget_tokens != 0 || reply.items.size() >= base::limits::pull_items_max;
    if (is_cut || !knows_seats()) return;
    const Seat& seat = seats_[sent.session_id];
    for (const base::Uuid& id : let_go) {
        const Followed& one = *book_.find(id);
        const model::Scope& scope = one.row.scope;
        const bool is_of_user = scope.session_id.empty() && scope.user_id == seat.user &&
                                (scope.agent_id.empty() || scope.agent_id == seat.agent);
        const bool is_reached = scope.session_id == sent.session_id || is_of_user;
        const bool is_left = one.row.state == State::locked && one.row.holder.empty();
        if (is_reached && is_left && is_sure(one)) complain(one.row, "was let go and not handed over again");
    }
}

void DeliveryWitness::told(const SentAcknowledge& sent, const base::Result<ports::AcknowledgeReply>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    if (sent.pull_id) {
        if (reply.ok()) inboxes_.awareness().confirmed(sent.session_id, *sent.pull_id);
        const auto [least, most] = confirm(*sent.pull_id, sent.session_id, admin_principal().id, now);
        const std::int64_t count = reply.ok() ? reply->acknowledged : 0;
        if (is_all_sure() && (count < least || count > most)) {
            complain(std::to_string(count) + " were confirmed with a hand-over that had " + std::to_string(most));
        }
        return;
    }
    bool should_be = true;
    bool can_know = is_all_sure();
    for (const ports::Acknowledge::Item& item : sent.items) {
        const Followed* const one = book_.find_named(sent.session_id, item.key);
        const bool is_ours = one != nullptr && item.lease > 0 && one->row.lease == item.lease &&
                             one->row.handed_to == sent.session_id &&
                             (one->row.state == State::locked || one->row.state == State::delivered) &&
                             (!item.version || *item.version == one->row.version);
        should_be = should_be && is_ours;
        can_know = can_know && (one == nullptr || is_sure(*one)) && !(one != nullptr && may_be_gone(one, now));
    }
    if (reply.ok() != should_be && can_know) {
        complain(std::string("a confirmation in ") + sent.session_id +
                 (should_be ? " was refused though its leases hold" : " was taken under an old lease"));
    }
    if (!reply.ok()) return;
    Seat& seat = seats_[sent.session_id];
    std::set<base::Uuid> untold;
    for (const ports::Acknowledge::Item& item : sent.items) {
        const Followed* const known = book_.find_named(sent.session_id, item.key);
        const bool is_open = known != nullptr && known->row.state == State::locked && !expected::is_shown(known->row);
        if (!is_open) continue;
        // In the middle of a turn its agent may still tell the person.
        if (expected::must_be_told(known->row) && !seat.is_told_by_message(known->row)) {
            untold.insert(known->row.id.uuid);
            predict(known->row.id.uuid,
                    [&](Followed& one) { expected::note_untold(one.row, now, admin_principal().id, one.steps); });
            continue;
        }
        predict(known->row.id.uuid, [&](Followed& one) { name_done(one, seat, admin_principal().id, now); });
    }
    if (can_know && reply->untold.size() != untold.size()) {
        complain(std::to_string(reply->untold.size()) + " are said to be untold in " + sent.session_id + ", not " +
                 std::to_string(untold.size()));
    }
}

// The model has named it as dealt with. What it had to tell and did not is the system's to tell.
void DeliveryWitness::name_done(Followed& one, Seat& seat, const std::string& by, base::Timestamp now) {
    if (expected::is_shown(one.row)) return;
    if (expected::must_be_told(one.row) && !seat.is_told_by_message(one.row)) {
        expected::escalate(one.row, now, by, "acknowledged_untold", one.steps);
        return send_to_user(one, now);
    }
    if (expected::is_decision(one.row)) seat.note_decided(one.row.id.uuid, is_sure(one));
    expected::deliver(one.row, now, by, "acknowledged_by_model", one.steps);
}

void DeliveryWitness::began(const engine::Effects& effects) {
    inboxes_.note_streams(effects);
    gave_way_ = effects.figures.notifications_gave_way > 0;
    if (gave_way_) is_blurred_ = true;
}

void DeliveryWitness::tended(base::Timestamp now) {
    const DeliveryBook::Ids overdue = book_.overdue(now);
    const bool is_one_slice = overdue.size() <= surely_one_slice;
    for (const base::Uuid& id : overdue) {
        book_.change(id, [&](Followed& one) {
            one.is_sure = one.is_sure && is_one_slice;
            if (!is_sure(one)) return;
            expected::watch(one.row, now, one.steps);
            if (one.row.state == State::escalated) send_to_user(one, now);
            else if (expected::is_shown(one.row)) tell_state(one.row);
        });
        touch(id);
    }
}

void DeliveryWitness::published(const engine::Effects& effects, base::Timestamp now) {
    const auto sure = [&](const base::Uuid& id) {
        const Followed* const one = book_.find(id);
        return one != nullptr && is_sure(*one) && !learnt_.contains(id);
    };
    inboxes_.published(effects, sure, complaints_);
    inboxes_.awareness().shown(inboxes_.drain_sights(), now);
    learnt_.clear();
}

void DeliveryWitness::restarted() {
    inboxes_.all_closed();
}

void DeliveryWitness::erased(const std::string& user) {
    erased_.insert(user);
    inboxes_.awareness().forget(user);
    deleted_.clear();  // their names may be given again
}

}  // namespace belfry::sim
