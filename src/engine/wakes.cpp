#include "engine/wakes.hpp"

#include <algorithm>
#include <array>

#include "model/value.hpp"
#include "rules/agent.hpp"
#include "rules/may.hpp"
#include "rules/model_tokens.hpp"
#include "rules/wake.hpp"
#include "rules/wake_key.hpp"
#include "text/toon.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::WakeReason;
using model::WakeState;
constexpr base::Duration sweep_pause = base::hours(1);
constexpr std::string_view notifications_rule =
    "notifications";  // every agent's own: it is woken for what is its to say

base::Error no_such_wake() {
    return base::error(Code::not_found, "there is no such wake", "id");
}
base::Error no_such_agent(const char* field = "agent_id") {
    return base::error(Code::not_found, "there is no such agent", field);
}

// A body that is too large, or none, is told by the key alone.
model::RawJson kept(std::string_view body) {
    if (body.empty() || body.size() > limits::wake_signal_bytes_max) return {};
    return model::RawJson::trusted(std::string(body));
}

}  // namespace

std::vector<std::type_index> Wakes::handles() const {
    return {typeid(ports::WakeAgent), typeid(ports::ClaimWake), typeid(ports::RenewWake), typeid(ports::EndWake),
            typeid(ports::CancelWake)};
}

base::Result<void> Wakes::rebuild(Unit& unit) {
    dropped();
    stale_ = true;
    rules_stale_ = true;
    next_sweep_ = unit.now + sweep_pause;
    return refresh(unit);
}

base::Result<void> Wakes::refresh(Unit& unit) {
    if (rules_stale_) TRY(rules_.rebuild(unit));
    rules_stale_ = false;
    if (stale_) TRY(book_.rebuild(unit));
    stale_ = false;
    return {};
}

base::Result<void> Wakes::apply(ports::Command& command, Unit& unit) {
    TRY(refresh(unit));
    if (auto* wish = dynamic_cast<ports::WakeAgent*>(&command)) return wake(*wish, unit);
    if (auto* wish = dynamic_cast<ports::ClaimWake*>(&command)) return claim(*wish, unit);
    if (auto* wish = dynamic_cast<ports::RenewWake*>(&command)) return renew(*wish, unit);
    if (auto* wish = dynamic_cast<ports::EndWake*>(&command)) return end(*wish, unit);
    return cancel(static_cast<ports::CancelWake&>(command), unit);
}

base::Result<void> Wakes::subscribed(const model::WakeSubscription& subscription, const std::string& user_id,
                                     Unit& unit) {
    TRY(refresh(unit));
    rules_.put(subscription, user_id);
    return {};
}

base::Result<void> Wakes::unsubscribed(const model::SubscriptionId& id, Unit& unit) {
    TRY(refresh(unit));
    rules_.remove(id);
    return {};
}

base::Result<void> Wakes::notice(const model::Event& event, std::string_view body, std::string_view person,
                                 Unit& unit) {
    TRY(refresh(unit));
    if (rules_.is_empty()) return {};
    const std::string event_id = base::format_uuid(event.id.uuid);
    for (const WakeRule* const rule : rules_.matches(event, person)) {
        const model::WakeSubscription& subscription = rule->subscription;
        Signal cause;
        cause.reason_id = base::format_uuid(subscription.id.uuid);
        cause.run_key = rules::event_run_key(subscription.agent_id, cause.reason_id, std::span(&event_id, 1));
        cause.key = event_id;
        cause.body = body;
        cause.window = subscription.window;
        cause.priority = subscription.priority;
        TRY(signal(subscription.agent_id, rule->user_id, cause, unit));
    }
    return {};
}

const model::Wake* Wakes::joinable(const std::string& agent_id, const std::string& session_id) const {
    for (const model::WakeId id : book_.of_agent(agent_id)) {
        const model::Wake& wake = book_.find(id)->wake;
        const bool is_signalled = wake.reason != WakeReason::manual && wake.reason != WakeReason::user_initiated;
        const bool is_fresh = wake.state == WakeState::queued && wake.attempts == 0;
        if (is_signalled && is_fresh && wake.session_id == session_id) return &wake;
    }
    return nullptr;
}

