#include "engine/outside_calls.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "base/tool_limits.hpp"
#include "engine/sink_calls.hpp"
#include "rules/delivery_wake.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/outside_call.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::OutsideCall;
using model::OutsideCallState;
using model::ToolRunner;

base::Error no_such_call() {
    return base::error(Code::not_found, "there is no such call of a tool", "id");
}

std::string stream_of(const std::string& tool_name) {
    return "tool:" + tool_name;
}

// Whose calls a principal may carry out; nothing: everybody's.
base::Result<std::vector<std::string>> users_of(const model::Principal& who) {
    std::vector<std::string> users = who.bounds.users;
    if (who.role == model::Role::user) users = {who.user_id};
    if (users.empty()) TRY(rules::may_work_for(who, {}));
    for (const std::string& user : users) TRY(rules::may_work_for(who, user));
    return users;
}

model::RawJson detail_of(const std::string& tool_name) {
    std::string detail;
    model::JsonWriter(detail).begin_object().field("tool", tool_name).end_object();
    return model::RawJson::trusted(std::move(detail));
}

}  // namespace

std::vector<std::type_index> OutsideCalls::handles() const {
    return {typeid(ports::ClaimOutsideCall), typeid(ports::RenewOutsideCall), typeid(ports::EndOutsideCall)};
}

base::Result<void> OutsideCalls::rebuild(Unit& unit) {
    dropped();
    TRY_ASSIGN(next_due_, unit.store.outside_calls().next_due());
    TRY_ASSIGN(const std::vector<model::WakeId> wakes, unit.store.outside_calls().waiting_wakes());
    waiting_ = {wakes.begin(), wakes.end()};
    return {};
}

base::Result<void> OutsideCalls::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::ClaimOutsideCall*>(&command)) return claim(*wish, unit);
    if (auto* wish = dynamic_cast<ports::RenewOutsideCall*>(&command)) return renew(*wish, unit);
    return end(static_cast<ports::EndOutsideCall&>(command), unit);
}

base::Result<std::optional<ports::ToolWait>> OutsideCalls::awaited(const model::AgentMessage& action, Unit& unit) {
    TRY_ASSIGN(const auto call, unit.store.outside_calls().of_action(action.id));
    if (!call || model::is_ended(call->state)) return std::optional<ports::ToolWait>{};
    return std::optional(ports::ToolWait{ports::ToolWait::For::outside, base::format_uuid(call->id.uuid)});
}

base::Result<ports::ToolWait> OutsideCalls::hand_out(const ToolActor& actor, const model::ToolInfo& tool,
                                                     const model::AgentMessage& action, const model::RawJson& arguments,
                                                     Unit& unit) {
    if (tool.impact == model::Impact::external) TRY(promote(actor, tool.name, unit));
    OutsideCall call;
    if (tool.execution.by == ToolRunner::webhook) {
        TRY_ASSIGN(call.id.uuid, outbox_.owe(std::string(tool_call_kind), detail_of(tool.name), unit));
    } else {
        call.id.uuid = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
    }
    call.tool_name = tool.name;
    call.by = tool.execution.by;
    call.operation_id = action.metadata.operation_id;
    call.agent_id = actor.wake.agent_id;
    call.user_id = actor.wake.user_id;
    call.wake_id = actor.wake.id;
    call.action_id = action.id;
    call.arguments = arguments;
    call.created_at = unit.now;
    call.deadline = unit.now + tool.execution.time_max;
    TRY(write(call, unit));
    waiting_.insert(call.wake_id);
    record_.hear(actor.wake, unit);
    record_.show_call(actor.wake, {call.operation_id, call.tool_name}, arguments, unit);
    if (call.by == ToolRunner::worker) TRY(announce(call, unit));
    return ports::ToolWait{ports::ToolWait::For::outside, base::format_uuid(call.id.uuid)};
}

