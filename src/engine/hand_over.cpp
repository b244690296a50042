#include "engine/hand_over.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/limits.hpp"
#include "engine/awareness.hpp"
#include "engine/enter_session.hpp"
#include "engine/find_notification.hpp"
#include "engine/hold.hpp"
#include "engine/session_stream.hpp"
#include "engine/summary.hpp"
#include "model/handle.hpp"
#include "rules/delivery.hpp"
#include "rules/delivery_wake.hpp"
#include "rules/due.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/portion.hpp"
#include "rules/route.hpp"
#include "rules/step_reason.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;

// A word that nothing of what it is to enclose holds.
std::string fence_around(const ports::PullReply& reply, ports::Random& random) {
    constexpr std::string_view digits = "0123456789abcdef";
    for (;;) {
        std::string word;
        for (std::uint64_t bits = random.next(), i = 0; i < 12; ++i, bits >>= 4U) word += digits[bits & 15U];
        const auto holds = [&](const std::string& text) { return text.find(word) != std::string::npos; };
        const auto is_in_value = [&](const model::ContextValue& value) {
            return holds(value.content) || holds(value.key.name);
        };
        const bool is_taken = holds(reply.digest) || std::ranges::any_of(reply.context, is_in_value) ||
                              std::ranges::any_of(reply.seen, holds) ||
                              std::ranges::any_of(reply.items, [&](const ports::PulledItem& item) {
                                  return holds(item.notification.content) || holds(item.notification.directive) ||
                                         holds(item.notification.tone_hint);
                              });
        if (!is_taken) return word;
    }
}

bool needs_answer(const model::Notification& row) {
    return rules::route(row).starts_turn;
}

// Those of the named notifications that an agent of the session's user may be given now, in the order of a pull.
base::Result<std::vector<model::Notification>> free_among(std::span<const model::NotificationId> named,
                                                          const model::Session& session, Unit& unit) {
    std::vector<model::Notification> found;
    for (const model::NotificationId& id : named) {
        TRY_ASSIGN(auto row, unit.store.notifications().find(id));
        const bool may_be_given = row && row->scope.user_id == session.user_id && needs_answer(*row) &&
                                  !model::is_terminal(row->state) && rules::is_free(*row, unit.now);
        if (may_be_given) found.push_back(std::move(*row));
    }
    std::ranges::sort(found, {}, [](const model::Notification& row) { return std::tie(row.priority, row.ordinal); });
    if (found.size() > limits::pull_items_max) found.resize(limits::pull_items_max);
    return found;
}

base::Error stale() {
    return not_holder(rules::Hold::stale, {});
}

base::Error stale_version(const std::string& key) {
    return base::error(Code::conflict, "the content of " + key + " has changed since it was pulled", "version",
                       "stale_version");
}

}  // namespace

std::vector<std::type_index> HandOver::handles() const {
    return {typeid(ports::PullNotifications), typeid(ports::Acknowledge), typeid(ports::Heartbeat)};
}

base::Result<void> HandOver::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> HandOver::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<std::string> ids;
    for (const ports::Command* command : commands) {
        if (const auto* pull = dynamic_cast<const ports::PullNotifications*>(command)) ids.push_back(pull->session_id);
        else if (const auto* beat = dynamic_cast<const ports::Heartbeat*>(command)) ids.push_back(beat->session_id);
        else ids.push_back(static_cast<const ports::Acknowledge&>(*command).session_id);
    }
    return sessions_.load(ids, unit);
}

base::Result<void> HandOver::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::PullNotifications*>(&command)) return pull(*wish, unit);
    if (auto* wish = dynamic_cast<ports::Heartbeat*>(&command)) return heartbeat(*wish, unit);
    return acknowledge(static_cast<ports::Acknowledge&>(command), unit);
}

