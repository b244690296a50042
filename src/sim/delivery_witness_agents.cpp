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
        before = &item;
    }
}

void DeliveryWitness::hand_over(const model::Notification& answered, const SentPull& sent, const base::Uuid& pull,
                                base::Timestamp now) {
    const base::Uuid& id = answered.id.uuid;
    const model::Scope& scope = answered.scope;
    const bool is_anothers = scope.session_id.empty() && !scope.agent_id.empty() &&
                             scope.agent_id != seats_[sent.session_id].agent && knows_seats();
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
                         (row.state != State::locked || *row.lease_until <= now);
    if (!is_free) return complain(row, "was handed over though somebody has it, or nobody is to have it");
    predict(id, [&](Followed& one) {
        expected::claim(one.row, now, admin_principal().id, sent.lease, one.steps);
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
        expected::claim(foretold, now, admin_principal().id, sent.lease, unused);
        foretold.pull_id = pull;
        hand_over(foretold, sent, pull, now);
    }
}

std::pair<std::int64_t, std::int64_t> DeliveryWitness::confirm(const base::Uuid& pull, const std::string& session,
                                                               base::Timestamp now) {
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (const base::Uuid& id : book_.of_pull(pull)) {
        const Followed& known = *book_.find(id);
        if (known.row.handed_to != session) continue;
        const bool is_delivered = known.row.state == State::delivered;
        if (!is_delivered && known.row.state != State::locked) continue;
        ++most;
        if (!may_be_gone(&known, now) && is_sure(known)) ++least;
        if (is_delivered || expected::is_spoken(known.row)) continue;
        predict(id, [&](Followed& one) {
            expected::deliver(one.row, now, admin_principal().id, "acknowledged_by_runtime", one.steps);
        });
    }
    return {least, most};
}

void DeliveryWitness::told(const SentPull& sent, const base::Result<ports::PullReply>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    if (!reply.ok()) {
        if (!ever_deleted_.contains(sent.session_id)) complain("a hand-over was refused: " + reply.error().message);
        return;
    }
    if (sent.acknowledge) {
        const auto [least, most] = confirm(*sent.acknowledge, sent.session_id, now);
        if (is_all_sure() && (reply->acknowledged < least || reply->acknowledged > most)) {
            complain(std::to_string(reply->acknowledged) + " were confirmed with a hand-over that had " +
                     std::to_string(most));
        }
    }
    if (sent.acknowledge) inboxes_.awareness().confirmed(sent.session_id, *sent.acknowledge);
    inboxes_.awareness().pulled(sent, *reply, {seats_[sent.session_id].user, knows_seats(), now, kept_}, complaints_);
    judge_order(*reply);
    // Whoever comes to the start of one turn twice may not have read what he was given the first time.
    Seat& seat = seats_[sent.session_id];
    const bool is_start = sent.point == model::InjectAt::turn_start;
    DeliveryBook::Ids again;
    if (is_start && seat.turn_pulled) again = let_go(sent.session_id, "pulled_again", now);
    seat.turn_pulled = seat.turn_pulled || is_start;
    seat.lease = sent.lease;
    for (const ports::PulledItem& item : reply->items) {
        if (item.stands_for.empty()) hand_over(item.notification, sent, reply->pull_id, now);
        else hand_over_unnamed(item, sent, reply->pull_id, now);
    }
    judge_again(again, sent, *reply);
}

DeliveryBook::Ids DeliveryWitness::let_go(const std::string& session, std::string_view why, base::Timestamp now) {
    const DeliveryBook::Ids held = book_.held(session);
    for (const base::Uuid& id : held) {
        predict(id, [&](Followed& one) {
            expected::let_go(one.row, now, why, one.steps);
            if (one.row.state == State::escalated) tell_sent(one.row);
        });
        touch(id);
    }
    return held;
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
        const auto [least, most] = confirm(*sent.pull_id, sent.session_id, now);
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
                             (one->row.state == State::locked || one->row.state == State::delivered);
        should_be = should_be && is_ours;
        can_know = can_know && (one == nullptr || is_sure(*one)) && !(one != nullptr && may_be_gone(one, now));
    }
    if (reply.ok() != should_be && can_know) {
        complain(std::string("a confirmation in ") + sent.session_id +
                 (should_be ? " was refused though its leases hold" : " was taken under an old lease"));
    }
    if (!reply.ok()) return;
    for (const ports::Acknowledge::Item& item : sent.items) {
        const Followed* const known = book_.find_named(sent.session_id, item.key);
        if (known == nullptr || known->row.state != State::locked) continue;
        predict(known->row.id.uuid, [&](Followed& one) {
            expected::deliver(one.row, now, admin_principal().id, "acknowledged_by_model", one.steps);
        });
    }
}

void DeliveryWitness::told(const SentNarrate& sent, const base::Result<model::Notification>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    const Followed* const known = book_.find(sent.id);
    const bool should_be = known != nullptr && known->row.state == State::locked && known->row.lease == sent.lease &&
                           expected::is_spoken(known->row) && known->row.target == model::Target::user;
    if (!agrees(reply.ok(), should_be, known, now, "a narration")) return;
    if (known == nullptr) return learn(*reply);
    predict(sent.id, [&](Followed& one) {
        if (model::is_terminal(one.row.state)) return;
        one.row.narration = sent.words;
        expected::deliver(one.row, now, admin_principal().id, "narrated", one.steps);
        inboxes_.expect({InboxWitness::Kind::narration, sent.id, 0, 0, {}});
    });
    settle(sent.id, *reply, "its narration");
}