void Wakes::add_signal(model::Wake& wake, const Signal& cause, Unit& unit) {
    ++wake.signals;
    if (wake.signals > limits::wake_signals_max) return;
    model::WakeSignal row;
    row.wake_id = wake.id;
    row.ordinal = wake.signals;
    row.kind = cause.kind;
    row.key = cause.key;
    if (cause.kind != model::SignalKind::manual && cause.kind != model::SignalKind::user) row.rule = cause.reason_id;
    row.body = kept(cause.body);
    row.came_at = unit.now;
    book_.add_signal(std::move(row));
}

// The first signal waits out its window; later ones join it and never make it wait longer.
base::Result<void> Wakes::signal(const std::string& agent_id, const std::string& user_id, const Signal& cause,
                                 Unit& unit) {
    if (const model::Wake* const waiting = joinable(agent_id, cause.session_id)) {
        model::Wake joined = *waiting;
        joined.due_at = std::min(joined.due_at, unit.now + cause.window);
        joined.priority = std::max(joined.priority, cause.priority);
        add_signal(joined, cause, unit);
        book_.put(std::move(joined));
        return {};
    }
    model::Wake fresh;
    fresh.run_key = cause.run_key;
    fresh.agent_id = agent_id;
    fresh.user_id = user_id;
    fresh.reason = cause.reason;
    fresh.reason_id = cause.reason_id;
    fresh.catch_up = cause.catch_up;
    fresh.session_id = cause.session_id;
    fresh.thread_id = cause.session_id.empty() ? rules::run_thread_id(agent_id, cause.run_key)
                                               : rules::session_thread_id(agent_id, cause.session_id);
    fresh.priority = cause.priority;
    fresh.due_at = unit.now + cause.window;
    TRY_ASSIGN(const auto before, unit.store.wakes().find_key(fresh.run_key));
    if (before) return {};  // it was woken for this already
    TRY_ASSIGN(model::Wake made, enqueue(std::move(fresh), unit));
    add_signal(made, cause, unit);
    book_.put(std::move(made));
    return {};
}

base::Result<model::Wake> Wakes::enqueue(model::Wake fresh, Unit& unit) {
    fresh.state = WakeState::queued;
    fresh.created_at = unit.now;
    model::Wake made = book_.add(std::move(fresh));
    TRY(tell(made, false, unit));
    return made;
}

