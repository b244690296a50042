#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "engine/awareness.hpp"
#include "engine/find_notification.hpp"
#include "engine/hand_over.hpp"
#include "model/handle.hpp"
#include "rules/delivery.hpp"
#include "rules/may_wake.hpp"
#include "rules/route.hpp"
#include "rules/step_reason.hpp"

// What of a hand-over has arrived, and what becomes of the rest when the turn goes on, begins anew or ends
// (docs/decisions/0013).
namespace belfry::engine {
namespace {

bool is_among(const std::vector<base::Uuid>& pulls, const std::optional<base::Uuid>& pull) {
    return pull && std::ranges::find(pulls, *pull) != pulls.end();
}

// The turn of the caller is over, or begins anew.
void forget_pulls(model::Progress& progress, const rules::HoldProof& proof) {
    rules::close_open_pull(progress, proof.by);
    rules::forget_spoken(progress, proof.by);
    if (!proof.is_guest) {
        progress.has_named = false;
        progress.unnamed.clear();
        return;
    }
    rules::forget_named(progress, proof.by);
    const rules::HoldProof all{proof.by, std::nullopt, {}, true};
    for (const model::PullLink* const pull : rules::own_pulls(progress.pulls, all)) {
        std::erase(progress.unnamed, pull->pull);
    }
}

}  // namespace

base::Result<void> HandOver::name(model::Session& session, const base::Uuid& pull_id, const rules::HoldProof& proof,
                                  Unit& unit) {
    if (!rules::may_be_own_pull(session.progress.pulls, pull_id, proof)) return {};
    TRY(user_messages_.confirm(session.id, pull_id, unit));
    if (session.progress.aware_pull == pull_id) confirm(session);
    std::erase(session.progress.unnamed, pull_id);
    // Another runtime may have begun a turn since; the caller says nothing about that one's pulls.
    const bool is_of_turn = !proof.is_guest && rules::is_latest(session.progress.pulls, pull_id);
    if (is_of_turn) session.progress.has_named = true;
    if (proof.is_guest) rules::note_named(session.progress, proof.by);
    sessions_.touch(session);
    return {};
}

void HandOver::confirm(model::Session& session) {
    if (confirm_awareness(session)) sessions_.touch(session);
}

// A runtime that names the last hand-over it has did not get the others. One that comes to the same point again, and
// has reported nothing since, did not get the last one; but `immediate` may be asked as often as one likes.
base::Result<void> HandOver::free_what_was_lost(const ports::PullNotifications& command, const rules::HoldProof& proof,
                                                model::Session& session, Unit& unit) {
    model::Progress& progress = session.progress;
    const bool may_be_repeated = command.point != model::InjectAt::immediate;
    if (!command.pull_id && proof.is_guest) {
        const model::PullLink* const open = rules::open_pull_of(progress.pulls, proof.by, command.point);
        if (open != nullptr && may_be_repeated) return user_messages_.let_go(session.id, open->pull, unit);
        return {};
    }
    if (!command.pull_id) {
        const auto open = progress.open_pull
                              ? std::ranges::find(progress.pulls, *progress.open_pull, &model::PullLink::pull)
                              : progress.pulls.end();
        const bool is_own = open != progress.pulls.end() && (open->by.empty() || open->by == command.principal.id);
        const bool is_repeated =
            is_own && may_be_repeated && progress.open_point == static_cast<std::int64_t>(command.point);
        if (is_repeated) return user_messages_.let_go(session.id, progress.open_pull, unit);
        return command.point == model::InjectAt::turn_start ? free_own_words(command.principal.id, session, unit)
                                                            : base::Result<void>{};
    }
    if (!rules::may_be_own_pull(progress.pulls, *command.pull_id, proof)) return {};
    TRY(name(session, *command.pull_id, proof, unit));
    // Words of its later pulls did not arrive.
    const auto named = std::ranges::find(progress.pulls, *command.pull_id, &model::PullLink::pull);
    for (auto later = named; later != progress.pulls.end(); ++later) {
        if (later == named || !later->has_words || !rules::may_be_one(*later, *named)) continue;
        TRY(user_messages_.let_go(session.id, later->pull, unit));
        later->has_words = false;
    }
    if (progress.unnamed.empty()) return {};
    TRY_ASSIGN(std::vector<model::Notification> held, unit.store.notifications().held_by_session(session.id));
    for (model::Notification& row : held) {
        const std::int64_t before = row.lease;
        rules::Steps steps;
        // Only of the caller's own chain: another runtime may have taken over since.
        if (rules::judge_hold(row, proof, progress.pulls) != rules::Hold::not_arrived) continue;
        if (!rules::let_go(row, unit.now, rules::step_reason::not_arrived, steps)) continue;
        std::erase(session.progress.unnamed, *row.pull_id);
        TRY(ledger_.change(row, before, std::move(steps), "belfry", unit));
    }
    return {};
}

// A runtime that begins a turn has not received the words of its earlier pulls that no end of turn has confirmed.
// Another process of its token may have ended a turn meanwhile.
base::Result<void> HandOver::free_own_words(const std::string& by, model::Session& session, Unit& unit) {
    for (model::PullLink& link : session.progress.pulls) {
        if (!link.has_words || link.by != by) continue;
        TRY(user_messages_.let_go(session.id, link.pull, unit));
        link.has_words = false;
        sessions_.touch(session);
    }
    return {};
}

base::Result<void> HandOver::free_words(model::Session& session, const rules::HoldProof& proof, Unit& unit) {
    const auto own = rules::pulls_with_words(session.progress.pulls, proof);
    if (!own) return user_messages_.let_go(session.id, std::nullopt, unit);
    for (model::PullLink* const pull : *own) {
        TRY(user_messages_.let_go(session.id, pull->pull, unit));
        pull->has_words = false;
    }
    return {};
}

void HandOver::note_pull(const ports::PullNotifications& command, const ports::PullReply& reply,
                         model::Session& session) {
    model::Progress& progress = session.progress;
    if (!rules::is_guest(command.principal, session)) {
        progress.open_pull = reply.pull_id;
        progress.open_point = static_cast<std::int64_t>(command.point);
    }
    if (!reply.items.empty()) progress.unnamed.push_back(reply.pull_id);
    if (progress.unnamed.size() > base::limits::unnamed_pulls_max) progress.unnamed.erase(progress.unnamed.begin());
    sessions_.touch(session);
}

base::Result<void> HandOver::let_go(model::Session& session, const rules::HoldProof& proof, std::string_view reason,
                                    Unit& unit) {
    sessions_.touch(session);
    if (!proof.is_guest) {
        session.progress.open_pull.reset();
        std::erase_if(session.progress.spoken, [](const model::Spoken& one) { return !one.is_guest; });
    }
    forget_pulls(session.progress, proof);
    TRY(free_words(session, proof, unit));
    TRY_ASSIGN(std::vector<model::Notification> held, unit.store.notifications().held_by_session(session.id));
    for (model::Notification& row : held) {
        if (!rules::may_be_own(row, proof, session.progress.pulls)) continue;
        const std::int64_t lease = row.lease;
        rules::Steps steps;
        if (!rules::let_go(row, unit.now, reason, steps)) continue;
        TRY(ledger_.change(row, lease, std::move(steps), "belfry", unit));
    }
    return {};
}

base::Result<void> HandOver::end_turn(model::Session& session, std::span<const ports::Named> acknowledged,
                                      const rules::HoldProof& proof, ports::ReportReply& reply, Unit& unit) {
    TRY(acknowledge_named(session, acknowledged, proof, reply, unit));
    TRY(settle_held(session, proof, reply, unit));
    // The open point is that of the session's own agent.
    const bool was_pulled_at_end =
        !proof.is_guest && session.progress.open_point == static_cast<std::int64_t>(model::InjectAt::turn_end);
    if (!was_pulled_at_end) TRY(notify_.end_turn(session, unit));
    TRY(settle_pulls(session, proof, unit));
    forget_pulls(session.progress, proof);
    user_messages_.hear(session, unit);
    return user_messages_.after_turn(session, unit);
}

base::Result<void> HandOver::acknowledge_named(model::Session& session, std::span<const ports::Named> named,
                                               const rules::HoldProof& proof, ports::ReportReply& reply, Unit& unit) {
    for (const ports::Named& one : named) {
        TRY_ASSIGN(auto row, find_notification(session.id, one.key, unit));
        // A model that misquotes is no reason to lose the others; what it meant goes the way of the unnamed.
        if (!row || row->handed_to != session.id) {
            reply.unknown.push_back(one.key);
            continue;
        }
        if (row->state != model::DeliveryState::locked) continue;
        TRY(acknowledge_told(*row, session, proof, unit));
    }
    return {};
}

base::Result<void> HandOver::end_visit(model::Session& session, std::span<const ports::Named> acknowledged,
                                       const rules::HoldProof& proof, ports::ReportReply& reply, Unit& unit) {
    TRY(acknowledge_named(session, acknowledged, proof, reply, unit));
    TRY(settle_held(session, proof, reply, unit));
    TRY(settle_pulls(session, proof, unit));
    forget_pulls(session.progress, proof);
    sessions_.touch(session);
    return ask_for_turn(session, unit);
}

// The agent of the session is woken if messages of the user wait for it that a visitor has given back.
base::Result<void> HandOver::ask_for_turn(model::Session& session, Unit& unit) {
    return session.progress.turn_asked ? base::Result<void>{} : user_messages_.after_turn(session, unit);
}

// Confirms the words and facts of the caller's own pulls: all of them if the caller has named no pull in this turn,
// else those of the pulls that it has named. Leaves the pulls of other runtimes as they are.
base::Result<void> HandOver::settle_pulls(model::Session& session, const rules::HoldProof& proof, Unit& unit) {
    model::Progress& progress = session.progress;
    // Another runtime of the session may have begun a turn since. A guest has its own pulls beside those of others.
    if (proof.pull_id && !proof.is_guest && !rules::is_latest(progress.pulls, *proof.pull_id)) return {};
    const bool is_received = !rules::has_named_pull(progress, proof);
    std::vector<model::PullLink*> own = rules::own_pulls(progress.pulls, proof);
    const auto is_aware = [&](const model::PullLink* pull) { return progress.aware_pull == pull->pull; };
    if (is_received && std::ranges::any_of(own, is_aware)) confirm(session);
    std::erase_if(own, [](const model::PullLink* pull) { return !pull->has_words; });
    const auto with_words = std::ranges::count_if(progress.pulls, &model::PullLink::has_words);
    const bool are_all_own = !proof.is_guest && std::ssize(own) == with_words;
    for (model::PullLink* const pull : own) {
        pull->has_words = false;
        if (are_all_own) continue;
        if (is_received) TRY(user_messages_.confirm(session.id, pull->pull, unit));
        else TRY(user_messages_.let_go(session.id, pull->pull, unit));
    }
    if (!are_all_own) return {};
    // Words whose lease has run out are due again.
    return is_received ? user_messages_.confirm_held(session.id, unit)
                       : user_messages_.let_go(session.id, std::nullopt, unit);
}

// Silence about what never came to the agent is neither a veto nor a reading. A notification that must be told is told
// by the system all the same.
base::Result<void> HandOver::settle_held(model::Session& session, const rules::HoldProof& proof,
                                         ports::ReportReply& reply, Unit& unit) {
    const model::Progress& progress = session.progress;
    const std::string by(proof.by);
    TRY_ASSIGN(std::vector<model::Notification> held, unit.store.notifications().held_by_session(session.id));
    for (model::Notification& row : held) {
        if (!rules::may_be_own(row, proof, progress.pulls)) continue;
        const rules::Hold hold = rules::judge_hold(row, proof, progress.pulls);
        if (hold == rules::Hold::stale || hold == rules::Hold::unnamed) {
            reply.stale.push_back(model::handle_text(row.handle));
            continue;
        }
        if (row.answered_at) {
            TRY(acknowledge_told(row, session, proof, unit));
            continue;
        }
        const std::int64_t before = row.lease;
        rules::Steps steps;
        const bool is_unnamed = rules::has_named_pull(progress, proof) && is_among(progress.unnamed, row.pull_id);
        const bool is_lost = (is_unnamed || hold == rules::Hold::not_arrived) && !rules::must_tell(row);
        const bool is_changed = is_lost ? rules::let_go(row, unit.now, rules::step_reason::not_arrived, steps)
                                        : rules::turn_ended(row, unit.now, steps) == rules::Refusal::none;
        if (!is_changed) continue;
        TRY(ledger_.change(row, before, std::move(steps), by, unit));
        if (model::is_terminal(row.state)) note_decided(session, row, proof);
    }
    return {};
}

}  // namespace belfry::engine
