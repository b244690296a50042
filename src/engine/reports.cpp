#include "engine/reports.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/limits.hpp"
#include "engine/hold.hpp"
#include "engine/session_stream.hpp"
#include "model/subscriber.hpp"
#include "rules/due.hpp"
#include "rules/hold_proof.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/session_agent.hpp"
#include "rules/step_reason.hpp"

namespace belfry::engine {
namespace {

using base::Code;
namespace limits = base::limits;
constexpr std::size_t timeouts_a_slice = 256;

constexpr std::string_view call_types[] = {"tool.call.pending", "tool.call.success", "tool.call.failure",
                                           "tool.call.timeout"};

model::Event event_of(const model::Session& session, std::string_view type, std::string_view source,
                      model::RawJson payload) {
    model::Event event;
    event.type = type;
    event.source = source;
    event.user_id = session.user_id;
    event.session_id = session.id;
    event.agent_id = session.agent_id;
    event.payload = std::move(payload);
    return event;
}

// The agent that an event comes from: the one that was named, else the session's. A principal that is bound to an agent
// speaks as that agent, whosever the session is.
std::string speaker_of(const model::Session& session, const model::Principal& who) {
    return rules::may_use_agent(who, session.agent_id).ok() ? session.agent_id : who.bounds.agents.front();
}

void speak_as(model::Event& event, const model::Principal& who, const std::string& named) {
    if (!named.empty()) event.agent_id = named;
    else if (!rules::may_use_agent(who, event.agent_id).ok()) event.agent_id = who.bounds.agents.front();
}

model::RawJson turn_payload(const ports::ReportTurn& command, std::int64_t turn) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    writer.field("turn_number", static_cast<long long>(turn));
    writer.field("session_id", command.session_id);
    if (command.edge == ports::TurnEdge::end) {
        writer.field("reason", command.reason.empty() ? std::string_view("done") : std::string_view(command.reason));
        writer.field("tool_calls", static_cast<long long>(command.tool_calls));
        writer.field("tokens_used", static_cast<long long>(command.tokens_used));
    }
    writer.end_object();
    return model::RawJson::trusted(std::move(out));
}

// Whoever pulls first and then reports the start speaks of one turn; a turn that never ended is another one.
bool begins_turn(const model::Progress& before) {
    return before.in_turn || !before.turn_pulled;
}

// Whoever follows the session knows of its turn already: it was pulled for.
bool is_known_to_run(const model::Session& before) {
    const auto& [began, ended] = std::tie(before.last_turn_started_at, before.last_turn_ended_at);
    return !begins_turn(before.progress) && began && (!ended || *ended < *began);
}

void advance(model::Session& session, const ports::ReportTurn& command, const rules::TurnOwner& owner,
             base::Timestamp now) {
    model::Progress& progress = session.progress;
    if (command.edge == ports::TurnEdge::start) {
        const std::int64_t turn = command.turn_number.value_or(progress.turn + 1);
        if (turn == 1) rules::count_anew(progress);
        progress.turn = turn;
        if (begins_turn(progress)) rules::begin_turn(session, now, owner);
        else rules::set_turn_owner(progress, owner);
        if (progress.in_turn) progress.turn_pulled = false;
        progress.in_turn = true;
        ++session.turns_started;
    } else {
        progress.turn = command.turn_number.value_or(std::max<std::int64_t>(progress.turn, 1));
        progress.in_turn = progress.turn_pulled = false;
        rules::end_turn(session, now);
    }
    if (!progress.counting_since) progress.counting_since = now;
    progress.tokens_used += command.tokens_used;
    if (command.context_tokens) progress.context_used = *command.context_tokens;
}

model::RawJson self_payload(const ports::NotifySelf& command) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("message", command.message);
    if (!command.priority.empty()) writer.field("priority", command.priority);
    if (!command.category.empty()) writer.field("category", command.category);
    writer.field("deliver_at", command.deliver_at.empty() ? std::string_view("next_turn") : command.deliver_at);
    writer.end_object();
    return model::RawJson::trusted(std::move(out));
}