base::Result<void> Wakes::wake(ports::WakeAgent& command, Unit& unit) {
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(command.agent_id, unit));
    if (agent == nullptr || !rules::may_use_session(command.principal, command.session_id, agent->agent.user_id).ok()) {
        command.refuse(no_such_agent());
        return {};
    }
    if (!rules::takes(agent->agent.mode, command.reason)) {
        command.refuse(
            base::error(Code::conflict, "an autonomous agent is not woken by what a person says", "mode", "refused"));
        return {};
    }
    const bool is_persons = command.reason == WakeReason::user_initiated;
    TRY_ASSIGN(auto may, runs_.check_session(command.session_id, agent->agent.user_id, unit));
    // What a person says is said by him, or by one who acts for him.
    if (may.ok() && is_persons) {
        may = rules::may_speak_for(command.principal, agent->agent.user_id, command.session_id);
    }
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    model::Wake fresh;
    fresh.run_key = is_persons ? rules::turn_run_key(command.agent_id, command.session_id, command.request_id)
                               : rules::manual_run_key(command.agent_id, command.request_id);
    TRY_ASSIGN(auto before, unit.store.wakes().find_key(fresh.run_key));
    if (before) {
        const WakeBook::Entry* const open = book_.find(before->id);
        command.settle(ports::AddedWake{open != nullptr ? open->wake : std::move(*before), false});
        return {};
    }
    if (book_.of_agent(command.agent_id).size() >= limits::wakes_waiting_per_agent_max) {
        command.refuse(base::error(Code::overloaded, std::to_string(limits::wakes_waiting_per_agent_max) +
                                                         " wakes of this agent wait already"));
        return {};
    }
    fresh.agent_id = command.agent_id;
    fresh.user_id = agent->agent.user_id;
    fresh.reason = command.reason;
    fresh.reason_id = command.request_id;
    fresh.session_id = command.session_id;
    fresh.thread_id = command.session_id.empty() ? rules::run_thread_id(command.agent_id, fresh.run_key)
                                                 : rules::session_thread_id(command.agent_id, command.session_id);
    fresh.input = command.input;
    fresh.due_at = unit.now;
    TRY_ASSIGN(model::Wake made, enqueue(std::move(fresh), unit));
    Signal cause;
    cause.kind = is_persons ? model::SignalKind::user : model::SignalKind::manual;
    cause.key = command.request_id;
    cause.body = command.input.bytes();
    add_signal(made, cause, unit);
    if (const model::Wake* const waiting = is_persons ? nullptr : joinable(command.agent_id, {})) {
        TRY(fold(*waiting, made, unit));
    }
    const model::WakeId id = made.id;
    book_.put(std::move(made));
    TRY(make_ready(id, unit));
    const WakeBook::Entry* const open = book_.find(id);
    if (open != nullptr) {
        command.settle(ports::AddedWake{open->wake, true});
        return {};
    }
    // Something kept its agent from it: it has ended with that.
    TRY(book_.flush(unit));
    TRY_ASSIGN(auto ended, unit.store.wakes().find(id));
    if (!ended) return base::error(Code::internal, "a wake that was just made is not there");
    command.settle(ports::AddedWake{std::move(*ended), true});
    return {};
}

// What waited is done along with it.
base::Result<void> Wakes::fold(const model::Wake& waiting, model::Wake& into, Unit& unit) {
    TRY(book_.write_signals(unit));
    TRY(unit.store.wakes().move_signals(waiting.id, into.id, into.signals));
    into.signals += waiting.signals;
    into.priority = std::max(into.priority, waiting.priority);
    model::Wake folded = waiting;
    folded.coalesced_into = into.id;
    return close(std::move(folded), WakeState::coalesced, std::nullopt, unit);
}

base::Result<std::optional<model::WakeId>> Wakes::next_for(const ports::ClaimWake& command, Unit& unit) {
    if (command.agents.empty()) return book_.next_of(command.workflow);
    for (const std::string& agent_id : command.agents) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(agent_id, unit));
        if (agent == nullptr) continue;
        if (const auto next = book_.next_of(agent_id, command.workflow)) return next;
    }
    return std::optional<model::WakeId>{};
}

base::Result<void> Wakes::claim(ports::ClaimWake& command, Unit& unit) {
    for (const std::string& agent_id : command.agents) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(agent_id, unit));
        const bool may = agent != nullptr && rules::may_use_session(command.principal, {}, agent->agent.user_id).ok();
        if (!may) {
            command.refuse(no_such_agent("agents"));
            return {};
        }
        if (agent->agent.lifecycle == model::AgentLifecycle::destroyed) {
            command.refuse(base::error(Code::gone, "this agent was destroyed", "agents"));
            return {};
        }
        if (agent->agent.workflow != command.workflow) {
            command.refuse(base::error(
                Code::conflict,
                "the work of this agent is done by a " + std::string(model::workflow_kind_name(agent->agent.workflow)),
                "agents", "other_workflow"));
            return {};
        }
    }
    ports::ClaimReply reply;
    for (const std::string& agent_id : command.agents) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(agent_id, unit));
        reply.users.push_back(agent->agent.user_id);
    }
    while (!reply.grant && book_.running() < options_.running_max && runs_.has_place()) {
        TRY_ASSIGN(const auto next, next_for(command, unit));
        if (!next) break;
        TRY_ASSIGN(reply.grant, grant(*next, command, unit));
    }
    // Whoever got nothing listens to the streams of these users: they are there from now on.
    for (const std::string& user : reply.users) {
        if (reply.grant) break;
        TRY(unit.streams.named(unit.store, "agent:" + user, user, model::RetentionClass::delivery));
    }
    command.settle(std::move(reply));
    return {};
}

