#include "engine/wakes.hpp"

#include <limits>

#include "rules/agent.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/wake.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::WakeReason;
using model::WakeState;
constexpr base::Duration sweep_pause = base::hours(1);

base::Error no_such_wake() {
    return base::error(Code::not_found, "there is no such wake", "id");
}
base::Error no_such_agent(const char* field = "agent_id") {
    return base::error(Code::not_found, "there is no such agent", field);
}

}  // namespace

std::vector<std::type_index> Wakes::handles() const {
    return {typeid(ports::WakeAgent), typeid(ports::ClaimWake),  typeid(ports::RenewWake),
            typeid(ports::EndWake),   typeid(ports::CancelWake), typeid(ports::ReturnWakes)};
}

base::Result<void> Wakes::rebuild(Unit& unit) {
    dropped();
    stale_ = true;
    rules_stale_ = true;
    next_sweep_ = unit.now + sweep_pause;
    awake_since_ = unit.now;
    TRY(refresh(unit));
    unheard_.clear();
    for (const model::WakeId id : book_.due(unit.now, std::numeric_limits<std::size_t>::max())) {
        const model::Wake& wake = book_.find(id)->wake;
        if (wake.state == WakeState::running && *wake.lease_until <= unit.now) unheard_.emplace(id, wake.fence);
    }
    return {};
}

base::Result<void> Wakes::refresh(Unit& unit) {
    if (std::exchange(has_slept_, false)) awake_since_ = unit.now;
    if (rules_stale_) TRY(rules_.rebuild(unit));
    rules_stale_ = false;
    if (stale_) TRY(book_.rebuild(unit));
    stale_ = false;
    return {};
}

base::Result<void> Wakes::times_were_corrected(WakeBook::Correction why, Unit& unit) {
    TRY(refresh(unit));
    return book_.match_store(why, unit);
}