base::Result<void> check(const ports::NotifySelf& command) {
    if (command.message.empty() || command.message.size() > limits::self_message_bytes_max) {
        return base::error(Code::invalid,
                           "message must have 1 to " + std::to_string(limits::self_message_bytes_max) + " bytes",
                           "message");
    }
    if (!command.priority.empty() && !model::parse_priority(command.priority)) {
        return base::error(Code::invalid, "priority must be critical, high, normal or low", "priority");
    }
    const std::string& at = command.deliver_at;
    if (!at.empty() && at != "immediate" && at != "next_turn" && at != "after_tool") {
        return base::error(Code::invalid, "deliver_at must be immediate, next_turn or after_tool", "deliver_at");
    }
    if (command.after_turns < 0 || command.after_turns > limits::reminder_turns_max) {
        return base::error(Code::invalid,
                           "after_turns must lie between 0 and " + std::to_string(limits::reminder_turns_max),
                           "after_turns");
    }
    if (!(command.context_above >= 0 && command.context_above <= 1)) {
        return base::error(Code::invalid, "context_above is a share between 0 and 1", "when.context_above");
    }
    return {};
}

// True if the user was told of this call before: a call is reported when it begins and when it ends, maybe much later.
// Some runtimes use an id again for another call, so a call that has ended is known for a short time only.
bool is_known_effect(const model::Progress& progress, const std::string& call_id) {
    if (call_id.empty()) return false;
    const bool is_open = std::ranges::find(progress.effect_calls, call_id) != progress.effect_calls.end();
    return is_open || std::ranges::find(progress.actions, call_id, &model::Action::call_id) != progress.actions.end();
}

void note_effect(model::Progress& progress, const std::string& call_id, bool is_pending) {
    std::vector<std::string>& calls = progress.effect_calls;
    std::erase(calls, call_id);
    if (call_id.empty() || !is_pending) return;
    if (calls.size() >= limits::effect_calls_max) calls.erase(calls.begin());
    calls.push_back(call_id);
}

}  // namespace

std::vector<std::type_index> Reports::handles() const {
    return {typeid(ports::ReportTurn), typeid(ports::ReportToolCall), typeid(ports::NotifySelf)};
}

base::Result<void> Reports::rebuild(Unit& unit) {
    dropped();
    TRY_ASSIGN(next_timeout_, unit.store.sessions().next_timeout());
    return {};
}

base::Result<void> Reports::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<std::string> ids;
    for (const ports::Command* command : commands) {
        if (const auto* turn = dynamic_cast<const ports::ReportTurn*>(command)) ids.push_back(turn->session_id);
        else if (const auto* call = dynamic_cast<const ports::ReportToolCall*>(command))
            ids.push_back(call->session_id);
        else ids.push_back(static_cast<const ports::NotifySelf&>(*command).session_id);
    }
    return book_.load(ids, unit);
}

base::Result<void> Reports::apply(ports::Command& command, Unit& unit) {
    if (auto* report = dynamic_cast<ports::ReportTurn*>(&command)) return turn(*report, unit);
    if (auto* report = dynamic_cast<ports::ReportToolCall*>(&command)) return tool_call(*report, unit);
    return notify_self(static_cast<ports::NotifySelf&>(command), unit);
}

// What an agent reports while it holds something, or works on a wake, comes of that, whatever name it gives itself; a
// chain has an end.
base::Result<ports::Admitted> Reports::take_checked(model::Event event, const model::Principal& by, Unit& unit) {
    TRY_ASSIGN(const auto held, unit.store.notifications().depth_held(event.session_id));
    TRY_ASSIGN(const auto under, wakes_.depth_under(by, event.user_id, event.session_id, unit));
    const auto depth = std::max(held, under);
    if (depth) event.extensions = '"' + std::string(chain_depth_member) + "\":" + std::to_string(*depth + 1);
    return intake_.take_checked(std::move(event), by, unit);
}