// Nothing where its agent is kept from it by now: then it has ended with that.
base::Result<std::optional<ports::WakeGrant>> Wakes::grant(model::WakeId id, const ports::ClaimWake& command,
                                                           Unit& unit) {
    model::Wake wake = book_.find(id)->wake;
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    ASSERT(agent != nullptr);
    if (const auto hindered = rules::hindrance(*agent, wake.reason, unit.now)) {
        TRY(close(std::move(wake), *hindered, std::nullopt, unit));
        return std::optional<ports::WakeGrant>{};
    }
    TRY_ASSIGN(const Errands errands, errands_of(wake, unit));
    if (errands.all > 0 && errands.open == 0 && errands.all == wake.signals) {
        TRY(close(std::move(wake), WakeState::not_needed, std::nullopt, unit));
        return std::optional<ports::WakeGrant>{};
    }
    rules::claim_wake(wake, command.holder, command.lease, unit.now);
    if (wake.run_id == 0) {
        ports::CreateRun run;
        run.principal = model::house_principal();
        run.user_id = wake.user_id;
        run.session_id = wake.session_id;
        run.agent_id = wake.agent_id;
        run.run_key = wake.run_key;
        run.title = agent->agent.display_name;
        TRY_ASSIGN(const base::Result<model::RunId> begun, runs_.begin(run, unit));
        if (!begun.ok()) {
            // Its session is gone by now: it would keep everything behind it from running.
            const model::RunError why{"cannot_run", begun.error().message};
            wake.state = WakeState::queued;
            TRY(close(std::move(wake), WakeState::failed, why, unit));
            return std::optional<ports::WakeGrant>{};
        }
        wake.run_id = *begun;
    }
    std::string data;
    model::JsonWriter(data)
        .begin_object()
        .field("wake_id", wake.id)
        .field("attempt", wake.attempts)
        .field("reason", model::wake_reason_name(wake.reason))
        .field("holder", wake.holder)
        .end_object();
    (void)runs_.tell(wake.run_id, "wake.claimed", data, unit);
    model::AgentRuntimeState& runtime = agent->runtime;
    runtime.run_status = model::AgentRunStatus::running;
    runtime.updated_at = unit.now;
    runtime.active_run_id = wake.run_id;
    runtime.active_session_id = wake.session_id;
    runtime.last_run_started_at = unit.now;
    if (agent->agent.lifecycle == model::AgentLifecycle::created) {
        agent->agent.lifecycle = model::AgentLifecycle::active;
    }
    agents_.touch(*agent);
    book_.put(wake);
    TRY(tell(wake, false, unit));
    TRY(book_.write_signals(unit));
    ports::WakeGrant granted{std::move(wake), *agent, {}};
    TRY_ASSIGN(granted.signals, unit.store.wakes().signals(id, 0, limits::wake_signals_granted_max));
    std::size_t bytes = 0;
    for (model::WakeSignal& signal : granted.signals) {
        bytes += signal.body.bytes().size();
        if (bytes > limits::wake_signals_granted_bytes_max) signal.body = {};
    }
    return std::optional(std::move(granted));
}

base::Result<Wakes::Found> Wakes::find(const model::Principal& who, model::WakeId id, Unit& unit) {
    std::optional<model::Wake> wake;
    if (const WakeBook::Entry* const open = book_.find(id)) wake = open->wake;
    if (!wake) {
        TRY(book_.flush(unit));
        TRY_ASSIGN(wake, unit.store.wakes().find(id));
    }
    if (!wake || !rules::may_use_session(who, wake->session_id, wake->user_id).ok()) return Found(no_such_wake());
    return Found(std::move(*wake));
}

