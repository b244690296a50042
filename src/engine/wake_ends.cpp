#include <algorithm>
#include <span>

#include "engine/session_stream.hpp"
#include "engine/wakes.hpp"
#include "model/value.hpp"
#include "rules/agent.hpp"
#include "rules/change_wake.hpp"
#include "rules/due.hpp"
#include "rules/model_tokens.hpp"
#include "rules/wake.hpp"
#include "text/toon.hpp"
#include "text/utf8.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::WakeState;
constexpr std::size_t users_told_max = 100;  // of a place that is free; a claim that waits longer asks again itself

const std::string& text_of(const model::RunError& error) {
    return error.message.empty() ? error.type : error.message;
}

std::string dormant_text(const model::AgentRecord& agent, const model::RunError& error) {
    return agent.agent.display_name + " has failed " + std::to_string(limits::wake_failures_max) +
           " times in a row and rests now: " + text_of(error);
}

}  // namespace

base::Result<void> Wakes::complete(model::Wake wake, std::optional<model::RawJson> result, Unit& unit) {
    TRY_ASSIGN(const Errands errands, errands_of(wake, unit));
    bool is_short = errands.open > 0;
    if (is_short) {
        TRY_ASSIGN(const bool goes_on, leave_rest(wake, unit));
        is_short = !goes_on;
    }
    if (is_short) {
        return fail(std::move(wake),
                    {"no_turn", std::to_string(errands.open) + " of " + std::to_string(errands.all) +
                                    " notifications and words of its person were not taken"},
                    unit);
    }
    // A worker that ended well has the messages that it took, also those that its wake was not for.
    TRY_ASSIGN(const WakeHolder holder, holder_of(wake, unit));
    if (errands.held > 0 || !holder.is_owner) TRY(confirm_words(wake, unit));
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    agent->runtime.failure_streak = 0;
    agent->state.last_wake_at = unit.now;
    TRY(changes_.refresh(unit));
    agent->state.processed_counter_by_host = rules::processed_after(
        std::move(agent->state.processed_counter_by_host), changes_.settled(), book_.carried(wake.agent_id, wake.id));
    agents_.touch_state(*agent, unit.now);
    TRY(tell_all_done(wake, unit));
    TRY(end_run(wake, result, unit));
    return close(std::move(wake), WakeState::completed, std::nullopt, unit);
}

base::Result<void> Wakes::leave_turn(const model::Wake& wake, bool is_over, Unit& unit) {
    if (wake.session_id.empty()) return {};
    TRY_ASSIGN(const WakeHolder holder, holder_of(wake, unit));
    TRY_ASSIGN(model::Session* const session, sessions_.find(wake.session_id, unit));
    if (session == nullptr) return {};
    // A principal that works for several agents may be in the turn of another one. In its own session the agent goes on
    // with the turn at its next attempt; only Belfry's own workers are known to be gone.
    const bool is_agents = std::ranges::equal(session->progress.turn_agents, std::span(&wake.agent_id, 1));
    const bool is_left = !holder.is_owner || (is_over && session->progress.turn_by == holder.house);
    if (!is_agents || !is_left || !rules::stop_turn(*session, unit.now)) return {};
    sessions_.touch(*session);
    TRY(tell_turn(*session, TurnNews::ended, unit));
    return user_messages_.after_turn(*session, unit);
}

// Again after a pause that grows; after so many failures in a row the agent rests, and its person is told.
base::Result<void> Wakes::fail(model::Wake wake, model::RunError error, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    const std::int64_t failures = ++agent->runtime.failure_streak;
    agents_.touch(*agent);
    TRY(leave_to_others(wake, unit));
    // What it took of its person's words and did not confirm is due to the next attempt.
    TRY(free_words(wake, unit));
    const bool is_dormant = failures >= limits::wake_failures_max;
    if (is_dormant) TRY(lay_down(wake, *agent, error, unit));
    else TRY(release_notifications(wake, true, unit));
    // Its attempts are those of one run: where that has ended, there is no other.
    if (is_dormant || runs_.find_open(wake.run_id) == nullptr) {
        const WakeState end = error.type == "no_turn" ? WakeState::no_turn : WakeState::failed;
        return close(std::move(wake), end, std::move(error), unit);
    }
    return requeue(std::move(wake), *agent, std::move(error), unit.now + rules::pause_after(failures), unit);
}