base::Result<void> Wakes::apply(ports::Command& command, Unit& unit) {
    TRY(refresh(unit));
    TRY(leave_runs(unit));  // those that an earlier command has ended
    if (auto* wish = dynamic_cast<ports::WakeAgent*>(&command)) return wake(*wish, unit);
    if (auto* wish = dynamic_cast<ports::ClaimWake*>(&command)) return claim(*wish, unit);
    if (auto* wish = dynamic_cast<ports::RenewWake*>(&command)) return renew(*wish, unit);
    if (auto* wish = dynamic_cast<ports::EndWake*>(&command)) return end(*wish, unit);
    if (auto* wish = dynamic_cast<ports::ReturnWakes*>(&command)) return take_back(*wish, unit);
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

base::Result<void> Wakes::wake(ports::WakeAgent& command, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(command.agent_id, unit));
    rules::WakePlace place;
    place.session_id = command.session_id;
    std::string session_agent;
    if (!command.session_id.empty()) {
        TRY_ASSIGN(const model::Session* const session, sessions_.find(command.session_id, unit));
        place.is_named = session != nullptr && !session->user_is_default;
        if (session != nullptr) session_agent = session->agent_id;
        place.session_agent = session_agent;
    }
    if (agent == nullptr || !rules::may_wake(command.principal, agent->agent, place).ok()) {
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
    TRY_ASSIGN(auto before, find_key(fresh.run_key, unit));
    if (before) {
        // Who may not see it learns only that the name is taken.
        if (!rules::may_use_session(command.principal, before->session_id, before->user_id, before->agent_id).ok()) {
            command.refuse(base::error(Code::conflict, "request_id is taken", "request_id", "taken"));
            return {};
        }
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
    std::vector<WakeWords> spoken;
    // A person who waits for it can watch and cancel it from now on.
    if (is_persons) {
        TRY_ASSIGN(const base::Result<model::RunId> run, make_run(fresh, *agent, false, unit));
        if (!run.ok()) {
            command.refuse(run.error());
            return {};
        }
        fresh.run_id = *run;
        if (command.spoken) {
            TRY_ASSIGN(spoken, name_words(command, unit));
        }
        TRY_ASSIGN(const auto recorded, record_words(command, fresh.run_key, spoken, unit));
        if (!recorded.ok()) {
            command.refuse(recorded.error());
            return {};
        }
    }
    TRY_ASSIGN(model::Wake made, enqueue(std::move(fresh), unit));
    Signal cause;
    cause.kind = is_persons ? model::SignalKind::user : model::SignalKind::manual;
    cause.key = command.request_id;
    cause.body = command.input.bytes();
    TRY(add_signal(made, cause, unit));
    if (const model::Wake* const waiting = is_persons ? nullptr : joinable(command.agent_id, {}, false)) {
        TRY(fold(*waiting, made, unit));
    }
    TRY(remember_words(command, *agent, made.thread_id, spoken, unit));
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
        const bool may =
            agent != nullptr && rules::may_work_for(command.principal, agent->agent.user_id, agent_id).ok();
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
    while (!reply.grant && book_.running() < options_.running_max) {
        TRY_ASSIGN(const auto next, next_for(command, unit));
        if (!next) break;
        // One that is tried again has its place already.
        const model::Run* const run = runs_.find_open(book_.find(*next)->wake.run_id);
        const bool has_place = run != nullptr && run->state == model::RunState::running;
        if (!has_place && !runs_.has_place()) break;
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

base::Result<base::Result<model::RunId>> Wakes::make_run(const model::Wake& wake, const model::AgentRecord& agent,
                                                         bool start, Unit& unit) {
    ports::CreateRun run;
    run.principal = model::house_principal();
    run.user_id = wake.user_id;
    run.session_id = wake.session_id;
    run.agent_id = wake.agent_id;
    run.run_key = wake.run_key;
    run.title = agent.agent.display_name;
    run.start = start;
    return runs_.begin(run, unit);
}

base::Result<base::Result<model::RunId>> Wakes::begin_run(const model::Wake& wake, const model::AgentRecord& agent,
                                                          Unit& unit) {
    if (wake.run_id == 0) return make_run(wake, agent, true, unit);
    TRY_ASSIGN(const auto may, runs_.check_session(wake.session_id, wake.user_id, unit));
    if (!may.ok()) return base::Result<model::RunId>(may.error());
    TRY(runs_.start_pending(wake.run_id, unit));
    return base::Result<model::RunId>(wake.run_id);
}

// Nothing where its agent is kept from it by now: then it has ended with that.
base::Result<std::optional<ports::WakeGrant>> Wakes::grant(model::WakeId id, const ports::ClaimWake& command,
                                                           Unit& unit) {
    model::Wake wake = book_.find(id)->wake;
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    ASSERT(agent != nullptr);
    TRY_ASSIGN(const bool hindered, is_hindered(wake, *agent, unit));
    if (hindered) return std::optional<ports::WakeGrant>{};
    TRY_ASSIGN(const Errands errands, errands_of(wake, unit));
    bool is_all_seen_to = errands.open == 0 && errands.held == 0;
    // The agent dealt with its notifications in an attempt that was interrupted: it goes on with its plan.
    if (is_all_seen_to && errands.escalated == 0) {
        TRY_ASSIGN(const bool is_begun_run, is_begun(wake, unit));
        is_all_seen_to = !is_begun_run;
    }
    if (errands.all > 0 && is_all_seen_to && errands.all == wake.signals) {
        TRY(close(std::move(wake), WakeState::not_needed, std::nullopt, unit));
        return std::optional<ports::WakeGrant>{};
    }
    TRY_ASSIGN(const bool is_plan_overtaken, is_overtaken(wake, *agent, unit));
    if (is_plan_overtaken) {
        TRY(plan_anew(wake, unit));
        return std::optional<ports::WakeGrant>{};
    }
    TRY_ASSIGN(const bool is_waiting, waits_for_a_plan(wake, *agent, unit));
    if (is_waiting) return std::optional<ports::WakeGrant>{};
    TRY_ASSIGN(const bool is_anothers, is_left_to_another(wake, unit));
    if (is_anothers) return std::optional<ports::WakeGrant>{};
    TRY_ASSIGN(const base::Result<model::RunId> begun, begin_run(wake, *agent, unit));
    if (!begun.ok()) {
        // Its session is gone by now: it would keep everything behind it from running.
        const model::RunError why{"cannot_run", begun.error().message};
        TRY(close(std::move(wake), WakeState::failed, why, unit));
        return std::optional<ports::WakeGrant>{};
    }
    wake.run_id = *begun;
    rules::claim_wake(wake, command.holder, command.lease, unit.now);
    TRY(claim_for_all(wake, unit));
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
    book_.set_worker(id, command.principal.id);
    TRY(tell(wake, false, unit));
    TRY(book_.write_signals(unit));
    ports::WakeGrant granted{std::move(wake), *agent, {}, {}, {}};
    if (agent->state.sleep_until) {
        TRY_ASSIGN(granted.agent.state.sleep_until, sleep_of(*agent, unit));
    }
    TRY_ASSIGN(granted.signals, unit.store.wakes().signals(id, 0, limits::wake_signals_granted_max));
    if (command.workflow != model::WorkflowKind::worker) {
        TRY(add_home(granted, unit));
        TRY(add_reserved(granted, unit));
    }
    std::size_t bytes = 0;
    for (model::WakeSignal& signal : granted.signals) {
        bytes += signal.body.bytes().size();
        if (bytes > limits::wake_signals_granted_bytes_max) signal.body = {};
    }
    if (command.context_messages) {
        TRY_ASSIGN(granted.context,
                   log_.context(granted.wake, granted.agent, granted.signals, *command.context_messages, unit));
    }
    if (command.workflow == model::WorkflowKind::model) {
        TRY_ASSIGN(granted.tools, tools_.offered_to(agent->agent, granted.wake.reason, unit));
    }
    return std::optional(std::move(granted));
}

base::Result<std::optional<model::Wake>> Wakes::look_up(model::WakeId id, Unit& unit) {
    TRY(refresh(unit));
    if (const WakeBook::Entry* const open = book_.find(id)) return std::optional(open->wake);
    TRY(book_.flush(unit));
    return unit.store.wakes().find(id);
}

base::Result<Wakes::Found> Wakes::find(const model::Principal& who, model::WakeId id, Unit& unit) {
    TRY_ASSIGN(std::optional<model::Wake> wake, look_up(id, unit));
    const bool may = wake && rules::may_use_session(who, wake->session_id, wake->user_id, wake->agent_id).ok();
    if (!may) return Found(no_such_wake());
    return Found(std::move(*wake));
}

base::Result<Wakes::Found> Wakes::claimed(const model::Principal& who, model::WakeId id, std::int64_t fence,
                                          Unit& unit) {
    TRY(refresh(unit));
    TRY(leave_runs(unit));
    TRY_ASSIGN(Found found, find(who, id, unit));
    if (!found.ok()) return found;
    if (!rules::may_work_for(who, found->user_id, found->agent_id).ok()) return Found(no_such_wake());
    auto may = rules::require_claim(*found, fence, unit.now);
    if (!may.ok()) return Found(std::move(may).error());
    book_.set_worker(id, who.id);
    return found;
}

base::Result<void> Wakes::renew(ports::RenewWake& command, Unit& unit) {
    TRY_ASSIGN(Found found, claimed(command.principal, command.id, command.fence, unit));
    if (!found.ok()) {
        command.refuse(std::move(found).error());
        return {};
    }
    rules::renew_wake(*found, command.lease, unit.now);
    unheard_.erase(found->id);
    runs_.hear(found->run_id, unit.now);
    book_.put(*found);
    TRY(tell_all_of_it(*found, unit));
    command.settle(std::move(*found));
    return {};
}

base::Result<void> Wakes::end(ports::EndWake& command, Unit& unit) {
    TRY_ASSIGN(Found found, claimed(command.principal, command.id, command.fence, unit));
    if (!found.ok()) {
        command.refuse(std::move(found).error());
        return {};
    }
    if (command.sleep_until || command.next_wake_at) {
        TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(found->agent_id, unit));
        if (command.sleep_until) agent->state.sleep_until = *command.sleep_until;
        if (command.next_wake_at) agent->state.next_wake_at = *command.next_wake_at;
        TRY_ASSIGN(const model::ChangeOrigin origin, origin_of(*found, unit));
        agents_.touch_state(*agent, unit.now, origin);
        sleep_changed(*agent);
    }
    if (command.release) TRY(release(*found, unit));
    else if (command.error && command.may_mend) TRY(fail(*found, *command.error, unit));
    else if (command.error) TRY(give_up(*found, *command.error, unit));
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

base::Result<void> Wakes::tend(Unit& unit) {
    TRY(refresh(unit));
    for (const model::WakeId id : book_.due(unit.now, limits::sweep_slice_rows)) TRY(look_at(id, unit));
    if (next_sweep_ > unit.now) return {};
    TRY_ASSIGN(const std::uint64_t gone,
               unit.store.wakes().drop_ended(unit.now - limits::wakes_kept, limits::sweep_slice_rows));
    TRY_ASSIGN(const std::uint64_t claims, RunClaims::sweep(unit));
    TRY_ASSIGN(const bool goes_on, sweep_.go_on(unit));
    const bool is_full = std::max(gone, claims) >= limits::sweep_slice_rows;
    next_sweep_ = unit.now + (is_full || goes_on ? base::seconds(1) : sweep_pause);
    return {};
}

std::optional<base::Timestamp> Wakes::next_due() const {
    if (stale_ || rules_stale_) return base::Timestamp{};
    const auto due = book_.next_due();
    return due ? std::min(*due, next_sweep_) : next_sweep_;
}

base::Result<void> Wakes::flush(Unit& unit) {
    TRY(leave_runs(unit));
    TRY(hear_words(unit));
    TRY(begin_turns(unit));
    return book_.flush(unit);
}

void Wakes::committed(Effects& effects) {
    book_.committed();
    rules_.committed();
    ended_now_.clear();
    effects.has_wakes = effects.has_wakes || std::exchange(has_work_, false);
}

void Wakes::dropped() {
    if (book_.dropped()) stale_ = true;
    if (rules_.dropped()) rules_stale_ = true;
    ended_now_.clear();
    has_work_ = false;
}

}  // namespace belfry::engine