base::Result<void> Wakes::renew(ports::RenewWake& command, Unit& unit) {
    TRY_ASSIGN(Found found, find(command.principal, command.id, unit));
    auto may = found.ok() ? rules::require_claim(*found, command.fence, unit.now) : base::Result<void>(found.error());
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    rules::renew_wake(*found, command.lease, unit.now);
    runs_.hear(found->run_id, unit.now);
    book_.put(*found);
    command.settle(std::move(*found));
    return {};
}

base::Result<void> Wakes::end(ports::EndWake& command, Unit& unit) {
    TRY_ASSIGN(Found found, find(command.principal, command.id, unit));
    auto may = found.ok() ? rules::require_claim(*found, command.fence, unit.now) : base::Result<void>(found.error());
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    if (command.sleep_until || command.next_wake_at) {
        TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(found->agent_id, unit));
        if (command.sleep_until) agent->state.sleep_until = command.sleep_until;
        if (command.next_wake_at) agent->state.next_wake_at = command.next_wake_at;
        agents_.touch_state(*agent, unit.now);
    }
    if (command.error) TRY(fail(*found, *command.error, unit));
    else TRY(complete(*found, command.result, unit));
    if (const WakeBook::Entry* const open = book_.find(command.id)) {
        command.settle(open->wake);
        return {};
    }
    TRY(book_.flush(unit));
    TRY_ASSIGN(auto ended, unit.store.wakes().find(command.id));
    command.settle(std::move(*ended));
    return {};
}

base::Result<void> Wakes::cancel(ports::CancelWake& command, Unit& unit) {
    TRY_ASSIGN(Found found, find(command.principal, command.id, unit));
    if (found.ok() && model::is_ended(found->state)) {
        found = base::error(Code::conflict,
                            "it has ended already (" + std::string(model::wake_state_name(found->state)) + ")", "id",
                            "ended");
    }
    if (!found.ok()) {
        command.refuse(std::move(found).error());
        return {};
    }
    const model::RunError why{"cancelled", command.reason.empty() ? "cancelled" : command.reason};
    TRY(close(*found, WakeState::cancelled, why, unit));
    TRY(book_.flush(unit));
    TRY_ASSIGN(auto ended, unit.store.wakes().find(command.id));
    command.settle(std::move(*ended));
    return {};
}

base::Result<Wakes::Errands> Wakes::errands_of(const model::Wake& wake, Unit& unit) {
    Errands errands;
    TRY(book_.write_signals(unit));
    for (std::int64_t after = 0;;) {
        TRY_ASSIGN(const auto some, unit.store.wakes().signals(wake.id, after, limits::sweep_slice_rows));
        for (const model::WakeSignal& one : some) {
            after = one.ordinal;
            const auto id = one.kind == model::SignalKind::notification ? base::parse_uuid(one.key) : std::nullopt;
            if (!id) continue;
            ++errands.all;
            TRY_ASSIGN(const auto row, unit.store.notifications().find({*id}));
            if (row && !model::is_terminal(row->state) && row->state != model::DeliveryState::escalated) ++errands.open;
        }
        if (some.size() < limits::sweep_slice_rows) return errands;
    }
}

// A turn was asked for. Where its agent is a record here, it is woken for it.
base::Result<void> Wakes::begin_turns(Unit& unit) {
    for (const TurnWish& wish : sessions_.take_turn_wishes()) TRY(begin_turn(wish, unit));
    return {};
}