// Others may watch it: this is a change of it like any other.
base::Result<void> Wakes::lay_down(const model::Wake& wake, model::AgentRecord& agent, const model::RunError& error,
                                   Unit& unit) {
    agent.agent.lifecycle = model::AgentLifecycle::dormant;
    agent.agent.updated_at = unit.now;
    TRY_ASSIGN(const model::ChangeOrigin origin, origin_of(wake, unit));
    agents_.touch(agent, origin);
    // One event gives the user one item: a notification that goes to the user now says why.
    TRY_ASSIGN(const bool is_told, give_notifications_up(wake, dormant_text(agent, error), unit));
    if (!is_told) tell_dormant(agent, error, unit);
    return {};
}

base::Result<void> Wakes::requeue(model::Wake wake, model::AgentRecord& agent, model::RunError error,
                                  base::Timestamp again, Unit& unit) {
    std::string data;
    model::JsonWriter(data)
        .begin_object()
        .field("wake_id", wake.id)
        .field("attempt", wake.attempts)
        .field("error", error.type)
        .field("message", error.message)
        .field("again_at", base::format_timestamp(std::max(again, unit.now)))
        .end_object();
    (void)runs_.tell(wake.run_id, "wake.failed", data, unit);
    runs_.hear(wake.run_id, unit.now);
    TRY(leave_turn(wake, false, unit));
    rules::requeue_wake(wake, std::move(error), again);
    rest_agent(agent, unit);
    book_.put(wake);
    if (wake.due_at <= unit.now) TRY(make_ready(wake.id, unit));
    TRY(tell(wake, false, unit));
    return announce_next(wake.agent_id, unit);
}

// Nobody has failed: whoever had it was told to stop, or never heard that it was his.
base::Result<void> Wakes::release(model::Wake wake, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    TRY(free_words(wake, unit));
    TRY(release_notifications(wake, false, unit));
    std::string data;
    model::JsonWriter(data)
        .begin_object()
        .field("wake_id", wake.id)
        .field("attempt", wake.attempts)
        .field("holder", wake.holder)
        .end_object();
    (void)runs_.tell(wake.run_id, "wake.released", data, unit);
    runs_.hear(wake.run_id, unit.now);
    TRY(leave_turn(wake, false, unit));
    rules::release_wake(wake);
    rest_agent(*agent, unit);
    const model::WakeId id = wake.id;
    const std::string agent_id = wake.agent_id;
    book_.put(std::move(wake));
    TRY(make_ready(id, unit));
    return announce_next(agent_id, unit);
}

base::Result<void> Wakes::give_up(model::Wake wake, model::RunError error, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    const std::int64_t failures = ++agent->runtime.failure_streak;
    agents_.touch(*agent);
    TRY(leave_to_others(wake, unit));
    TRY(free_words(wake, unit));
    if (failures >= limits::wake_failures_max) TRY(lay_down(wake, *agent, error, unit));
    else TRY(give_notifications_up(wake, agent->agent.display_name + " has failed: " + text_of(error), unit));
    return close(std::move(wake), WakeState::failed, std::move(error), unit);
}