base::Result<void> Reports::turn(ports::ReportTurn& command, Unit& unit) {
    TRY_ASSIGN(auto entered, sessions_.enter(command.principal, command.session_id, unit));
    if (!entered.ok()) {
        command.refuse(std::move(entered).error());
        return {};
    }
    model::Session& session = **entered;
    const rules::HoldProof proof =
        proof_of(session, command.principal, command.pull_id, command.leases, unit.now, command.acknowledged);
    if (command.edge == ports::TurnEdge::end) {
        TRY_ASSIGN(auto may_end, hand_over_.check_end(session, proof, command.acknowledged, unit));
        if (!may_end.ok()) {
            command.refuse(std::move(may_end).error());
            return {};
        }
    }
    if (proof.is_beside) return visit(command, session, proof, unit);
    model::Session changed = session;
    const bool before_is_lost = session.progress.in_turn;
    const bool is_news = command.edge == ports::TurnEdge::end || !is_known_to_run(session);
    // The first agent that reports a turn has the session. An agent that the user woke in it has not: the user speaks
    // to several agents in a session without an agent.
    const bool may_have = session.agent_id.empty() && !rules::is_guest(command.principal, session);
    if (may_have && !command.agent_id.empty()) (void)rules::give_session(changed, command.agent_id, unit.now);
    advance(changed, command, turn_owner(command.principal, session), unit.now);
    const char* const type = command.edge == ports::TurnEdge::start ? "agent.turn.start" : "agent.turn.end";
    model::Event event = event_of(changed, type, "agent", turn_payload(command, changed.progress.turn));
    speak_as(event, command.principal, command.agent_id);
    if (auto fits = Intake::check(event, command.principal, unit.now); !fits.ok()) {
        command.refuse(std::move(fits).error());
        return {};
    }
    TRY_ASSIGN(const ports::Admitted admitted, take_checked(std::move(event), command.principal, unit));
    session = std::move(changed);
    book_.touch(session);
    if (is_news) {
        const bool is_start = command.edge == ports::TurnEdge::start;
        TRY(tell_turn(session, is_start ? TurnNews::began : TurnNews::ended, unit));
    }
    ports::ReportReply reply;
    reply.events.push_back(admitted);
    TRY(conclude(session, reply, unit));
    rules::close_open_pull(session.progress, command.principal.id);
    if (command.pull_id) TRY(hand_over_.name(session, *command.pull_id, proof, unit));
    if (command.edge == ports::TurnEdge::start) {
        if (before_is_lost) {
            TRY(hand_over_.let_go(session, proof, rules::step_reason::turn_lost, unit));
        }
        TRY(hand_over_.renew(session, command.lease, proof, unit));
        TRY(remind(session, reply, unit));
    } else {
        if (command.only_named && proof.is_guest) rules::note_named(session.progress, proof.by);
        else session.progress.has_named = session.progress.has_named || command.only_named;
        TRY(hand_over_.end_turn(session, command.acknowledged, proof, reply, unit));
    }
    reply.progress = session.progress;
    reply.budget = session.budget;
    command.settle(std::move(reply));
    return {};
}

// Another principal may be in the middle of a turn. Its turn, budget and reminders are not the guest's.
base::Result<void> Reports::visit(ports::ReportTurn& command, model::Session& session, const rules::HoldProof& proof,
                                  Unit& unit) {
    const bool is_start = command.edge == ports::TurnEdge::start;
    const std::int64_t turn = command.turn_number.value_or(1);
    model::Event event =
        event_of(session, is_start ? "agent.turn.start" : "agent.turn.end", "agent", turn_payload(command, turn));
    speak_as(event, command.principal, command.agent_id);
    if (auto fits = Intake::check(event, command.principal, unit.now); !fits.ok()) {
        command.refuse(std::move(fits).error());
        return {};
    }
    TRY_ASSIGN(const ports::Admitted admitted, take_checked(std::move(event), command.principal, unit));
    book_.touch(session);
    ports::ReportReply reply;
    reply.events.push_back(admitted);
    rules::close_open_pull(session.progress, command.principal.id);
    if (command.pull_id) TRY(hand_over_.name(session, *command.pull_id, proof, unit));
    if (is_start) {
        rules::forget_spoken(session.progress, command.principal.id);
        rules::forget_decided(session.progress, command.principal.id);
        TRY(hand_over_.renew(session, command.lease, proof, unit));
    } else {
        if (command.only_named) rules::note_named(session.progress, proof.by);
        TRY(hand_over_.end_visit(session, command.acknowledged, proof, reply, unit));
    }
    command.settle(std::move(reply));
    return {};
}