base::Result<void> Wakes::begin_turn(const TurnWish& wish, Unit& unit) {
    std::string agent_id = wish.agent_id;
    if (agent_id.empty() && !wish.session_id.empty()) {
        TRY_ASSIGN(const model::Session* const session, sessions_.find(wish.session_id, unit));
        if (session != nullptr) agent_id = session->agent_id;
    }
    if (agent_id.empty()) return {};
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(agent_id, unit));
    if (agent == nullptr || agent->agent.user_id != wish.user_id) return {};
    const bool is_persons = wish.cause == TurnWish::Cause::user_input;
    const WakeReason reason = is_persons ? WakeReason::user_initiated : WakeReason::subscription;
    if (!rules::takes(agent->agent.mode, reason)) return {};
    Signal cause;
    cause.key = base::format_uuid(wish.id);
    cause.reason = reason;
    cause.reason_id = is_persons ? cause.key : std::string(notifications_rule);
    cause.kind = is_persons ? model::SignalKind::user : model::SignalKind::notification;
    cause.run_key = is_persons ? rules::turn_run_key(agent_id, wish.session_id, cause.key)
                               : rules::event_run_key(agent_id, cause.reason_id, std::span(&cause.key, 1));
    cause.session_id = wish.session_id;
    TRY(refresh(unit));
    TRY(signal(agent_id, wish.user_id, cause, unit));
    // Without a window it is due now.
    for (const model::WakeId id : book_.of_agent(agent_id)) {
        const WakeBook::Entry& entry = *book_.find(id);
        const bool is_due = entry.wake.state == WakeState::queued && !entry.is_ready && entry.wake.due_at <= unit.now;
        if (is_due) TRY(make_ready(id, unit));
    }
    return {};
}

base::Result<void> Wakes::complete(model::Wake wake, std::optional<model::RawJson> result, Unit& unit) {
    TRY_ASSIGN(const Errands errands, errands_of(wake, unit));
    if (errands.open > 0) {
        return fail(std::move(wake),
                    {"no_turn", std::to_string(errands.open) + " of " + std::to_string(errands.all) +
                                    " notifications were not acknowledged"},
                    unit);
    }
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    agent->runtime.failure_streak = 0;
    agent->state.last_wake_at = unit.now;
    agents_.touch_state(*agent, unit.now);
    TRY(end_run(wake, result, unit));
    return close(std::move(wake), WakeState::completed, std::nullopt, unit);
}

// Again after a pause that grows; after so many failures in a row the agent rests, and its person is told.
base::Result<void> Wakes::fail(model::Wake wake, model::RunError error, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    const std::int64_t failures = ++agent->runtime.failure_streak;
    agents_.touch(*agent);
    if (failures >= limits::wake_failures_max) {
        agent->agent.lifecycle = model::AgentLifecycle::dormant;
        agent->agent.updated_at = unit.now;
        tell_dormant(*agent, error, unit);
        const WakeState end = error.type == "no_turn" ? WakeState::no_turn : WakeState::failed;
        return close(std::move(wake), end, std::move(error), unit);
    }
    const base::Timestamp again = unit.now + rules::pause_after(failures);
    std::string data;
    model::JsonWriter(data)
        .begin_object()
        .field("wake_id", wake.id)
        .field("attempt", wake.attempts)
        .field("error", error.type)
        .field("message", error.message)
        .field("again_at", base::format_timestamp(again))
        .end_object();
    (void)runs_.tell(wake.run_id, "wake.failed", data, unit);
    runs_.hear(wake.run_id, unit.now);
    rules::requeue_wake(wake, std::move(error), again);
    rest_agent(*agent, unit);
    book_.put(wake);
    TRY(tell(wake, false, unit));
    return announce_next(wake.agent_id, unit);
}

void Wakes::rest_agent(model::AgentRecord& agent, Unit& unit) {
    agent.runtime.run_status =
        agent.runtime.failure_streak > 0 ? model::AgentRunStatus::failed : model::AgentRunStatus::idle;
    agent.runtime.active_run_id = 0;
    agent.runtime.active_session_id.clear();
    agent.runtime.updated_at = unit.now;
    agents_.touch(agent);
}