// A worker may not have pulled the notifications that woke it, or may have pulled them in a session of its own. An
// agent that Belfry runs has pulled those that it deals with.
base::Result<void> OutsideCalls::promote(const ToolActor& actor, const std::string& tool_name, Unit& unit) {
    const std::string& session_id = actor.wake.session_id;
    const bool is_worker = actor.agent.agent.workflow == model::WorkflowKind::worker;
    bool is_told = false;
    if (!session_id.empty()) {
        TRY_ASSIGN(is_told, hand_over_.promote(session_id, tool_name, unit));
    }
    std::vector<model::NotificationId> waiting;
    std::vector<model::NotificationId> ended;
    const auto add = [&](const model::WakeSignal&, const model::Notification& row) -> base::Result<void> {
        const bool is_promoted = !session_id.empty() && row.state == model::DeliveryState::locked &&
                                 row.handed_to == session_id && !row.holder.empty();
        const bool is_given =
            is_worker || (row.state != model::DeliveryState::pending && row.state != model::DeliveryState::dispatched);
        if (!is_promoted && is_given) (rules::waits_for_agent(row) ? waiting : ended).push_back(row.id);
        return {};
    };
    TRY(wakes_.each_notification(actor.wake, add, unit));
    for (const model::NotificationId& id : waiting) {
        TRY_ASSIGN(const bool is_named, hand_over_.promote_row(id, tool_name, unit));
        is_told = is_told || is_named;
    }
    // A notification that was shown or has ended names the tool only if no other one does.
    for (std::size_t i = 0; i < ended.size() && !is_told; ++i) {
        TRY_ASSIGN(is_told, HandOver::is_named_by(ended[i], tool_name, unit));
    }
    for (std::size_t i = 0; i < ended.size() && !is_told; ++i) {
        TRY_ASSIGN(is_told, hand_over_.promote_row(ended[i], tool_name, unit));
    }
    return {};
}

base::Result<void> OutsideCalls::announce(const OutsideCall& call, Unit& unit) {
    TRY_ASSIGN(const model::StreamId stream,
               unit.streams.named(unit.store, stream_of(call.tool_name), {}, model::RetentionClass::delivery));
    std::string body;
    model::JsonWriter(body)
        .begin_object()
        .field("type", "tool_call")
        .field("id", base::format_uuid(call.id.uuid))
        .end_object();
    unit.streams.append(unit.store, stream, {model::Severity::info, "tool_call", call.user_id, {}}, body);
    return {};
}

// One whose time is over is ended, not begun.
base::Result<std::optional<OutsideCall>> OutsideCalls::next_of(const std::string& tool_name,
                                                               std::span<const std::string> users, Unit& unit) {
    while (true) {
        TRY_ASSIGN(auto next, unit.store.outside_calls().next(tool_name, users));
        if (!next || next->deadline > unit.now) return next;
        TRY(fail(*next, OutsideCallState::failed, timed_out(*next), unit));
    }
}

base::Result<void> OutsideCalls::claim(ports::ClaimOutsideCall& command, Unit& unit) {
    auto users = users_of(command.principal);
    if (!users.ok()) {
        command.refuse(std::move(users).error());
        return {};
    }
    std::optional<OutsideCall> oldest;
    for (const std::string& name : command.tools) {
        TRY_ASSIGN(const auto tool, tools_.find(name, unit));
        if (!tool || tool->execution.by != ToolRunner::worker) {
            command.refuse(base::error(Code::not_found,
                                       "there is no tool \"" + name + "\" that workers carry out: register it first",
                                       "tools"));
            return {};
        }
        TRY_ASSIGN(auto next, next_of(name, *users, unit));
        if (next && (!oldest || next->id < oldest->id)) oldest = std::move(next);
    }
    ports::ClaimedOutsideCall reply;
    if (oldest) {
        rules::claim_call(*oldest, command.holder, command.lease, unit.now);
        TRY(write(*oldest, unit));
        reply.call = std::move(oldest);
    } else {
        // Whoever got nothing listens to these streams: they are there from now on.
        for (const std::string& name : command.tools) {
            TRY(unit.streams.named(unit.store, stream_of(name), {}, model::RetentionClass::delivery));
        }
    }
    command.settle(std::move(reply));
    return {};
}

