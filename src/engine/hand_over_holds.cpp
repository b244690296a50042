#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "engine/find_notification.hpp"
#include "engine/hand_over.hpp"
#include "engine/hold.hpp"
#include "model/handle.hpp"
#include "rules/delivery.hpp"
#include "rules/delivery_wake.hpp"
#include "rules/route.hpp"

// Which of the notifications that a session holds its caller may act on, and what an EXTERNAL tool makes of them
// (docs/decisions/0019).
namespace belfry::engine {
namespace {

// A notification of the session's user that another session has by now, named by its id.
base::Result<std::optional<model::Notification>> find_lost(const model::Session& session, const std::string& key,
                                                           Unit& unit) {
    using Found = std::optional<model::Notification>;
    const auto id = base::parse_uuid(key);
    if (!id) return Found{};
    TRY_ASSIGN(Found row, unit.store.notifications().find(model::NotificationId{*id}));
    const bool is_elsewhere = row && row->scope.user_id == session.user_id && !row->handed_to.empty();
    return is_elsewhere ? std::move(row) : Found{};
}

bool has_tool(const model::Notification& row, const std::string& tool) {
    return std::ranges::find(row.used_tools, tool) != row.used_tools.end();
}

// True if the agent may decide about it, or might until it used an EXTERNAL tool.
bool is_decision(const model::Notification& row) {
    return row.handler == model::Handler::agent && (row.target == model::Target::agent || !row.used_tools.empty());
}

}  // namespace

base::Result<base::Result<void>> HandOver::check_leases(const model::Session& session, const rules::HoldProof& proof,
                                                        Unit& unit) {
    using Allowed = base::Result<void>;
    for (const rules::NamedLease& one : proof.leases) {
        TRY_ASSIGN(auto row, find_notification(session.id, one.key, unit));
        const bool is_known = row.has_value();
        if (!is_known) {
            TRY_ASSIGN(row, find_lost(session, one.key, unit));
        }
        const bool has_left = !is_known && (row || is_handle_of(session, one.key));
        const bool is_stale = is_known && row->handed_to == session.id && row->lease != one.lease;
        if (has_left || is_stale) return Allowed(not_holder(rules::Hold::stale, one.key));
    }
    return Allowed{};
}

base::Result<base::Result<void>> HandOver::check_end(const model::Session& session, const rules::HoldProof& proof,
                                                     std::span<const ports::Named> named, Unit& unit) {
    using Allowed = base::Result<void>;
    TRY_ASSIGN(Allowed are_here, check_leases(session, proof, unit));
    if (!are_here.ok()) return are_here;
    for (const ports::Named& one : named) {
        TRY_ASSIGN(auto row, find_notification(session.id, one.key, unit));
        if (!row) continue;  // misquoted
        const bool is_stale = one.lease && (row->handed_to != session.id || row->lease != *one.lease);
        if (is_stale) return Allowed(not_holder(rules::Hold::stale, one.key));
        const bool is_open = row->state == model::DeliveryState::locked && row->narration.empty();
        if (row->handed_to != session.id || !is_open) continue;
        const rules::Hold hold = rules::judge_hold(*row, proof, session.progress.pulls);
        const bool is_refused = hold == rules::Hold::stale || hold == rules::Hold::unnamed;
        if (is_refused) return Allowed(not_holder(hold, one.key));
        if (one.version && *one.version != row->version) {
            return Allowed(base::error(base::Code::conflict,
                                       "the content of " + one.key + " has changed since it was pulled", "version",
                                       "stale_version"));
        }
    }
    // The end of a guest's turn touches nothing of what others hold.
    if (proof.is_guest) return Allowed{};
    TRY_ASSIGN(const std::vector<model::Notification> held, unit.store.notifications().held_by_session(session.id));
    const model::Notification* of_another = nullptr;
    rules::Hold refusal = rules::Hold::proven;
    for (const model::Notification& row : held) {
        if (!rules::route(row).starts_turn) continue;  // passive context that is not the caller's waits for its lease
        if (!rules::may_be_own(row, proof, session.progress.pulls)) continue;  // a guest ends its own turn
        const rules::Hold hold = rules::judge_hold(row, proof, session.progress.pulls);
        if (hold == rules::Hold::proven || hold == rules::Hold::not_arrived) return Allowed{};
        refusal = hold;
        of_another = &row;
    }
    return of_another == nullptr ? Allowed{} : Allowed(not_holder(refusal, model::handle_text(of_another->handle)));
}

base::Result<HandOver::Renewed> HandOver::renew(model::Session& session, std::optional<base::Duration> lease,
                                                const rules::HoldProof& proof, Unit& unit) {
    ports::NotificationTable& table = unit.store.notifications();
    TRY_ASSIGN(std::vector<model::Notification> held, table.leases_of_session(session.id));
    Renewed renewed;
    // A notification of another principal counts only if the caller takes it for its own.
    std::vector<model::PullLink>& pulls = session.progress.pulls;
    const bool is_foreign_pull = proof.pull_id && rules::knows_pull(pulls, *proof.pull_id) &&
                                 !rules::may_be_own_pull(pulls, *proof.pull_id, proof);
    std::erase_if(held, [&](const model::Notification& row) {
        const auto names_row = [&](const rules::NamedLease& named) { return rules::is_named(row, named.key); };
        const bool is_named = is_foreign_pull || std::ranges::any_of(proof.leases, names_row);
        return !is_named && !rules::may_be_own(row, proof, pulls);
    });
    renewed.held = std::ssize(held);
    std::erase_if(held, [&](const model::Notification& row) {
        const rules::Hold hold = rules::judge_hold(row, proof, session.progress.pulls);
        if (hold == rules::Hold::proven) return false;
        renewed.refusal = hold;
        return true;
    });
    const bool has_words = rules::has_words(pulls, proof.by);
    if (held.empty() && !has_words && (renewed.held > 0 || proof.is_visitor)) return renewed;  // another one's turn
    const base::Duration until = lease.value_or(session.progress.lease);
    renewed.lease = until;
    renewed.has_words = has_words;
    if (!proof.is_beside) hear_turn(session, until, unit);
    TRY(renew_words(session, proof, until, unit));
    for (model::Notification& row : held) {
        const rules::Refusal refusal = rules::renew(row, unit.now, row.lease, until);
        ASSERT(refusal == rules::Refusal::none);  // the store gave it as held
    }
    if (held.empty()) return renewed;
    TRY_ASSIGN(renewed.renewed, table.renew(held));
    if (renewed.renewed != std::ssize(held)) return not_holder(rules::Hold::stale, {});
    return renewed;
}

void HandOver::hear_turn(model::Session& session, base::Duration lease, Unit& unit) {
    if (lease != session.progress.lease) {
        session.progress.lease = lease;
        sessions_.touch(session);
    }
    user_messages_.hear(session, unit);
}

base::Result<void> HandOver::renew_words(model::Session& session, const rules::HoldProof& proof, base::Duration lease,
                                         Unit& unit) {
    const auto own = rules::pulls_with_words(session.progress.pulls, proof);
    if (!own) return user_messages_.renew(session.id, std::nullopt, lease, unit);
    for (const model::PullLink* const link : *own) {
        TRY(user_messages_.renew(session.id, link->pull, lease, unit));
    }
    return {};
}

base::Result<base::Result<void>> HandOver::use_external_tool(const model::Session& session, const ToolUse& use,
                                                             const rules::HoldProof& proof, Unit& unit) {
    using Allowed = base::Result<void>;
    TRY_ASSIGN(std::vector<model::Notification> held, unit.store.notifications().held_by_session(session.id));
    std::erase_if(held, [](const model::Notification& row) { return !rules::route(row).starts_turn; });
    std::optional<model::Notification> named;
    if (!use.handling.empty()) {
        TRY_ASSIGN(named, find_notification(session.id, use.handling, unit));
        if (!named) {
            TRY_ASSIGN(auto lost, find_lost(session, use.handling, unit));
            const bool is_lost = lost || is_handle_of(session, use.handling);
            if (is_lost && use.is_pending) return Allowed(not_holder(rules::Hold::stale, use.handling));
            if (lost && !use.is_known) TRY(tell_effect(*lost, use.tool, unit));
            if (is_lost && !lost && !use.is_known) TRY(tell_effect_alone(session.user_id, use.tool, unit));
            if (is_lost) return Allowed{};
        }
        const bool is_passive =
            named && named->handler == model::Handler::system && named->target == model::Target::agent;
        if (named && (named->handed_to != session.id || is_passive)) named.reset();
    }
    const auto is_it = [&](const model::Notification& row) { return named && row.id == named->id; };
    // The tool is about a notification that is not the caller's own only if the caller names it.
    std::erase_if(
        held, [&](const auto& row) { return !rules::may_be_own(row, proof, session.progress.pulls) && !is_it(row); });
    const bool is_named_held = std::ranges::any_of(held, is_it);
    if (is_named_held) std::erase_if(held, [&](const auto& row) { return !is_it(row); });
    else if (named) {
        // The notification has ended, or was released: the user learns of the tool by that one alone.
        if (!use.is_known) TRY(tell_effect(*named, use.tool, unit));
        return Allowed{};
    }
    if (held.empty() && !use.is_known) {
        for (const base::Uuid& id : rules::decided_in_turn(session.progress, proof)) {
            TRY_ASSIGN(auto ended, unit.store.notifications().find(model::NotificationId{id}));
            if (ended) TRY(tell_effect(*ended, use.tool, unit));
        }
        return Allowed{};
    }
    std::vector<model::Notification> others;
    rules::Hold refusal = rules::Hold::proven;
    bool is_recorded = false;
    for (model::Notification& row : held) {
        const rules::Hold hold = rules::judge_hold(row, proof, session.progress.pulls);
        if (hold == rules::Hold::stale || hold == rules::Hold::unnamed) {
            refusal = hold;
            others.push_back(std::move(row));
            continue;
        }
        const std::int64_t before = row.lease;
        rules::Steps steps;
        if (!rules::promote(row, unit.now, use.tool, steps)) continue;
        TRY(ledger_.change(row, before, std::move(steps), "belfry", unit));
        is_recorded = true;
    }
    const bool is_refused = !others.empty() && others.size() == held.size();
    if (is_refused && use.is_pending) {
        return Allowed(not_holder(refusal, model::handle_text(others.front().handle)));
    }
    if (is_recorded || use.is_known) return Allowed{};
    // The tool has run, or runs now: the user is told by a decision that another runtime holds, and that stays its own.
    const auto decision = std::ranges::find_if(others, is_decision);
    if (decision != others.end()) TRY(tell_effect(*decision, use.tool, unit));
    return Allowed{};
}

base::Result<bool> HandOver::promote(const std::string& session_id, const std::string& tool, Unit& unit) {
    TRY_ASSIGN(std::vector<model::Notification> held, unit.store.notifications().held_by_session(session_id));
    bool is_named = false;
    for (model::Notification& row : held) {
        const std::int64_t before = row.lease;
        rules::Steps steps;
        const bool is_new = rules::promote(row, unit.now, tool, steps);
        is_named = is_named || has_tool(row, tool);
        if (is_new) TRY(ledger_.change(row, before, std::move(steps), "belfry", unit));
    }
    return is_named;
}

base::Result<bool> HandOver::is_named_by(const model::NotificationId& id, const std::string& tool, Unit& unit) {
    TRY_ASSIGN(const auto row, unit.store.notifications().find(id));
    return row && has_tool(*row, tool) && rules::is_for_eyes(*row);
}

base::Result<bool> HandOver::promote_row(const model::NotificationId& id, const std::string& tool, Unit& unit) {
    TRY(ledger_.settle(unit));
    TRY_ASSIGN(auto row, unit.store.notifications().find(id));
    if (!row) return false;
    if (model::is_terminal(row->state)) {
        // The item of the notification that it was told with names the tool.
        TRY_ASSIGN(const std::int64_t told_with,
                   unit.store.notifications().count_steps(id, rules::step_reason::told_with));
        return told_with > 0 ? base::Result<bool>(false) : tell_effect(*row, tool, unit);
    }
    const model::Notification before = *row;
    rules::Steps steps;
    if (!rules::promote(*row, unit.now, tool, steps)) return has_tool(*row, tool);
    if (rules::route(*row).to_interface) {
        TRY(ledger_.tell_update(*row, before, std::move(steps), unit));
        return true;
    }
    const bool is_held = row->state == model::DeliveryState::locked && !row->holder.empty();
    if (!is_held) (void)rules::give_to_user(*row, unit.now, {}, steps, rules::step_reason::promoted);
    TRY(ledger_.change(*row, before.lease, std::move(steps), "belfry", unit));
    return true;
}

// The user learns of an EXTERNAL tool that was used for a notification that nobody holds any more, or another one than
// the caller: by the next version of an item that is still open, else by a notice of its own. Returns false if the user
// needs no item for it.
base::Result<bool> HandOver::tell_effect(model::Notification& row, const std::string& tool, Unit& unit) {
    const bool is_passive = row.handler == model::Handler::system && row.target == model::Target::agent;
    // Nor is a row that must be told from the start an internal turn.
    bool is_for_user =
        row.handler == model::Handler::agent && row.target == model::Target::user && row.used_tools.empty();
    if (is_for_user) {
        TRY_ASSIGN(const std::int64_t raised,
                   unit.store.notifications().count_steps(row.id, rules::step_reason::promoted));
        is_for_user = raised == 0;
    }
    if (is_passive || is_for_user) return false;
    if (has_tool(row, tool) && rules::is_for_eyes(row)) return true;
    const model::Notification before = row;
    rules::Steps steps;
    if (rules::route(row).to_interface && rules::promote(row, unit.now, tool, steps)) {
        TRY(ledger_.tell_update(row, before, std::move(steps), unit));
        return true;
    }
    NewNotification notice;
    notice.notification = rules::effect_notice(row, tool);
    notice.source = "Belfry";
    notice.user_is_named = true;
    TRY_ASSIGN(auto open,
               unit.store.notifications().find_key(row.scope.user_id, notice.notification.deduplication_key));
    const bool is_extended =
        open && (open->state == model::DeliveryState::pending || open->state == model::DeliveryState::dispatched);
    if (!is_extended) {
        TRY(ledger_.add_now(std::move(notice), unit));
        return true;
    }
    const model::Notification told = *open;
    if (rules::extend_notice(*open, tool)) TRY(ledger_.tell_update(*open, told, {}, unit));
    return true;
}

// The same where only the handle is known, and the notification has left the session.
base::Result<void> HandOver::tell_effect_alone(const std::string& user, const std::string& tool, Unit& unit) {
    model::Notification left;
    left.scope.user_id = user;
    left.address = model::Address::user;
    left.text = "An agent acted on a notification";
    NewNotification notice;
    notice.notification = rules::effect_notice(left, tool);
    notice.notification.caused_by.reset();
    notice.notification.deduplication_key.clear();
    notice.notification.depth = 0;
    notice.source = "Belfry";
    notice.user_is_named = true;
    TRY(ledger_.add_now(std::move(notice), unit));
    return {};
}

void HandOver::note_decided(model::Session& session, const model::Notification& row, const rules::HoldProof& proof) {
    if (row.handler != model::Handler::agent || row.target != model::Target::agent) return;
    rules::note_decided(session.progress, row.id.uuid, proof);
    sessions_.touch(session);
}

// The model has named the row, and the turn ends.
base::Result<void> HandOver::acknowledge_told(model::Notification& row, model::Session& session,
                                              const rules::HoldProof& proof, Unit& unit) {
    const std::string by(proof.by);
    const bool is_told = rules::is_told_by_message(row, session.progress);
    if (!rules::must_tell(row) || is_told) {
        TRY(acknowledge_one(row, rules::Voice::model, by, unit));
        note_decided(session, row, proof);
        return {};
    }
    const std::int64_t before = row.lease;
    rules::Steps steps;
    if (rules::ended_untold(row, unit.now, by, steps) != rules::Refusal::none) return {};
    return ledger_.change(row, before, std::move(steps), by, unit);
}

}  // namespace belfry::engine