base::Result<void> Wakes::close(model::Wake wake, WakeState state, std::optional<model::RunError> error, Unit& unit) {
    const bool was_running = wake.state == WakeState::running;
    rules::end_wake(wake, state, std::move(error), unit.now);
    book_.put(wake);
    if (wake.run_id != 0) TRY(end_run(wake, std::nullopt, unit));
    if (was_running) {
        TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
        rest_agent(*agent, unit);
    }
    TRY(tell(wake, false, unit));
    return was_running ? announce_next(wake.agent_id, unit) : base::Result<void>{};
}

// Its run, where it has not ended before: well where the wake went on or ended well, else as that did.
base::Result<void> Wakes::end_run(const model::Wake& wake, const std::optional<model::RawJson>& result, Unit& unit) {
    if (runs_.find_open(wake.run_id) == nullptr) return {};
    if (!model::is_ended(wake.state)) return runs_.complete(wake.run_id, result, unit);
    const model::RunError error =
        wake.error ? *wake.error : model::RunError{std::string(model::wake_state_name(wake.state)), {}};
    if (wake.state == WakeState::failed || wake.state == WakeState::no_turn) {
        return runs_.fail(wake.run_id, error, unit);
    }
    return runs_.cancel(wake.run_id, error.message.empty() ? error.type : error.message, unit);
}

base::Result<void> Wakes::agent_destroyed(const model::AgentRecord& agent, const model::Principal&, Unit& unit) {
    TRY(refresh(unit));
    rules_.remove_of_agent(agent.agent.id);
    for (const model::WakeId id : book_.of_agent(agent.agent.id)) {
        TRY(close(book_.find(id)->wake, WakeState::destroyed, std::nullopt, unit));
    }
    return {};
}

base::Result<std::uint64_t> Wakes::erase_user(const std::string& user_id, Unit& unit) {
    // What earlier commands of this transaction made is written first, or it would outlive its user.
    TRY(book_.flush(unit));
    TRY(agents_.flush(unit));
    TRY_ASSIGN(const std::uint64_t gone, unit.store.agents().erase_user(user_id, limits::sweep_slice_rows));
    if (gone == 0) return gone;
    agents_.clear();
    stale_ = true;
    rules_stale_ = true;
    TRY(refresh(unit));
    return gone;
}

// A place is free: whoever waits for one is told.
base::Result<void> Wakes::announce_next(const std::string& agent_id, Unit& unit) {
    using model::WorkflowKind;
    std::vector<model::WakeId> next;
    for (const WorkflowKind kind : {WorkflowKind::worker, WorkflowKind::model, WorkflowKind::script}) {
        for (const auto& found : {book_.next_of(agent_id, kind), book_.next_of(kind)}) {
            if (found && std::ranges::find(next, *found) == next.end()) next.push_back(*found);
        }
    }
    for (const model::WakeId id : next) {
        const WakeBook::Entry& entry = *book_.find(id);
        has_work_ = has_work_ || entry.workflow != WorkflowKind::worker;
        TRY(tell(entry.wake, true, unit));
    }
    return {};
}

base::Result<void> Wakes::make_ready(model::WakeId id, Unit& unit) {
    const model::Wake wake = book_.find(id)->wake;
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    if (agent == nullptr) return close(wake, WakeState::destroyed, std::nullopt, unit);
    if (const auto hindered = rules::hindrance(*agent, wake.reason, unit.now)) {
        return close(wake, *hindered, std::nullopt, unit);
    }
    book_.set_ready(id, agent->agent.workflow);
    if (agent->agent.workflow != model::WorkflowKind::worker) has_work_ = true;
    return tell(wake, true, unit);
}

// Its time has come, or whoever had claimed it is not heard of any more.
base::Result<void> Wakes::look_at(model::WakeId id, Unit& unit) {
    const WakeBook::Entry* const entry = book_.find(id);
    if (entry == nullptr) return {};
    if (entry->wake.state == WakeState::queued) return make_ready(id, unit);
    const bool is_hung = *entry->wake.deadline <= unit.now;
    const model::RunError error =
        is_hung ? model::RunError{"timed_out", "it did not end within " +
                                                   std::to_string(limits::wake_time_max.us / 1'000'000) + " s"}
                : model::RunError{"lost", "whoever had claimed it was not heard of any more"};
    return fail(entry->wake, error, unit);
}