base::Result<OutsideCalls::Found> OutsideCalls::find(const model::Principal& who, const model::OutsideCallId& id,
                                                     Unit& unit) {
    // A worker of external tools serves all agents of a user: a token that is bound to agents has no part in it
    // (decision 0029).
    if (rules::is_confined(who)) return Found(no_such_call());
    TRY_ASSIGN(auto call, unit.store.outside_calls().find(id));
    if (!call || !rules::may_work_for(who, call->user_id, call->agent_id).ok()) return Found(no_such_call());
    return Found(std::move(*call));
}

base::Result<void> OutsideCalls::renew(ports::RenewOutsideCall& command, Unit& unit) {
    TRY_ASSIGN(Found call, find(command.principal, command.id, unit));
    auto may = call.ok() ? rules::require_call(*call, command.fence, unit.now) : base::Result<void>(call.error());
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    rules::renew_call(*call, command.lease, unit.now);
    TRY(write(*call, unit));
    command.settle(std::move(*call));
    return {};
}

base::Result<void> OutsideCalls::end(ports::EndOutsideCall& command, Unit& unit) {
    TRY_ASSIGN(Found call, find(command.principal, command.id, unit));
    if (call.ok() && call->by == ToolRunner::webhook) return end_webhook(command, std::move(*call), unit);
    auto may = call.ok() ? rules::require_call(*call, command.fence, unit.now) : base::Result<void>(call.error());
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    if (command.release) {
        rules::release_call(*call);
        TRY(put_back(*call, unit));
    } else if (command.error) {
        TRY(fail(*call, OutsideCallState::failed, *command.error, unit));
    } else {
        TRY(close(*call, OutsideCallState::done, ToolEffect{command.result.bytes()}, unit));
    }
    command.settle(std::move(*call));
    return {};
}

// Only Belfry itself asks a webhook. What came of it counts where the call has not timed out meanwhile; either way
// nothing more is owed.
base::Result<void> OutsideCalls::end_webhook(ports::EndOutsideCall& command, OutsideCall call, Unit& unit) {
    if (command.principal.id != model::house_principal().id) {
        command.refuse(base::error(Code::conflict, "a webhook carries out this call", "id", "stale_claim"));
        return {};
    }
    TRY_ASSIGN(const bool is_ours, outbox_.fulfil(call.id.uuid, command.fence, unit));
    if (!is_ours) {
        command.refuse(not_held());
        return {};
    }
    if (!model::is_ended(call.state)) {
        if (command.error) TRY(fail(call, OutsideCallState::failed, *command.error, unit));
        else TRY(close(call, OutsideCallState::done, ToolEffect{command.result.bytes()}, unit));
    }
    command.settle(std::move(call));
    return {};
}

ports::OutsideCallError OutsideCalls::timed_out(const OutsideCall& call) {
    const std::int64_t seconds = (call.deadline - call.created_at).us / 1'000'000;
    return {"timed_out", call.tool_name + " had no result within " + std::to_string(seconds) + " s"};
}

base::Result<void> OutsideCalls::fail(OutsideCall& call, OutsideCallState state, const ports::OutsideCallError& why,
                                      Unit& unit) {
    return close(call, state, base::error(Code::io, why.message, {}, why.code), unit);
}