base::Result<void> Reports::tool_call(ports::ReportToolCall& command, Unit& unit) {
    TRY_ASSIGN(auto entered, sessions_.enter(command.principal, command.session_id, unit));
    if (!entered.ok()) {
        command.refuse(std::move(entered).error());
        return {};
    }
    model::Session& session = **entered;
    const rules::HoldProof proof = proof_of(session, command.principal, command.pull_id, command.leases, unit.now);
    // The payload is not moved: the command is run again where its group fails.
    model::Event event =
        event_of(session, call_types[static_cast<std::size_t>(command.status)], command.source, command.payload);
    speak_as(event, command.principal, command.agent_id);
    // Before the tool counts as used: a report that is rejected promotes nothing that the session holds.
    if (auto fits = Intake::check(event, command.principal, unit.now); !fits.ok()) {
        command.refuse(std::move(fits).error());
        return {};
    }
    // A runtime that asks first is answered before the tool runs; a report of what was done is recorded in any case.
    const bool is_external = tools_.impact_of(command.tool_name) == model::Impact::external;
    if (is_external) {
        const bool is_pending = command.status == ports::ToolCallStatus::pending;
        const bool is_known = is_known_effect(session.progress, command.call_id);
        TRY_ASSIGN(auto may_use,
                   hand_over_.use_external_tool(session, {command.tool_name, command.handling, is_pending, is_known},
                                                proof, unit));
        if (!may_use.ok()) {
            command.refuse(std::move(may_use).error());
            return {};
        }
    }
    TRY_ASSIGN(const ports::Admitted admitted, take_checked(std::move(event), command.principal, unit));
    if (is_external) {
        note_effect(session.progress, command.call_id, command.status == ports::ToolCallStatus::pending);
    }
    rules::close_open_pull(session.progress, command.principal.id);
    if (command.pull_id) TRY(hand_over_.name(session, *command.pull_id, proof, unit));
    TRY(hand_over_.renew(session, std::nullopt, proof, unit));
    ports::ReportReply reply;
    if (!command.handling.empty()) {
        TRY_ASSIGN(const bool is_known, HandOver::knows(session.id, command.handling, unit));
        if (!is_known) reply.unknown.push_back(command.handling);
    }
    reply.events.push_back(admitted);
    book_.touch(session);
    if (proof.is_beside) {
        command.settle(std::move(reply));
        return {};
    }
    session.progress.tokens_used += command.tokens_used;
    if (command.tokens_used > 0) TRY(tell_session_changed(session, unit));
    if (!session.progress.counting_since) session.progress.counting_since = unit.now;
    model::Action action{command.tool_name, command.tool_name, command.call_id, unit.now};
    if (!command.arguments_fingerprint.empty()) action.signature += '#' + command.arguments_fingerprint;
    if (const auto circle = rules::note_action(session.progress, std::move(action), options_)) {
        TRY(tell(session, *circle, "loop_detector", reply, unit));
    }
    TRY(conclude(session, reply, unit));
    reply.progress = session.progress;
    reply.budget = session.budget;
    command.settle(std::move(reply));
    return {};
}

base::Result<void> Reports::conclude(model::Session& session, ports::ReportReply& reply, Unit& unit) {
    for (const rules::Finding& finding : rules::check_budget(session.budget, session.progress, unit.now, options_)) {
        TRY(tell(session, finding, "budget_monitor", reply, unit));
    }
    const auto due = rules::timeout_due(session.budget, session.progress, options_);
    if (due != session.timeout_due_at) {
        session.timeout_due_at = due;
        timeouts_changed_ = true;
    }
    return {};
}

base::Result<void> Reports::tell(const model::Session& session, const rules::Finding& finding, const char* source,
                                 ports::ReportReply& reply, Unit& unit) {
    model::Event event = event_of(session, finding.type, source, finding.payload);
    // What Belfry concludes is well formed; where the session is not, there is nothing to tell it.
    if (!Intake::check(event, model::house_principal(), unit.now).ok()) return {};
    TRY_ASSIGN(const ports::Admitted told, take_checked(std::move(event), model::house_principal(), unit));
    reply.events.push_back(told);
    return {};
}