base::Result<void> HandOver::pull(ports::PullNotifications& command, Unit& unit) {
    TRY_ASSIGN(auto entered, enter_session(sessions_, ledger_.owner(), command.principal, command.session_id, unit));
    if (!entered.ok()) {
        command.refuse(std::move(entered).error());
        return {};
    }
    model::Session* const session = *entered;
    ports::PullReply reply;
    const rules::HoldProof proof = proof_of(*session, command.principal, command.pull_id, {}, unit.now);
    if (command.acknowledge) {
        TRY_ASSIGN(reply.acknowledged, acknowledge_pull(*command.acknowledge, *session, proof, unit));
    }
    // Whoever comes to the start of his turn once more has not read what he was handed there, or cannot tell; but for
    // what he names.
    const bool is_start = command.point == model::InjectAt::turn_start;
    const bool is_again = is_start && !proof.is_beside && session->progress.turn_pulled;
    const bool begins_anew = is_again || (is_start && proof.is_guest);
    if (begins_anew && command.pull_id) TRY(name(*session, *command.pull_id, proof, unit));
    if (begins_anew) TRY(let_go(*session, proof, rules::step_reason::pulled_again, unit));
    TRY(free_what_was_lost(command, proof, *session, unit));
    if (proof.is_beside) {
        if (is_start) rules::forget_spoken(session->progress, proof.by);
        if (is_start) rules::forget_decided(session->progress, proof.by);
    } else {
        TRY(begin(command, *session, is_again, unit));
        user_messages_.hear(*session, unit);
    }
    const bool ends_turn_of_another = proof.is_beside && command.point == model::InjectAt::turn_end;
    if (!ends_turn_of_another) TRY(notify_.reach(*session, command.point, unit));
    TRY(ledger_.settle(unit));
    reply.pull_id = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
    // The user said these words to the session's agent, which would not get them any more.
    if (proof.is_visitor) {
        TRY(ask_for_turn(*session, unit));
    } else {
        const std::string agent_id = rules::agent_at_work(command.principal, *session);
        TRY(user_messages_.hand_over(reply, *session, agent_id, command.lease, unit));
    }
    if (command.point == model::InjectAt::turn_start) {
        TRY(add_awareness(reply, *session, command.principal, command.budget_tokens, unit));
    }
    TRY(fill(reply, command, *session, unit));
    const model::Scope scope{session->user_id, session->id, rules::agent_at_work(command.principal, *session)};
    TRY(context_values_.read(command.context, scope, command.budget_tokens, reply, unit));
    note_pull(command, reply, *session);
    const bool is_empty = reply.items.empty() && reply.user_messages.empty() && reply.seen.empty();
    model::PullLink link;
    link.pull = reply.pull_id;
    link.is_empty = is_empty;
    link.has_words = !reply.user_messages.empty();
    link.by = command.principal.id;
    link.is_guest = proof.is_guest;
    if (proof.is_guest) link.open_point = static_cast<std::int64_t>(command.point);
    link.agents = rules::agents_of(command.principal);
    rules::link_pull(session->progress, std::move(link), command.pull_id ? command.pull_id : command.acknowledge,
                     is_start);
    if (!reply.items.empty() || !reply.user_messages.empty()) TRY(tell_handed_over(*session, reply, unit));
    reply.fence = fence_around(reply, unit.random);
    command.settle(std::move(reply));
    return {};
}

// A runtime that reports no turns is understood by the points that it comes to.
base::Result<void> HandOver::begin(const ports::PullNotifications& command, model::Session& session, bool is_again,
                                   Unit& unit) {
    model::Progress& progress = session.progress;
    progress.lease = command.lease;
    sessions_.touch(session);
    if (command.point == model::InjectAt::turn_start) {
        const bool begins = is_again || !progress.in_turn;
        if (begins) rules::begin_turn(session, unit.now, turn_owner(command.principal, session));
        progress.turn_pulled = true;
        if (begins) return tell_turn(session, TurnNews::began, unit);
    }
    if (command.point != model::InjectAt::turn_end || progress.in_turn) return {};
    rules::end_turn(session, unit.now);
    return tell_turn(session, TurnNews::ended, unit);
}

base::Result<void> HandOver::fill(ports::PullReply& reply, const ports::PullNotifications& command,
                                  model::Session& session, Unit& unit) {
    ports::DueQuestion question;
    question.session_id = session.id;
    question.user_id = session.user_id;
    question.agent_id = rules::agent_at_work(command.principal, session);
    question.only_agent = rules::only_agent(command.principal, session);
    question.classes = rules::due_classes(command.point);
    question.or_before = rules::left_over_before(command.point, session);
    question.or_handed_before = command.point == model::InjectAt::turn_start;
    question.now = unit.now;
    question.limit = limits::pull_items_max;
    TRY_ASSIGN(std::vector<model::Notification> due, command.only.empty() ? unit.store.notifications().due(question)
                                                                          : free_among(command.only, session, unit));
    const bool is_cut = due.size() == question.limit;
    std::erase_if(due, [&](const model::Notification& row) {
        return std::ranges::find(command.except, row.id) != command.except.end() ||
               rules::is_for_another(command.principal, session, row.scope);
    });
    const std::int64_t left = rules::budget_left(command.budget_tokens, reply.model_tokens);
    const rules::Portion portion = rules::divide(due, command.budget_tokens, left);

    // Once a turn, however often its agent asks in it.
    std::vector<model::NotificationId> passed;
    for (const std::size_t i : portion.waiting) passed.push_back(due[i].id);
    const bool counts = command.point == model::InjectAt::turn_start && !passed.empty();
    if (counts) TRY(unit.store.notifications().pass_over(passed));
    reply.waiting = static_cast<std::int64_t>(passed.size());
    if (command.only.empty() && is_cut) {
        TRY_ASSIGN(const std::int64_t all, unit.store.notifications().count_due(question));
        reply.waiting += all - static_cast<std::int64_t>(question.limit);
    }

    std::vector<model::Notification> whole;
    std::vector<model::Notification> counted;
    for (const std::size_t i : portion.whole) whole.push_back(std::move(due[i]));
    for (const std::size_t i : portion.counted) counted.push_back(std::move(due[i]));
    TRY(lock(whole, command, session, reply, unit));
    for (model::Notification& one : whole) {
        ports::PulledItem item;
        item.handle = model::handle_text(one.handle);
        item.again = one.lease > 1;
        item.needs_answer = needs_answer(one);
        item.must_tell = rules::must_tell(one);
        item.notification = std::move(one);
        reply.items.push_back(std::move(item));
    }
    TRY(lock(counted, command, session, reply, unit));
    for (ports::PulledItem& item : summaries_of(std::move(counted))) reply.items.push_back(std::move(item));
    for (const ports::PulledItem& item : reply.items) {
        reply.model_tokens += item.notification.model_tokens + rules::item_overhead_tokens;
    }
    if (!reply.items.empty()) reply.lease_until = unit.now + command.lease;
    return {};
}