base::Result<void> OutsideCalls::close(OutsideCall& call, OutsideCallState state, base::Result<ToolEffect> effect,
                                       Unit& unit) {
    rules::end_call(call, state, effect.ok() ? std::string() : effect.error().reason, unit.now);
    TRY(write(call, unit));
    TRY_ASSIGN(const std::optional<model::Wake> wake, wakes_.look_up(call.wake_id, unit));
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(call.agent_id, unit));
    TRY_ASSIGN(const auto action, unit.store.agent_messages().find(std::span(&call.action_id, 1)));
    // Its agent and all that it remembered may be gone by now.
    if (!wake || agent == nullptr || action.empty()) return {};
    // Whoever holds the wake may have told a result himself: an action has one.
    TRY_ASSIGN(const auto told, unit.store.agent_messages().result_of(call.action_id));
    if (told) return {};
    std::vector<model::AgentMessage> drafts;
    drafts.push_back(ToolRecord::draft(call.operation_id, std::move(effect)));
    TRY_ASSIGN(const auto taken, record_.append({*wake, *agent}, std::move(drafts), unit));
    record_.show_result(*wake, {call.operation_id, call.tool_name}, taken.front(), unit);
    return {};
}

base::Result<void> OutsideCalls::put_back(const OutsideCall& call, Unit& unit) {
    TRY(write(call, unit));
    // Its agent's work may have ended while somebody had it.
    TRY_ASSIGN(const std::optional<model::Wake> wake, wakes_.look_up(call.wake_id, unit));
    if (wake && model::is_ended(wake->state)) return leave_wake(call.wake_id, unit);
    return announce(call, unit);
}

// Nobody will wait for what was not begun; what was comes to its end.
base::Result<void> OutsideCalls::leave_wake(model::WakeId id, Unit& unit) {
    TRY_ASSIGN(std::vector<OutsideCall> open, unit.store.outside_calls().open_of_wake(id));
    for (OutsideCall& call : open) {
        bool is_begun = call.state == OutsideCallState::claimed;
        if (call.by == ToolRunner::webhook) {
            TRY_ASSIGN(const auto owed, unit.store.outbox().find(call.id.uuid));
            is_begun = owed && owed->attempts > 0;
        }
        if (is_begun) continue;
        TRY(fail(call, OutsideCallState::abandoned,
                 {"abandoned", "the run ended before anybody had begun with " + call.tool_name}, unit));
    }
    return {};
}

base::Result<void> OutsideCalls::flush(Unit& unit) {
    for (const model::WakeId id : wakes_.ended_now()) {
        if (!waiting_.contains(id)) continue;
        TRY(leave_wake(id, unit));
        left_.push_back(id);
    }
    if (due_changed_) {
        TRY_ASSIGN(pending_due_, unit.store.outside_calls().next_due());
    }
    return {};
}

base::Result<void> OutsideCalls::tend(Unit& unit) {
    TRY_ASSIGN(std::vector<OutsideCall> late, unit.store.outside_calls().overdue(unit.now, limits::sweep_slice_rows));
    due_changed_ = true;
    for (const OutsideCall& one : late) {
        TRY_ASSIGN(const auto now, unit.store.outside_calls().find(one.id));
        if (!now || model::is_ended(now->state)) continue;  // with another of its run
        OutsideCall call = *now;
        if (call.deadline <= unit.now) {
            TRY(fail(call, OutsideCallState::failed, timed_out(call), unit));
        } else if (call.attempts >= limits::tool_attempts_max) {
            TRY(fail(call, OutsideCallState::failed,
                     {"tool_unavailable", std::to_string(call.attempts) + " workers in a row began with " +
                                              call.tool_name + " and were not heard of any more"},
                     unit));
        } else {
            rules::put_back_call(call);
            TRY(put_back(call, unit));
        }
    }
    return {};
}

base::Result<void> OutsideCalls::write(const OutsideCall& call, Unit& unit) {
    due_changed_ = true;
    return unit.store.outside_calls().put(call);
}

void OutsideCalls::committed(Effects&) {
    if (due_changed_) next_due_ = pending_due_;
    for (const model::WakeId id : left_) waiting_.erase(id);
    dropped();
}

void OutsideCalls::dropped() {
    pending_due_.reset();
    due_changed_ = false;
    left_.clear();
}

}  // namespace belfry::engine
