#include <algorithm>

#include "sim/delivery_witness.hpp"

// What holders say and do, and what of it counts: only they may act on what they hold.
namespace belfry::sim {
namespace {

template <class S>
Proof proof_of(const S& sent) {
    return {runtime_principal(sent.session_id, sent.as_agent).id, sent.pull_id, sent.leases};
}

Proof proof_of(const SentTurn& sent) {
    Proof proof{runtime_principal(sent.session_id, sent.as_agent).id, sent.pull_id, sent.leases};
    for (const ports::Named& named : sent.acknowledged) {
        if (named.lease) proof.leases.push_back(named);
    }
    return proof;
}

bool is_about_leases(const base::Error& error) {
    return error.reason == "stale_lease" || error.reason == "no_lease" || error.reason == "stale_version";
}

}  // namespace

Right DeliveryWitness::right_over(const Followed& one, const Proof& proof) const {
    const auto seat = seats_.find(one.row.handed_to);
    return seat == seats_.end() ? Right::none : seat->second.right_over(one.row, proof);
}

DeliveryWitness::Holding DeliveryWitness::holding(const std::string& session, const Proof& proof) const {
    Holding holding;
    holding.all = book_.held(session);
    holding.is_sure = is_all_sure();
    for (const base::Uuid& id : holding.all) {
        const Followed& one = *book_.find(id);
        const Right right = right_over(one, proof);
        if (right == Right::holds) holding.own.push_back(id);
        else if (right == Right::not_arrived) holding.not_arrived.push_back(id);
        holding.is_sure = holding.is_sure && is_sure(one);
    }
    return holding;
}

// Whoever names nothing is told that he has to.
bool DeliveryWitness::is_refused_rightly(const base::Error& error, const Proof& proof) {
    if (!is_about_leases(error)) return false;
    if (!proof.names_something() && error.reason == "stale_lease") {
        complain("a caller that named nothing has an old lease");
    }
    return true;
}

DeliveryWitness::Naming DeliveryWitness::naming(const std::string& session, const Proof& proof,
                                                base::Timestamp now) const {
    Naming said;
    for (const ports::Named& named : proof.leases) {
        if (!named.lease) continue;
        const Followed* const one = book_.find_named(session, named.key);
        const Followed* const lost = one == nullptr ? find_lost(session, named.key) : nullptr;
        const Followed* const known = one != nullptr ? one : lost;
        // A handle that nobody has may be one of a notification that has left the session.
        if (known == nullptr) said.is_sure = said.is_sure && base::parse_uuid(named.key).has_value();
        else said.is_sure = said.is_sure && is_sure(*known) && !may_be_gone(known, now);
        if (lost != nullptr) said.is_sure = said.is_sure && knows_user(session);
        const bool is_old = one != nullptr && one->row.handed_to == session && one->row.lease != *named.lease;
        said.is_stale = said.is_stale || lost != nullptr || is_old;
    }
    return said;
}

// True if the witness knows whose session this is.
bool DeliveryWitness::knows_user(const std::string& session) const {
    const auto seat = seats_.find(session);
    return seat != seats_.end() && !seat->second.user.empty();
}

// A notification of the session's user that another session has by now, called by its id. A session of which the
// witness has heard nothing yet may be any user's.
const Followed* DeliveryWitness::find_lost(const std::string& session, const std::string& key) const {
    const auto id = base::parse_uuid(key);
    const Followed* const one = id ? book_.find(*id) : nullptr;
    if (one == nullptr || one->row.handed_to.empty()) return nullptr;
    const bool may_be_its = !knows_user(session) || seats_.at(session).user == one->row.scope.user_id;
    return may_be_its ? one : nullptr;
}

void DeliveryWitness::told(const SentNarrate& sent, const base::Result<model::Notification>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    const Followed* const known = book_.find(sent.id);
    const bool is_open = known != nullptr && known->row.state == State::locked && expected::must_be_told(known->row) &&
                         (!sent.version || *sent.version == known->row.version);
    const Proof proof{admin_principal().id, sent.pull_id, {}};
    const bool is_holder =
        is_open && (sent.lease ? *sent.lease == known->row.lease : right_over(*known, proof) == Right::holds);
    if (!agrees(reply.ok(), is_open && is_holder, known, now, "a narration")) return;
    if (known == nullptr) return learn(*reply);
    predict(sent.id, [&](Followed& one) {
        if (!is_open) return;
        expected::narrate(one.row, now, admin_principal().id, sent.words, one.steps);
        send_to_user(one, now);
    });
    settle(sent.id, *reply, "its narration");
}

// Only what is the caller's stays in its hands. Where all of it is another one's, the caller does not set the session's
// time, unless it holds messages of the user.
void DeliveryWitness::renew(const std::string& session, const std::optional<base::Duration>& lease, const Proof& proof,
                            base::Timestamp now) {
    const Holding held = holding(session, proof);
    Seat& seat = seats_[session];
    const bool is_others = held.own.empty() && !held.all.empty();
    if (is_others) {
        seat.is_lease_sure = seat.is_lease_sure && held.is_sure && !seat.had_messages.contains(proof.by);
        return;
    }
    seat.is_lease_sure = held.is_sure;
    seat.lease = lease.value_or(seat.lease);
    for (const base::Uuid& id : held.own) {
        predict(id, [&](Followed& one) { expected::renew(one.row, now, seat.lease); });
    }
}

void DeliveryWitness::told(const SentHeartbeat& sent, const base::Result<ports::HeartbeatReply>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    const bool is_gone = !reply.ok() && reply.error().code == base::Code::gone;
    if (is_gone && ever_deleted_.contains(sent.session_id)) return;
    const Proof proof = proof_of(sent);
    const Holding held = holding(sent.session_id, proof);
    const Naming named = naming(sent.session_id, proof, now);
    const bool is_anothers = named.is_stale || (held.own.empty() && !held.all.empty());
    if (!named.is_sure && !reply.ok()) return;
    if (!reply.ok()) {
        const bool is_of_leases = is_refused_rightly(reply.error(), proof);
        if (held.is_sure && (is_of_leases ? !is_anothers : !held.all.empty())) {
            complain("a heartbeat in " + sent.session_id + " was refused to its holder: " + reply.error().message);
        }
        return;
    }
    if (held.is_sure && named.is_sure && (is_anothers || reply->renewed != std::ssize(held.own))) {
        complain(std::to_string(reply->renewed) + " leases were renewed, of " + std::to_string(held.own.size()) +
                 " that the caller holds in " + sent.session_id);
    }
    renew(sent.session_id, sent.lease, proof, now);
    Seat& seat = seats_[sent.session_id];
    if (!seat.is_lease_sure && reply->lease_until) seat.lease = *reply->lease_until - now;
    if (reply->lease_until && *reply->lease_until != now + seat.lease && knows_seats()) {
        complain("a heartbeat in " + sent.session_id + " was promised another time than its session asked for");
    }
}

// How many stay in another one's hands.
std::int64_t DeliveryWitness::end_turn(const std::string& session, const Proof& proof, base::Timestamp now) {
    Seat& seat = seats_[session];
    std::int64_t others = 0;
    for (const base::Uuid& id : book_.held(session)) {
        const Right right = right_over(*book_.find(id), proof);
        if (right == Right::none) {
            ++others;
            continue;
        }
        predict(id, [&](Followed& one) {
            if (one.row.answered_at) return name_done(one, seat, proof.by, now);
            const bool has_arrived = right == Right::holds && !(seat.has_named && seat.is_unnamed(one.row.pull_id));
            if (!has_arrived && !expected::must_be_told(one.row)) {
                expected::let_go(one.row, now, "not_arrived", one.steps);
            } else {
                if (expected::is_decision(one.row)) seat.note_decided(id, is_sure(one));
                expected::end_turn(one.row, now, one.steps);
            }
            if (one.row.state == State::escalated) send_to_user(one, now);
        });
        touch(id);
    }
    seat.forget_pulls();
    seat.spoken.erase(proof.by);
    return others;
}

void DeliveryWitness::judge_seat(const std::string& session, const model::Progress& progress) {
    Seat& seat = seats_[session];
    if (!is_all_sure() || !seat.is_lease_sure) seat.lease = progress.lease;
    seat.is_lease_sure = true;
    const bool is_same =
        progress.in_turn == seat.in_turn && progress.turn_pulled == seat.turn_pulled && progress.lease == seat.lease;
    if (is_same || !knows_seats()) return;
    const auto told = [](bool in_turn, bool pulled, base::Duration lease) {
        return std::string(in_turn ? "begun" : "not begun") + (pulled ? ", pulled, " : ", not pulled, ") +
               base::format_duration(lease);
    };
    complain("the turn of " + session + " is " + told(progress.in_turn, progress.turn_pulled, progress.lease) +
             ", and was foretold as " + told(seat.in_turn, seat.turn_pulled, seat.lease));
}

// Whoever names one under a lease that does not hold, or what is another one's, is refused, whole. So is whoever ends
// the turn of another one.
bool DeliveryWitness::is_turn_taken(const SentTurn& sent, const base::Result<ports::ReportReply>& reply,
                                    base::Timestamp now) {
    if (!reply.ok() && !is_about_leases(reply.error())) return false;  // another witness's matter
    const Proof proof = proof_of(sent);
    bool should_be = true;
    bool can_know = is_all_sure() && !ever_deleted_.contains(sent.session_id);
    for (const ports::Named& named : sent.acknowledged) {
        const Followed* const one = book_.find_named(sent.session_id, named.key);
        const bool may_be_lost = one == nullptr && named.lease;  // without a lease it is a misquotation
        if (const Followed* const lost = may_be_lost ? find_lost(sent.session_id, named.key) : nullptr) {
            should_be = false;
            can_know = can_know && is_sure(*lost) && !may_be_gone(lost, now) && knows_user(sent.session_id);
        }
        if (one == nullptr) continue;
        const bool is_here = one->row.handed_to == sent.session_id;
        if (named.lease && (!is_here || one->row.lease != *named.lease)) should_be = false;
        if (is_here && one->row.state == State::locked && !expected::is_shown(one->row)) {
            if (right_over(*one, proof) == Right::none) should_be = false;
            if (named.version && *named.version != one->row.version) should_be = false;
        }
        can_know = can_know && is_sure(*one) && !may_be_gone(one, now);
    }
    const Holding held = holding(sent.session_id, proof);
    // Passive context is nobody's turn: whoever holds it may neither be kept from ending his turn nor end another's.
    const auto is_answered = [&](const base::Uuid& id) { return expected::is_spoken(book_.find(id)->row); };
    const bool is_anothers = std::ranges::any_of(held.all, is_answered) &&
                             std::ranges::none_of(held.own, is_answered) &&
                             std::ranges::none_of(held.not_arrived, is_answered);
    if (sent.edge == ports::TurnEdge::end) {
        const Naming said = naming(sent.session_id, proof, now);
        should_be = should_be && !is_anothers && !said.is_stale;
        can_know = can_know && held.is_sure && said.is_sure;
    } else {
        should_be = true;
    }
    if (reply.ok() != should_be && can_know) {
        complain("the report of a turn in " + sent.session_id +
                 (should_be ? " was refused though its leases hold: " + reply.error().message
                            : " was taken from one who does not hold it"));
    }
    if (!reply.ok() && sent.acknowledged.empty()) is_refused_rightly(reply.error(), proof);
    return reply.ok();
}

void DeliveryWitness::told(const SentTurn& sent, const base::Result<ports::ReportReply>& reply, base::Timestamp now) {
    if (is_out_of_reach(reply) || !is_turn_taken(sent, reply, now)) return;
    Seat& seat = seats_[sent.session_id];
    const Proof proof = proof_of(sent);
    if (sent.pull_id) seat.name(*sent.pull_id);
    if (sent.edge == ports::TurnEdge::start) {
        if (seat.in_turn || !seat.turn_pulled) seat.begin_turn(proof.by);
        if (seat.in_turn) {
            let_go(sent.session_id, "turn_lost", now);
            seat.forget_pulls();
            seat.spoken.clear();
            seat.turn_pulled = false;
        }
        seat.in_turn = true;
        renew(sent.session_id, sent.lease, proof, now);
        return judge_seat(sent.session_id, reply->progress);
    }
    const bool can_know = holding(sent.session_id, proof).is_sure;
    seat.in_turn = seat.turn_pulled = false;
    judge_seat(sent.session_id, reply->progress);
    for (const ports::Named& named : sent.acknowledged) {
        const Followed* const known = book_.find_named(sent.session_id, named.key);
        const bool is_held =
            known != nullptr && known->row.state == State::locked && known->row.handed_to == sent.session_id;
        if (!is_held) continue;
        predict(known->row.id.uuid, [&](Followed& one) { name_done(one, seat, proof.by, now); });
    }
    const std::int64_t others = end_turn(sent.session_id, proof, now);
    if (can_know && std::ssize(reply->stale) != others) {
        complain("the end of a turn in " + sent.session_id + " left " + std::to_string(reply->stale.size()) +
                 " to others, not " + std::to_string(others));
    }
}

void DeliveryWitness::expect_effect(const base::Uuid& id, const std::string& tool) {
    ever_effects_.emplace(id, tool);
    effects_.emplace(id, tool);
}

// Nobody holds it any more, or another one: what the person has of it names the tool, or he gets a notice.
void DeliveryWitness::tell_effect(const base::Uuid& id, const std::string& tool, base::Timestamp now) {
    const Followed* const known = book_.find(id);
    if (known == nullptr || expected::is_passive(known->row)) return;
    if (expected::is_for_user_from_the_start(known->row)) return;
    expect_effect(id, tool);
    const bool is_open = !model::is_terminal(known->row.state);
    if (is_open && expected::is_shown(known->row)) {
        return predict(id, [&](Followed& one) {
            if (expected::promote(one.row, now, tool, one.steps)) tell_sent(one.row);
        });
    }
    inboxes_.awareness().published({}, 0, known->row.text + " (tool used: " + tool + ")");
    blur_notice(id);
}

// A notice about it that is still open may say more from now on.
void DeliveryWitness::blur_notice(const base::Uuid& id) {
    const Followed* const known = book_.find(id);
    if (known == nullptr) return;
    const std::string key = "belfry:effect:" + base::format_uuid(id);
    if (const Followed* const notice = book_.under_key(known->row.scope.user_id, key)) {
        book_.change(notice->row.id.uuid, [](Followed& one) { one.is_sure = one.knows_steps = false; });
    }
}

// The tool may have been used for this notification or for another one.
void DeliveryWitness::may_have_effect(const base::Uuid& id, const std::string& tool) {
    ever_effects_.emplace(id, tool);
    blur_notice(id);
    if (book_.find(id) == nullptr) return;
    book_.change(id, [](Followed& one) { one.is_sure = one.knows_steps = false; });
}

// What a tool with outside effects makes of what the agent has in hand. False: it is refused, for the tool has not run
// yet and the caller holds nothing of what it would be for.
bool DeliveryWitness::use_tool(const SentToolCall& sent, const Proof& proof, bool is_taken, base::Timestamp now) {
    const Followed* named = sent.handling.empty() ? nullptr : book_.find_named(sent.session_id, sent.handling);
    if (named != nullptr && (named->row.handed_to != sent.session_id || expected::is_passive(named->row)))
        named = nullptr;
    const Followed* const here = sent.handling.empty() ? nullptr : book_.find_named(sent.session_id, sent.handling);
    if (here == nullptr && !sent.handling.empty()) {
        if (const Followed* const lost = find_lost(sent.session_id, sent.handling)) {
            if (sent.status == ports::ToolCallStatus::pending) return false;
            if (is_taken) tell_effect(lost->row.id.uuid, sent.tool_name, now);
            return true;
        }
        // A handle whose notification is gone: the user learns of a tool that has run by a notice of its own.
        if (seats_[sent.session_id].has_given(sent.handling)) return sent.status != ports::ToolCallStatus::pending;
    }
    DeliveryBook::Ids about = book_.held(sent.session_id);
    std::erase_if(about, [&](const base::Uuid& id) { return !expected::is_spoken(book_.find(id)->row); });
    const bool is_in_hand = named != nullptr && std::ranges::find(about, named->row.id.uuid) != about.end();
    if (is_in_hand) about = {named->row.id.uuid};
    // It is about one that has ended, and about no other.
    if (named != nullptr && !is_in_hand) {
        if (is_taken) tell_effect(named->row.id.uuid, sent.tool_name, now);
        return true;
    }
    if (about.empty()) {
        if (!is_taken) return true;
        const std::vector<Seat::Decided> all = seats_[sent.session_id].decided;
        for (const auto& [id, is_certain] : all) {
            if (is_certain) tell_effect(id, sent.tool_name, now);
            else may_have_effect(id, sent.tool_name);
        }
        return true;
    }
    DeliveryBook::Ids own;
    for (const base::Uuid& id : about) {
        if (right_over(*book_.find(id), proof) != Right::none) own.push_back(id);
    }
    if (own.empty() && sent.status == ports::ToolCallStatus::pending) return false;
    if (!is_taken) return true;
    bool is_recorded = false;
    for (const base::Uuid& id : own) {
        if (!expected::is_for_user_from_the_start(book_.find(id)->row)) expect_effect(id, sent.tool_name);
        predict(id, [&](Followed& one) {
            is_recorded = expected::promote(one.row, now, sent.tool_name, one.steps) || is_recorded;
        });
    }
    if (is_recorded) return true;
    // A decision that another runtime holds.
    std::erase_if(about, [&](const base::Uuid& id) {
        return std::ranges::find(own, id) != own.end() || expected::is_for_user_from_the_start(book_.find(id)->row);
    });
    if (about.size() == 1) tell_effect(about.front(), sent.tool_name, now);
    if (about.size() < 2) return true;
    // One of them, whichever it is.
    for (const base::Uuid& id : about) {
        ever_effects_.emplace(id, sent.tool_name);
        inboxes_.awareness().published({}, 0, book_.find(id)->row.text + " (tool used: " + sent.tool_name + ")");
        blur_notice(id);
    }
    return true;
}

void DeliveryWitness::told(const SentToolCall& sent, const base::Result<ports::ReportReply>& reply,
                           base::Timestamp now) {
    if (is_out_of_reach(reply)) return;
    if (!reply.ok() && !is_about_leases(reply.error())) return;
    const Proof proof = proof_of(sent);
    const auto tool = tools_.find(sent.tool_name);
    const bool is_external = tool == tools_.end() || tool->second == model::Impact::external;
    const Followed* const named = sent.handling.empty() ? nullptr : book_.find_named(sent.session_id, sent.handling);
    const Followed* const lost =
        named == nullptr && !sent.handling.empty() ? find_lost(sent.session_id, sent.handling) : nullptr;
    const auto is_known = [&](const Followed* one) {
        return one == nullptr || (is_sure(*one) && !may_be_gone(one, now));
    };
    const bool can_know = holding(sent.session_id, proof).is_sure && is_known(named) && is_known(lost) &&
                          (lost == nullptr || knows_user(sent.session_id));
    if (is_external && !can_know && reply.ok()) {
        // It may be about any of them.
        std::set<base::Uuid> all;
        for (const base::Uuid& id : book_.held(sent.session_id)) all.insert(id);
        for (const Seat::Decided& one : seats_[sent.session_id].decided) all.insert(one.id);
        for (const Followed* const one : {named, lost}) {
            if (one != nullptr) all.insert(one->row.id.uuid);
        }
        for (const base::Uuid& id : all) may_have_effect(id, sent.tool_name);
    } else if (is_external) {
        const bool should_be = use_tool(sent, proof, reply.ok(), now);
        if (can_know && should_be != reply.ok()) {
            complain(std::string("the use of ") + sent.tool_name + " in " + sent.session_id +
                     (should_be ? " was refused to its holder" : " was taken from one who holds nothing of it"));
        }
    } else if (!reply.ok() && can_know) {
        complain("the use of an internal tool was refused: " + reply.error().message);
    }
    if (!reply.ok()) {
        if (sent.handling.empty()) is_refused_rightly(reply.error(), proof);
        return;
    }
    if (sent.pull_id) seats_[sent.session_id].name(*sent.pull_id);
    renew(sent.session_id, std::nullopt, proof, now);
    judge_seat(sent.session_id, reply->progress);
}

}  // namespace belfry::sim