base::Result<void> HandOver::lock(std::vector<model::Notification>& handed, const ports::PullNotifications& command,
                                  model::Session& session, ports::PullReply& reply, Unit& unit) {
    for (model::Notification& row : handed) {
        const std::int64_t before = row.lease;
        rules::Steps steps;
        const rules::Refusal refusal = rules::claim(row, unit.now, command.principal.id, command.lease, steps);
        ASSERT(refusal == rules::Refusal::none);  // the store gave it as free
        row.pull_id = reply.pull_id;
        // One of the user's may come to another session than before, where its handle would be somebody else's.
        if (row.handed_to != session.id) {
            row.handed_to = session.id;
            row.handle = session.next_handle++;
            sessions_.touch(session);
        }
        TRY(ledger_.change(row, before, std::move(steps), command.principal.id, unit));
        ++handed_over_;
    }
    return {};
}

base::Result<bool> HandOver::acknowledge_one(model::Notification& row, rules::Voice voice, const std::string& by,
                                             Unit& unit) {
    const bool is_told = row.state == model::DeliveryState::locked && !row.narration.empty();
    if (row.state == model::DeliveryState::delivered || is_told) return true;  // said again
    const std::int64_t before = row.lease;
    rules::Steps steps;
    const rules::Acknowledgement word{voice, by, row.lease, std::nullopt, {}};
    if (rules::acknowledge(row, unit.now, word, steps) != rules::Refusal::none) return false;
    TRY(ledger_.change(row, before, std::move(steps), by, unit));
    ++acknowledged_;
    return true;
}

// The runtime's word that a hand-over has arrived: enough for passive context, not for what somebody has to say.
base::Result<std::int64_t> HandOver::acknowledge_pull(const base::Uuid& pull_id, model::Session& session,
                                                      const rules::HoldProof& proof, Unit& unit) {
    const std::string by(proof.by);
    const bool is_own = rules::may_be_own_pull(session.progress.pulls, pull_id, proof);
    if (is_own && session.progress.aware_pull == pull_id) confirm(session);
    if (is_own && std::erase(session.progress.unnamed, pull_id) > 0) sessions_.touch(session);
    TRY_ASSIGN(std::vector<model::Notification> handed, unit.store.notifications().of_pull(pull_id));
    std::int64_t count = 0;
    for (model::Notification& row : handed) {
        if (row.handed_to != session.id || !rules::may_be_own(row, proof, session.progress.pulls)) continue;
        if (needs_answer(row) && row.state == model::DeliveryState::locked) {
            ++count;
            continue;
        }
        TRY_ASSIGN(const bool done, acknowledge_one(row, rules::Voice::runtime, by, unit));
        if (done) ++count;
    }
    if (!is_own) return count;
    TRY_ASSIGN(const std::int64_t words, user_messages_.confirm(session.id, pull_id, unit));
    return count + words;
}

base::Result<model::Session*> HandOver::find_session(const model::Principal& who, const std::string& id, Unit& unit) {
    TRY_ASSIGN(model::Session* const session, sessions_.find(id, unit));
    if (session == nullptr) return base::error(Code::not_found, "there is no such session");
    TRY_ASSIGN(auto may, check_use(sessions_, who, id, session->user_id, unit));
    if (!may.ok()) return std::move(may).error();
    return session;
}