void DeliveryWitness::renew(const std::string& session, base::Duration lease, base::Timestamp now) {
    for (const base::Uuid& id : book_.held(session)) {
        predict(id, [&](Followed& one) { expected::renew(one.row, now, lease); });
    }
}

void DeliveryWitness::told(const SentHeartbeat& sent, const base::Result<ports::HeartbeatReply>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    const bool is_gone = !reply.ok() && reply.error().code == base::Code::gone;
    if (is_gone && ever_deleted_.contains(sent.session_id)) return;
    const DeliveryBook::Ids held = book_.held(sent.session_id);
    const auto least = std::ranges::count_if(held, [&](const base::Uuid& id) { return is_sure(*book_.find(id)); });
    const std::int64_t renewed = reply.ok() ? reply->renewed : 0;
    if (is_all_sure() && (renewed < least || renewed > std::ssize(held))) {
        complain(std::to_string(renewed) + " leases were renewed, of " + std::to_string(held.size()) + " in " +
                 sent.session_id);
    }
    if (!reply.ok()) return;
    Seat& seat = seats_[sent.session_id];
    seat.lease = sent.lease.value_or(seat.lease);
    renew(sent.session_id, seat.lease, now);
    if (reply->lease_until && *reply->lease_until != now + seat.lease && knows_seats()) {
        complain("a heartbeat in " + sent.session_id + " was promised another time than its session asked for");
    }
}

void DeliveryWitness::end_turn(const std::string& session, base::Timestamp now) {
    for (const base::Uuid& id : book_.held(session)) {
        predict(id, [&](Followed& one) {
            expected::end_turn(one.row, now, one.steps);
            if (one.row.state == State::escalated) tell_sent(one.row);
        });
        touch(id);
    }
}

void DeliveryWitness::judge_seat(const std::string& session, const model::Progress& progress) {
    const Seat& seat = seats_[session];
    const bool is_same =
        progress.in_turn == seat.in_turn && progress.turn_pulled == seat.turn_pulled && progress.lease == seat.lease;
    if (!is_same && knows_seats()) complain("the turn of " + session + " is not as foretold");
}

// Whoever names one under a lease that does not hold is refused, whole.
bool DeliveryWitness::is_turn_taken(const SentTurn& sent, const base::Result<ports::ReportReply>& reply,
                                    base::Timestamp now) {
    bool should_be = true;
    bool can_know = is_all_sure() && !ever_deleted_.contains(sent.session_id);
    for (const ports::Named& named : sent.acknowledged) {
        if (!named.lease) continue;
        const Followed* const one = book_.find_named(sent.session_id, named.key);
        if (one == nullptr) continue;
        if (one->row.handed_to != sent.session_id || one->row.lease != *named.lease) should_be = false;
        can_know = can_know && is_sure(*one) && !may_be_gone(one, now);
    }
    if (reply.ok() != should_be && can_know) {
        complain("the report of a turn in " + sent.session_id +
                 (should_be ? " was refused though its leases hold" : " was taken under an old lease"));
    }
    return reply.ok();
}

void DeliveryWitness::told(const SentTurn& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply) || !is_turn_taken(sent, reply, now)) return;
    Seat& seat = seats_[sent.session_id];
    if (sent.edge == ports::TurnEdge::start) {
        if (seat.in_turn) {
            let_go(sent.session_id, "turn_lost", now);
            seat.turn_pulled = false;
        }
        seat.in_turn = true;
        seat.lease = sent.lease.value_or(seat.lease);
        renew(sent.session_id, seat.lease, now);
        return judge_seat(sent.session_id, reply->progress);
    }
    seat.in_turn = seat.turn_pulled = false;
    judge_seat(sent.session_id, reply->progress);
    for (const ports::Named& named : sent.acknowledged) {
        const Followed* const known = book_.find_named(sent.session_id, named.key);
        const bool is_held =
            known != nullptr && known->row.state == State::locked && known->row.handed_to == sent.session_id;
        if (!is_held) continue;
        predict(known->row.id.uuid, [&](Followed& one) {
            expected::deliver(one.row, now, admin_principal().id, "acknowledged_by_model", one.steps);
        });
    }
    end_turn(sent.session_id, now);
}

void DeliveryWitness::told(const SentToolCall& sent, const base::Result<ports::ReportReply>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply) || !reply.ok()) return;
    const auto tool = tools_.find(sent.tool_name);
    const bool is_external = tool == tools_.end() || tool->second == model::Impact::external;
    if (is_external) {
        // Where the one that it names is not in the agent's hands, or not to be answered, it may be about all that are.
        const Followed* const named =
            sent.handling.empty() ? nullptr : book_.find_named(sent.session_id, sent.handling);
        const bool is_in_hand = named != nullptr && named->row.state == State::locked && !named->row.holder.empty() &&
                                named->row.handed_to == sent.session_id && expected::is_spoken(named->row);
        const bool can_know = named == nullptr || is_sure(*named);
        for (const base::Uuid& id : book_.held(sent.session_id)) {
            const model::Notification& row = book_.find(id)->row;
            const bool is_own_matter = expected::is_spoken(row) && row.target == model::Target::agent;
            if (!is_own_matter) continue;
            if (!can_know) {
                book_.change(id, [&](Followed& one) { one.is_sure = one.knows_steps = false; });
                continue;
            }
            if (is_in_hand && named->row.id != row.id) continue;
            predict(id, [&](Followed& one) { expected::promote(one.row, now, sent.tool_name, one.steps); });
        }
    }
    renew(sent.session_id, seats_[sent.session_id].lease, now);
    judge_seat(sent.session_id, reply->progress);
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
            if (one.row.state == State::escalated) tell_sent(one.row);
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