base::Result<void> Reports::remind(const model::Session& session, ports::ReportReply& reply, Unit& unit) {
    TRY_ASSIGN(const std::vector<model::Reminder> reminders, unit.store.sessions().reminders(session.id));
    const model::Progress& progress = session.progress;
    for (const model::Reminder& reminder : reminders) {
        const bool by_turn = reminder.due_turn > 0 && session.turns_started >= reminder.due_turn;
        const bool by_context = reminder.context_above > 0 && session.budget.context_tokens > 0 &&
                                static_cast<double>(progress.context_used) >
                                    reminder.context_above * static_cast<double>(session.budget.context_tokens);
        if (!by_turn && !by_context) continue;
        TRY(tell(session, {"agent.self.remind", reminder.payload}, "agent", reply, unit));
        TRY(unit.store.sessions().remove_reminder(reminder.id));
    }
    return {};
}

base::Result<void> Reports::notify_self(ports::NotifySelf& command, Unit& unit) {
    auto allowed = check(command);
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY_ASSIGN(auto entered, sessions_.enter(command.principal, command.session_id, unit));
    if (!entered.ok()) {
        command.refuse(std::move(entered).error());
        return {};
    }
    const model::Session& session = **entered;
    auto may = rules::may_use_agent(
        command.principal, command.agent_id.empty() ? speaker_of(session, command.principal) : command.agent_id);
    // A reminder comes to the session's own agent, later: an agent that only works there now cannot leave one.
    const bool is_for_later = command.after_turns > 0 || command.context_above > 0;
    if (may.ok() && is_for_later) may = rules::may_use_agent(command.principal, session.agent_id);
    // The session's own agent would read a visitor's note as a note that it made for itself.
    if (may.ok() && rules::is_visitor(command.principal, session)) {
        may = base::error(Code::forbidden, "this session belongs to another agent, which would get the note",
                          "session_id");
    }
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    model::RawJson payload = self_payload(command);
    if (is_for_later) {
        return remind_later(command, session, std::move(payload), unit);
    }
    model::Event event = event_of(session, "agent.self.notify", "agent", std::move(payload));
    speak_as(event, command.principal, command.agent_id);
    if (auto fits = Intake::check(event, command.principal, unit.now); !fits.ok()) {
        command.refuse(std::move(fits).error());
        return {};
    }
    TRY_ASSIGN(const ports::Admitted admitted, take_checked(std::move(event), command.principal, unit));
    command.settle(ports::SelfReply{admitted, std::nullopt});
    return {};
}

base::Result<void> Reports::remind_later(ports::NotifySelf& command, const model::Session& session,
                                         model::RawJson payload, Unit& unit) {
    TRY_ASSIGN(const std::vector<model::Reminder> before, unit.store.sessions().reminders(session.id));
    if (before.size() >= limits::reminders_per_session_max) {
        command.refuse(base::error(
            Code::too_large,
            "a session may have " + std::to_string(limits::reminders_per_session_max) + " open reminders", "message"));
        return {};
    }
    model::Reminder reminder;
    reminder.id = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
    reminder.session_id = session.id;
    reminder.user_id = session.user_id;
    reminder.due_turn = command.after_turns > 0 ? session.turns_started + command.after_turns : 0;
    reminder.context_above = command.context_above;
    reminder.payload = std::move(payload);
    reminder.created_at = unit.now;
    TRY(unit.store.sessions().add_reminder(reminder));
    command.settle(ports::SelfReply{std::nullopt, reminder.id});
    return {};
}

base::Result<void> Reports::tend(Unit& unit) {
    TRY_ASSIGN(const std::vector<std::string> ids, unit.store.sessions().timed_out(unit.now, timeouts_a_slice));
    TRY(book_.load(ids, unit));
    for (const std::string& id : ids) {
        TRY_ASSIGN(model::Session* const session, book_.find(id, unit));
        if (session == nullptr) continue;
        ports::ReportReply unused;
        TRY(conclude(*session, unused, unit));
        book_.touch(*session);
    }
    timeouts_changed_ = true;
    return {};
}

base::Result<void> Reports::flush(Unit& unit) {
    if (!timeouts_changed_) return {};
    TRY(book_.flush(unit));
    TRY_ASSIGN(pending_timeout_, unit.store.sessions().next_timeout());
    return {};
}

void Reports::committed(Effects&) {
    if (timeouts_changed_) next_timeout_ = pending_timeout_;
    dropped();
}

void Reports::dropped() {
    pending_timeout_.reset();
    timeouts_changed_ = false;
}

}  // namespace belfry::engine
