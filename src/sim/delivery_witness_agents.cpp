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
    const Followed* const known = book_.find(id);
    if (known == nullptr || !is_sure(*known)) {
        // From here on it is known as it is, though not how it came there.
        book_.put({answered, {}, true, false});
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
    judge_order(*reply);
    for (const ports::PulledItem& item : reply->items) {
        if (item.stands_for.empty()) hand_over(item.notification, sent, reply->pull_id, now);
        else hand_over_unnamed(item, sent, reply->pull_id, now);
    }
}

void DeliveryWitness::told(const SentAcknowledge& sent, const base::Result<ports::AcknowledgeReply>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    if (sent.pull_id) {
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
                           expected::is_spoken(known->row);
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
    const DeliveryBook::Ids held = book_.held(sent.session_id);
    const auto least = std::ranges::count_if(held, [&](const base::Uuid& id) { return is_sure(*book_.find(id)); });
    const std::int64_t renewed = reply.ok() ? reply->renewed : 0;
    if (is_all_sure() && (renewed < least || renewed > std::ssize(held))) {
        complain(std::to_string(renewed) + " leases were renewed, of " + std::to_string(held.size()) + " in " +
                 sent.session_id);
    }
    if (reply.ok()) renew(sent.session_id, sent.lease, now);
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

void DeliveryWitness::told(const SentTurn& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply) || !reply.ok()) return;
    if (sent.edge == ports::TurnEdge::start) return renew(sent.session_id, base::limits::lease_default, now);
    for (const std::string& key : sent.acknowledged) {
        const Followed* const known = book_.find_named(sent.session_id, key);
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
    if (sent.status == ports::ToolCallStatus::pending && is_external) {
        const Followed* const handled =
            sent.handling.empty() ? nullptr : book_.find_named(sent.session_id, sent.handling);
        for (const base::Uuid& id : book_.held(sent.session_id)) {
            const model::Notification& row = book_.find(id)->row;
            const bool is_own_matter = expected::is_spoken(row) && row.target == model::Target::agent;
            if (!is_own_matter || (handled != nullptr && handled->row.id != row.id)) continue;
            predict(id, [&](Followed& one) { expected::promote(one.row, now, sent.tool_name, one.steps); });
        }
    }
    renew(sent.session_id, base::limits::lease_default, now);
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

void DeliveryWitness::published(const engine::Effects& effects) {
    const auto sure = [&](const base::Uuid& id) {
        const Followed* const one = book_.find(id);
        return one != nullptr && is_sure(*one);
    };
    if (effects.figures.notifications_gave_way > 0) is_blurred_ = true;
    const auto is_made = [&](const base::Uuid& id) {
        const model::Notification& row = book_.find(id)->row;
        return row.emitter.empty() && !row.retry_of;
    };
    inboxes_.published(effects, sure, is_made, complaints_);
}

void DeliveryWitness::restarted() {
    inboxes_.all_closed();
}

void DeliveryWitness::erased(const std::string& user) {
    erased_.insert(user);
    deleted_.clear();  // their names may be given again
}

}  // namespace belfry::sim