base::Result<void> HandOver::acknowledge(ports::Acknowledge& command, Unit& unit) {
    TRY(sessions_.load(std::span(&command.session_id, 1), unit));
    auto session = find_session(command.principal, command.session_id, unit);
    if (!session.ok()) {
        command.refuse(std::move(session).error());
        return {};
    }
    const std::string& by = command.principal.id;
    const rules::HoldProof proof = proof_of(**session, command.principal, command.pull_id, {}, unit.now);
    ports::AcknowledgeReply reply;
    if (command.pull_id) {
        // None is no fault: there was nothing in it, it was said before, or what it held went out again since.
        TRY_ASSIGN(reply.acknowledged, acknowledge_pull(*command.pull_id, **session, proof, unit));
    }
    // All or none: first every item is looked at. Some say the same one twice, by its handle and by its id.
    std::map<model::NotificationId, model::Notification> items;
    for (const ports::Acknowledge::Item& item : command.items) {
        TRY_ASSIGN(auto found, find_notification(command.session_id, item.key, unit));
        if (!found) {
            const bool has_left = is_handle_of(**session, item.key);
            command.refuse(has_left
                               ? not_holder(rules::Hold::stale, item.key)
                               : base::error(Code::not_found,
                                             "there is no notification " + item.key + " in this session", "items"));
            return {};
        }
        // Handles and leases are small numbers: a guest could guess those of another runtime.
        const bool is_guess = (found->state == model::DeliveryState::locked &&
                               !rules::may_be_own(*found, proof, (*session)->progress.pulls)) ||
                              rules::is_for_another(command.principal, **session, found->scope);
        const bool is_ours =
            !is_guess && found->lease == item.lease && item.lease > 0 && found->handed_to == command.session_id &&
            (found->state == model::DeliveryState::locked || found->state == model::DeliveryState::delivered);
        if (!is_ours) {
            command.refuse(stale());
            return {};
        }
        if (item.version && *item.version != found->version) {
            command.refuse(stale_version(item.key));
            return {};
        }
        const model::NotificationId id = found->id;
        items.emplace(id, std::move(*found));
    }
    for (auto& [id, item] : items) {
        const bool is_open = item.state == model::DeliveryState::locked;
        const bool is_told = rules::is_told_by_message(item, (*session)->progress);
        if (is_open && rules::must_tell(item) && !is_told) {
            reply.untold.push_back(model::handle_text(item.handle));
            const std::int64_t before = item.lease;
            rules::Steps steps;
            if (rules::note_untold(item, unit.now, by, steps)) {
                TRY(ledger_.change(item, before, std::move(steps), by, unit));
            }
            continue;
        }
        TRY_ASSIGN(const bool done, acknowledge_one(item, rules::Voice::model, by, unit));
        if (done) ++reply.acknowledged;
        // A repeat may come turns later: the tools of that turn are not about what ended before.
        if (is_open) note_decided(**session, item, proof);
    }
    command.settle(std::move(reply));
    return {};
}

base::Result<void> HandOver::heartbeat(ports::Heartbeat& command, Unit& unit) {
    TRY(sessions_.load(std::span(&command.session_id, 1), unit));
    auto session = find_session(command.principal, command.session_id, unit);
    if (!session.ok()) {
        command.refuse(std::move(session).error());
        return {};
    }
    if ((*session)->deleted_at) {
        command.refuse(base::error(Code::gone, "this session was deleted"));
        return {};
    }
    const rules::HoldProof proof = proof_of(**session, command.principal, command.pull_id, command.leases, unit.now);
    TRY_ASSIGN(auto are_here, check_leases(**session, proof, unit));
    if (!are_here.ok()) {
        command.refuse(std::move(are_here).error());
        return {};
    }
    TRY_ASSIGN(const Renewed renewed, renew(**session, command.lease, proof, unit));
    const bool has_renewed = renewed.renewed > 0 || renewed.has_words;
    if (!has_renewed && renewed.held > 0) {
        command.refuse(not_holder(renewed.refusal, {}));
        return {};
    }
    ports::HeartbeatReply reply;
    reply.renewed = renewed.renewed;
    if (has_renewed) reply.lease_until = unit.now + renewed.lease;
    command.settle(reply);
    return {};
}

base::Result<bool> HandOver::knows(const std::string& session_id, const std::string& key, Unit& unit) {
    TRY_ASSIGN(const auto named, find_notification(session_id, key, unit));
    return named && named->handed_to == session_id;
}

void HandOver::committed(Effects& effects) {
    effects.figures.notifications_handed_over += handed_over_;
    effects.figures.notifications_acknowledged += acknowledged_;
    dropped();
}

void HandOver::dropped() {
    handed_over_ = acknowledged_ = 0;
}

}  // namespace belfry::engine
