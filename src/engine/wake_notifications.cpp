#include <algorithm>

#include "engine/wakes.hpp"
#include "rules/delivery_wake.hpp"
#include "rules/hold_proof.hpp"
#include "rules/may_wake.hpp"
#include "rules/step_reason.hpp"

// Hands notifications to the agent that they woke, and gives them to the user if the agent fails.
namespace belfry::engine {
namespace {

namespace limits = base::limits;

bool is_held(const model::Notification& row, base::Timestamp now) {
    const bool has_holder = row.state == model::DeliveryState::locked && !row.holder.empty();
    return has_holder && row.lease_until && *row.lease_until > now;
}

std::string clipped(std::string text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return text;
    while ((static_cast<unsigned char>(text[bytes_max]) & 0xC0U) == 0x80U) --bytes_max;  // no half of a character
    text.resize(bytes_max);
    return text;
}

}  // namespace

base::Result<void> Wakes::each_notification(const model::Wake& wake, const NotificationVisitor& visit, Unit& unit) {
    TRY(refresh(unit));
    TRY(book_.write_signals(unit));
    for (std::int64_t after = 0;;) {
        TRY_ASSIGN(const auto some, unit.store.wakes().signals(wake.id, after, limits::sweep_slice_rows));
        for (const model::WakeSignal& signal : some) {
            after = signal.ordinal;
            const auto id =
                signal.kind == model::SignalKind::notification ? base::parse_uuid(signal.key) : std::nullopt;
            if (!id) continue;
            TRY_ASSIGN(auto row, unit.store.notifications().find({*id}));
            if (row) TRY(visit(signal, *row));
        }
        if (some.size() < limits::sweep_slice_rows) return {};
    }
}

base::Result<Wakes::WakeHolder> Wakes::holder_of(const model::Wake& wake, Unit& unit) {
    WakeHolder holder{model::house_worker(wake.agent_id).id, {}, false, true};
    const WakeBook::Entry* const entry = book_.find(wake.id);
    if (entry != nullptr) holder.worker = entry->worker;
    if (wake.session_id.empty()) return holder;
    TRY_ASSIGN(const model::Session* const session, sessions_.find(wake.session_id, unit));
    if (session == nullptr) return holder;
    holder.is_visitor = !session->agent_id.empty() && session->agent_id != wake.agent_id;
    holder.is_owner = session->agent_id == wake.agent_id;
    return holder;
}

bool Wakes::WakeHolder::holds(std::string_view principal) const {
    // A worker that was not heard of since Belfry started has no name yet.
    const bool may_be_worker = worker.empty() ? is_owner && !model::is_house(principal) : principal == worker;
    return principal == house || may_be_worker;
}

base::Result<std::vector<model::Notification>> Wakes::open_notifications(const model::Wake& wake, Unit& unit) {
    TRY(ledger_.settle(unit));
    std::vector<model::Notification> open;
    TRY_ASSIGN(const WakeHolder holder, holder_of(wake, unit));
    // Another agent may be at work in the session, and hold notifications of its own.
    const auto add = [&](model::Notification& row) {
        if (!rules::waits_for_agent(row)) return;
        if (is_held(row, unit.now) && !holder.holds(row.holder)) return;
        if (std::ranges::find(open, row.id, &model::Notification::id) == open.end()) open.push_back(std::move(row));
    };
    TRY(each_notification(
        wake,
        [&](const model::WakeSignal&, model::Notification& row) -> base::Result<void> {
            add(row);
            return {};
        },
        unit));
    if (wake.session_id.empty()) return open;
    TRY_ASSIGN(std::vector<model::Notification> held, unit.store.notifications().held_by_session(wake.session_id));
    for (model::Notification& row : held) {
        if (holder.holds(row.holder)) add(row);
    }
    return open;
}

base::Result<void> Wakes::free_words(const model::Wake& wake, Unit& unit) {
    const auto let_go = [&](const std::optional<base::Uuid>& pull) {
        return unit.store.user_messages().let_go(wake.session_id, pull);
    };
    TRY(each_words(wake, let_go, unit));
    TRY_ASSIGN(model::Session* const session, sessions_.find(wake.session_id, unit));
    const bool is_for_another = session != nullptr && rules::agent_to_wake(*session) != wake.agent_id;
    return is_for_another ? user_messages_.after_turn(*session, unit) : base::Result<void>{};
}

base::Result<void> Wakes::confirm_words(const model::Wake& wake, Unit& unit) {
    return each_words(
        wake,
        [&](const std::optional<base::Uuid>& pull) -> base::Result<void> {
            if (!pull) return unit.store.user_messages().confirm_held(wake.session_id, unit.now);
            TRY(unit.store.user_messages().confirm(wake.session_id, *pull));
            return {};
        },
        unit);
}

base::Result<void> Wakes::each_words(const model::Wake& wake, const WordsVisitor& visit, Unit& unit) {
    if (wake.session_id.empty()) return {};
    TRY_ASSIGN(const WakeHolder holder, holder_of(wake, unit));
    TRY_ASSIGN(model::Session* const session, sessions_.find(wake.session_id, unit));
    if (session == nullptr) return visit(std::nullopt);
    const bool is_house = holder.worker.empty() || model::is_house(holder.worker);
    const rules::HoldProof proof{is_house ? holder.house : holder.worker, {}, {}, !holder.is_owner};
    const auto own = rules::pulls_with_words(session->progress.pulls, proof);
    if (!own) return visit(std::nullopt);
    for (model::PullLink* const link : *own) {
        // The same token may also work for the agent of the session.
        if (holder.is_visitor && !link->is_guest) continue;
        TRY(visit(link->pull));
        link->has_words = false;
        sessions_.touch(*session);
    }
    return {};
}

base::Result<void> Wakes::add_home(ports::WakeGrant& granted, Unit& unit) {
    for (model::WakeSignal& signal : granted.signals) {
        const auto id = signal.kind == model::SignalKind::notification ? base::parse_uuid(signal.key) : std::nullopt;
        if (!id) continue;
        granted.notifications.push_back({*id});
        // An attempt that goes on after the notification was dealt with is not given it again by the pull.
        TRY_ASSIGN(const auto row, unit.store.notifications().find({*id}));
        if (!row || signal.body != model::RawJson()) continue;
        std::string body;
        model::JsonWriter(body).begin_object().field("text", row->text).end_object();
        signal.body = model::RawJson::trusted(std::move(body));
    }
    TRY_ASSIGN(const auto kept, kept_by(granted.wake, unit));
    for (const model::NotificationId& id : kept) {
        auto& ids = granted.notifications;
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    if (!granted.wake.session_id.empty()) return {};
    if (granted.notifications.empty()) return {};
    TRY_ASSIGN(granted.home_session, home_session(granted.wake, unit));
    return {};
}

// The usual id may be another user's session, or deleted: then the wake has a session of its own.
base::Result<std::string> Wakes::home_session(const model::Wake& wake, Unit& unit) {
    for (const std::string& id : {"agent:" + wake.agent_id, "wake:" + std::to_string(wake.id)}) {
        if (id.size() > limits::scope_id_bytes_max) continue;
        TRY_ASSIGN(model::Session* const session, sessions_.find_or_make(id, wake.user_id, false, unit));
        if (session->user_id != wake.user_id || session->deleted_at) continue;
        if (session->agent_id != wake.agent_id) {
            session->agent_id = wake.agent_id;
            sessions_.touch(*session);
        }
        return id;
    }
    return std::string();
}

base::Result<bool> Wakes::is_begun(const model::Wake& wake, Unit& unit) {
    if (wake.attempts == 0) return false;
    TRY_ASSIGN(const auto rounds, unit.store.agent_messages().plans(wake.run_key));
    return !rounds.empty();
}

base::Result<std::vector<model::NotificationId>> Wakes::kept_by(const model::Wake& wake, Unit& unit) {
    std::vector<model::NotificationId> kept;
    if (wake.attempts == 0) return kept;
    TRY_ASSIGN(const auto rounds, unit.store.agent_messages().plans(wake.run_key));
    if (rounds.empty()) return kept;
    const auto add = [&](const model::NotificationId& id) {
        if (std::ranges::find(kept, id) == kept.end()) kept.push_back(id);
    };
    for (const model::AgentPlan& round : rounds) {
        for (const base::Uuid& id : round.given) add({id});
    }
    if (!kept.empty()) return kept;
    // A plan outside of a conversation is made for the signals of its wake.
    TRY(each_notification(
        wake,
        [&](const model::WakeSignal&, const model::Notification& row) -> base::Result<void> {
            add(row.id);
            return {};
        },
        unit));
    return kept;
}

base::Result<void> Wakes::add_reserved(ports::WakeGrant& granted, Unit& unit) {
    for (const model::WakeId id : book_.of_agent(granted.wake.agent_id)) {
        const model::Wake other = book_.find(id)->wake;
        if (other.id == granted.wake.id || other.state != model::WakeState::queued) continue;
        TRY_ASSIGN(const auto kept, kept_by(other, unit));
        granted.reserved.insert(granted.reserved.end(), kept.begin(), kept.end());
    }
    return {};
}

base::Result<bool> Wakes::waits_for_a_plan(const model::Wake& wake, const model::AgentRecord& agent, Unit& unit) {
    if (agent.agent.workflow == model::WorkflowKind::worker) return false;
    TRY_ASSIGN(const bool has_begun, is_begun(wake, unit));
    if (has_begun) return false;
    std::vector<model::NotificationId> open;
    TRY(each_notification(
        wake,
        [&](const model::WakeSignal&, const model::Notification& row) -> base::Result<void> {
            if (rules::waits_for_agent(row)) open.push_back(row.id);
            return {};
        },
        unit));
    for (const model::WakeId id : book_.of_agent(wake.agent_id)) {
        const model::Wake other = book_.find(id)->wake;
        if (open.empty() || other.id == wake.id || other.state != model::WakeState::queued) continue;
        TRY_ASSIGN(const auto kept, kept_by(other, unit));
        if (std::ranges::find_first_of(open, kept) == open.end()) continue;
        book_.let_rest(wake.id, other.due_at);
        return true;
    }
    return false;
}

base::Result<std::vector<base::Uuid>> Wakes::given_to(const model::Wake& wake, Unit& unit) {
    std::vector<base::Uuid> given;
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    if (wake.session_id.empty() || agent->agent.workflow == model::WorkflowKind::worker) return given;
    TRY(ledger_.settle(unit));
    TRY_ASSIGN(const auto held, unit.store.notifications().held_by_session(wake.session_id));
    const std::string house = model::house_worker(wake.agent_id).id;
    for (const model::Notification& row : held) {
        if (row.holder == house && rules::waits_for_agent(row)) given.push_back(row.id.uuid);
    }
    return given;
}

base::Result<bool> Wakes::is_overtaken(const model::Wake& wake, const model::AgentRecord& agent, Unit& unit) {
    if (agent.agent.workflow == model::WorkflowKind::worker) return false;
    TRY_ASSIGN(const auto kept, kept_by(wake, unit));
    bool is_shown = false;
    for (const model::NotificationId& id : kept) {
        TRY_ASSIGN(const auto row, unit.store.notifications().find(id));
        is_shown = is_shown || (row && row->handler == model::Handler::system);
    }
    if (!is_shown) return false;
    TRY_ASSIGN(const std::vector<model::PlanNow> rounds, log_.plans(wake.run_key, unit));
    const auto has_acted = [](const model::PlanNow& round) {
        return std::ranges::any_of(round.progress, [](const auto& action) { return action.action.has_value(); });
    };
    return std::ranges::none_of(rounds, has_acted);
}

base::Result<void> Wakes::plan_anew(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const Causes causes, causes_of(wake, unit));
    Causes left;
    for (std::size_t i = 0; i < causes.signals.size(); ++i) {
        const model::WakeSignal& signal = causes.signals[i];
        const auto id = signal.kind == model::SignalKind::notification ? base::parse_uuid(signal.key) : std::nullopt;
        if (id) {
            TRY_ASSIGN(const auto row, unit.store.notifications().find({*id}));
            if (!row || !rules::waits_for_agent(*row)) continue;
        }
        left.signals.push_back(signal);
        left.keys.push_back(causes.keys[i]);
    }
    if (!left.signals.empty()) TRY(go_on_with(left, wake, unit));
    TRY(close(wake, model::WakeState::not_needed, std::nullopt, unit));
    return make_due_ready(wake.agent_id, unit);
}

base::Result<bool> Wakes::leave_rest(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    if (agent->agent.workflow == model::WorkflowKind::worker || !wake.session_id.empty()) return false;
    Causes left;
    std::size_t all = 0;
    TRY(each_notification(
        wake,
        [&](const model::WakeSignal& signal, const model::Notification& row) -> base::Result<void> {
            ++all;
            if (!rules::waits_for_agent(row)) return {};
            left.signals.push_back(signal);
            left.keys.emplace_back();
            return {};
        },
        unit));
    if (left.signals.empty() || left.signals.size() == all) return false;
    TRY(go_on_with(left, wake, unit));
    return true;
}

base::Result<void> Wakes::release_notifications(const model::Wake& wake, bool has_failed, Unit& unit) {
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    if (agent == nullptr || agent->agent.workflow == model::WorkflowKind::worker) return {};
    TRY_ASSIGN(std::vector<model::Notification> open, open_notifications(wake, unit));
    const std::string house = model::house_worker(wake.agent_id).id;
    for (model::Notification& row : open) {
        if (row.holder != house) continue;
        const std::int64_t before = row.lease;
        rules::Steps steps;
        const bool is_changed = has_failed ? rules::release_to_ttl(row, unit.now, steps)
                                           : rules::let_go(row, unit.now, rules::step_reason::turn_lost, steps);
        if (is_changed) TRY(ledger_.change(row, before, std::move(steps), house, unit));
    }
    return {};
}

base::Result<bool> Wakes::give_notifications_up(const model::Wake& wake, std::string why, Unit& unit) {
    TRY_ASSIGN(std::vector<model::Notification> open, open_notifications(wake, unit));
    why = clipped(std::move(why), limits::notification_text_bytes_max);
    bool is_told = false;
    for (model::Notification& row : open) {
        const std::int64_t before = row.lease;
        rules::Steps steps;
        if (!rules::give_to_user(row, unit.now, is_told ? std::string_view() : std::string_view(why), steps)) continue;
        TRY(ledger_.change(row, before, std::move(steps), "belfry", unit));
        is_told = true;
    }
    return is_told;
}

}  // namespace belfry::engine