base::Result<void> Wakes::tend(Unit& unit) {
    TRY(refresh(unit));
    for (const model::WakeId id : book_.due(unit.now, limits::sweep_slice_rows)) TRY(look_at(id, unit));
    if (next_sweep_ > unit.now) return {};
    TRY_ASSIGN(const std::uint64_t gone,
               unit.store.wakes().drop_ended(unit.now - limits::wakes_kept, limits::sweep_slice_rows));
    next_sweep_ = unit.now + (gone >= limits::sweep_slice_rows ? base::seconds(1) : sweep_pause);
    return {};
}

std::optional<base::Timestamp> Wakes::next_due() const {
    if (stale_ || rules_stale_) return base::Timestamp{};
    const auto due = book_.next_due();
    return due ? std::min(*due, next_sweep_) : next_sweep_;
}

// Runs that somebody has cancelled take their wake with them.
base::Result<void> Wakes::leave_runs(Unit& unit) {
    for (const model::RunId run : std::vector<model::RunId>(runs_.ended_now())) {
        const auto id = book_.of_run(run);
        if (!id) continue;
        const model::RunError why{"cancelled", "its run was ended"};
        TRY(close(book_.find(*id)->wake, WakeState::cancelled, why, unit));
    }
    return {};
}

base::Result<void> Wakes::flush(Unit& unit) {
    TRY(leave_runs(unit));
    TRY(begin_turns(unit));
    return book_.flush(unit);
}

void Wakes::tell_dormant(const model::AgentRecord& agent, const model::RunError& error, Unit& unit) {
    NewNotification told;
    model::Notification& one = told.notification;
    one.scope.user_id = agent.agent.user_id;
    one.scope.agent_id = agent.agent.id;
    one.subscriber_id = "agents";
    one.emitter = "belfry";
    one.priority = model::Priority::high;
    one.severity = model::Severity::error;
    one.address = model::Address::user;
    one.target = model::Target::user;
    one.handler = model::Handler::system;
    one.text = agent.agent.display_name + " has failed " + std::to_string(limits::wake_failures_max) +
               " times in a row and rests now: " + (error.message.empty() ? error.type : error.message);
    if (one.text.size() > limits::notification_text_bytes_max) one.text.resize(limits::notification_text_bytes_max);
    model::Value tree = model::Value::object(3);
    tree.append("agent", model::Value::string(agent.agent.id));
    tree.append("rests_after_failures", model::Value::integer(limits::wake_failures_max));
    tree.append("last_error", model::Value::string(error.message.empty() ? error.type : error.message));
    auto content = text::toon_encode(tree);
    ASSERT(content.ok());
    one.content = std::move(*content);
    one.model_tokens = rules::estimate_model_tokens(one.content);
    told.source = "Belfry";
    told.user_is_named = true;
    ledger_.add(std::move(told), unit);
}

base::Result<void> Wakes::tell(const model::Wake& wake, bool is_ready, Unit& unit) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("type", "wake").name("ready").boolean(is_ready).name("wake");
    model::append_wake(writer, wake);
    writer.end_object();
    TRY_ASSIGN(const model::StreamId stream,
               unit.streams.named(unit.store, "agent:" + wake.user_id, wake.user_id, model::RetentionClass::delivery));
    const model::Facets facets{model::Severity::info, "wake", wake.user_id, wake.session_id};
    unit.streams.append(unit.store, stream, facets, body);
    return {};
}

void Wakes::committed(Effects& effects) {
    book_.committed();
    rules_.committed();
    effects.has_wakes = effects.has_wakes || std::exchange(has_work_, false);
}

void Wakes::dropped() {
    if (book_.dropped()) stale_ = true;
    if (rules_.dropped()) rules_stale_ = true;
    has_work_ = false;
}

}  // namespace belfry::engine