// Belfry's own workers are not at work: they have just started, or stop.
base::Result<void> Wakes::take_back(ports::ReturnWakes& command, Unit& unit) {
    for (const model::WakeId id : book_.running_ids()) {
        const model::Wake wake = book_.find(id)->wake;
        TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
        if (agent == nullptr || agent->agent.workflow == model::WorkflowKind::worker) continue;
        model::RunError why{"stopped", "Belfry stopped while it worked"};
        // What ends Belfry again and again is not begun for ever.
        if (wake.attempts >= limits::wake_failures_max) {
            TRY(fail(wake, std::move(why), unit));
            continue;
        }
        TRY(free_words(wake, unit));
        TRY(release_notifications(wake, false, unit));
        // The run keeps its place: the wakes behind it may be there for notifications that its plan tells.
        TRY(requeue(wake, *agent, std::move(why), std::min(wake.due_at, unit.now), unit));
    }
    command.settle(ports::Nothing{});
    return {};
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
    // Whoever of Belfry's own works on it is to hear that it is not his any more.
    const WakeBook::Entry* const entry = book_.find(wake.id);
    if (was_running && entry != nullptr && entry->workflow != model::WorkflowKind::worker) has_work_ = true;
    if (was_running) {
        TRY_ASSIGN(const WakeHolder holder, holder_of(wake, unit));
        // The user who cancels a wake does not want the agent to begin again with the same messages.
        if (state == WakeState::cancelled && !holder.is_visitor) TRY(confirm_words(wake, unit));
        else if (state != WakeState::completed) TRY(free_words(wake, unit));
        TRY(leave_turn(wake, true, unit));
    }
    rules::end_wake(wake, state, std::move(error), unit.now);
    ended_now_.push_back(wake.id);
    book_.put(wake);
    if (wake.run_id != 0) TRY(end_run(wake, std::nullopt, unit));
    if (was_running) {
        TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
        rest_agent(*agent, unit);
        if (state != WakeState::completed) TRY(release_notifications(wake, true, unit));
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
    // One that never began cannot fail.
    const bool has_begun = runs_.find_open(wake.run_id)->state == model::RunState::running;
    if (has_begun && (wake.state == WakeState::failed || wake.state == WakeState::no_turn)) {
        return runs_.fail(wake.run_id, error, unit);
    }
    return runs_.cancel(wake.run_id, error.message.empty() ? error.type : error.message, unit);
}

base::Result<void> Wakes::agent_destroyed(const model::AgentRecord& agent, const model::Principal&, Unit& unit) {
    TRY(refresh(unit));
    TRY_ASSIGN(const auto subscriptions, unit.store.agents().subscriptions_of(agent.agent.id));
    for (const model::WakeSubscription& one : subscriptions) {
        rules_.remove(one.id);
        TRY(unit.store.agents().remove_subscription(one.id));
    }
    for (const model::WakeId id : book_.of_agent(agent.agent.id)) {
        TRY(close(book_.find(id)->wake, WakeState::destroyed, std::nullopt, unit));
    }
    return {};
}

// A place is free: whoever waits for one is told. Where there was none over all, that may be anybody: the first of one
// user may have no worker, and another's would not hear of it.
base::Result<void> Wakes::announce_next(const std::string& agent_id, Unit& unit) {
    using model::WorkflowKind;
    std::vector<model::WakeId> next;
    for (const WorkflowKind kind : {WorkflowKind::worker, WorkflowKind::model, WorkflowKind::script}) {
        std::vector<model::WakeId> found;
        if (const auto own = book_.next_of(agent_id, kind)) found.push_back(*own);
        if (book_.running() + 1 >= options_.running_max) {
            const std::vector<model::WakeId> firsts = book_.next_of_each_user(kind, users_told_max);
            found.insert(found.end(), firsts.begin(), firsts.end());
        } else if (const auto first = book_.next_of(kind)) {
            found.push_back(*first);
        }
        for (const model::WakeId id : found) {
            if (std::ranges::find(next, id) == next.end()) next.push_back(id);
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
    model::Wake wake = book_.find(id)->wake;
    TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    if (agent == nullptr) return close(wake, WakeState::destroyed, std::nullopt, unit);
    TRY_ASSIGN(const bool hindered, is_hindered(wake, *agent, unit));
    if (hindered) return {};
    TRY_ASSIGN(const bool is_anothers, is_left_to_another(wake, unit));
    if (is_anothers) return {};
    book_.set_ready(id, agent->agent.workflow);
    if (agent->agent.workflow != model::WorkflowKind::worker) has_work_ = true;
    return tell(wake, true, unit);
}

// A correction of this device's clock may have moved the end of its sleep.
base::Result<base::Timestamp> Wakes::sleep_of(const model::AgentRecord& agent, Unit& unit) {
    auto* const store = dynamic_cast<ports::ClockStore*>(&unit.store);
    if (store == nullptr) return *agent.state.sleep_until;
    return store->clock().moved_sleep(agent.agent.id, *agent.state.sleep_until);
}

// What its person said in a session waits for an agent that sleeps or is dormant: it is not said again.
base::Result<bool> Wakes::is_hindered(const model::Wake& wake, const model::AgentRecord& agent, Unit& unit) {
    const auto hindered = rules::hindrance(agent, wake.reason, unit.now);
    if (!hindered) return false;
    std::optional<base::Timestamp> sleeps_until;
    if (*hindered == WakeState::sleeping) {
        TRY_ASSIGN(sleeps_until, sleep_of(agent, unit));
        if (*sleeps_until <= unit.now) return false;
    }
    const bool may_pass = *hindered == WakeState::sleeping || *hindered == WakeState::dormant;
    if (may_pass && !wake.session_id.empty()) {
        TRY_ASSIGN(const Errands errands, errands_of(wake, unit));
        if (errands.words > 0) {
            book_.let_rest(wake.id, sleeps_until);
            return true;
        }
    }
    TRY(close(wake, *hindered, std::nullopt, unit));
    return true;
}

// Its time has come, or whoever had claimed it is not heard of any more.
base::Result<void> Wakes::look_at(model::WakeId id, Unit& unit) {
    const WakeBook::Entry* const entry = book_.find(id);
    if (entry == nullptr) return {};
    if (entry->wake.state == WakeState::queued) return make_ready(id, unit);
    const auto unheard = unheard_.find(id);
    if (unheard != unheard_.end() && unheard->second == entry->wake.fence) return pardon(entry->wake, unit);
    const bool is_hung = *entry->wake.deadline <= unit.now;
    const model::RunError error =
        is_hung ? model::RunError{"timed_out", "it did not end within " +
                                                   std::to_string(limits::wake_time_max.us / 1'000'000) + " s"}
                : model::RunError{"lost", "whoever had claimed it was not heard of any more"};
    return fail(entry->wake, error, unit);
}

// Its claim ran out while there was nobody to renew it with: it is due at once, and its agent has not failed.
base::Result<void> Wakes::pardon(const model::Wake& wake, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake.agent_id, unit));
    model::RunError why{"down", "its claim ran out while Belfry was down"};
    // As with what is taken back: Belfry's own work that ends Belfry is not begun for ever.
    const bool is_house_work = agent->agent.workflow != model::WorkflowKind::worker;
    if (is_house_work && wake.attempts >= limits::wake_failures_max) return fail(wake, std::move(why), unit);
    TRY(free_words(wake, unit));
    TRY(release_notifications(wake, false, unit));
    return requeue(wake, *agent, std::move(why), std::min(wake.due_at, unit.now), unit);
}

// A run that somebody has cancelled takes its wake with it.
base::Result<void> Wakes::leave_runs(Unit& unit) {
    if (runs_.ended_now().empty()) return {};
    TRY(refresh(unit));
    for (const model::RunId id : std::vector<model::RunId>(runs_.ended_now())) {
        const auto wake_id = book_.of_run(id);
        if (!wake_id) continue;
        const model::Wake wake = book_.find(*wake_id)->wake;
        TRY(close(wake, WakeState::cancelled, model::RunError{"cancelled", "its run was cancelled"}, unit));
    }
    return {};
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
    one.text = dormant_text(agent, error);
    if (one.text.size() > limits::notification_text_bytes_max) {
        const std::string_view start = std::string_view(one.text).substr(0, limits::notification_text_bytes_max);
        one.text.resize(text::utf8_valid_prefix(start));
    }
    model::Value tree = model::Value::object(3);
    tree.append("agent", model::Value::string(agent.agent.id));
    tree.append("rests_after_failures", model::Value::integer(limits::wake_failures_max));
    tree.append("last_error", model::Value::string(text_of(error)));
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

}  // namespace belfry::engine
