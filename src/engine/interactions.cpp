#include "engine/interactions.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/limits.hpp"
#include "engine/enter_session.hpp"
#include "engine/session_stream.hpp"
#include "rules/interaction.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::InteractionState;
constexpr base::Duration sweep_pause = base::hours(1);

base::Error no_such() {
    return base::error(Code::not_found, "there is no such interaction", "id");
}

}  // namespace

std::vector<std::type_index> Interactions::handles() const {
    return {typeid(ports::AskInteraction), typeid(ports::AnswerInteraction), typeid(ports::WithdrawInteraction),
            typeid(ports::TakeBackAllowance)};
}

base::Result<void> Interactions::rebuild(Unit& unit) {
    dropped();
    TRY_ASSIGN(next_deadline_, unit.store.interactions().next_deadline());
    next_sweep_ = unit.now + sweep_pause;
    askers_.clear();
    constexpr base::Timestamp ever{std::numeric_limits<std::int64_t>::max()};
    TRY_ASSIGN(const std::vector<model::Interaction> open,
               unit.store.interactions().overdue(ever, std::numeric_limits<std::int32_t>::max()));
    for (const model::Interaction& one : open) {
        if (one.run_id != 0) askers_[one.run_id] = {one.user_id, one.session_id};
    }
    return {};
}

base::Result<void> Interactions::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::AskInteraction*>(&command)) return ask(*wish, unit);
    if (auto* wish = dynamic_cast<ports::WithdrawInteraction*>(&command)) return withdraw(*wish, unit);
    if (auto* wish = dynamic_cast<ports::TakeBackAllowance*>(&command)) return take_back(*wish, unit);
    auto& wish = static_cast<ports::AnswerInteraction&>(command);
    TRY_ASSIGN(auto found, unit.store.interactions().find(wish.id));
    if (!found) {
        wish.refuse(no_such());
        return {};
    }
    TRY_ASSIGN(Answered answered, settle(std::move(*found), wish.principal, wish.answer, unit));
    wish.settle(std::move(answered));
    return {};
}

base::Result<void> Interactions::ask(ports::AskInteraction& command, Unit& unit) {
    model::Interaction interaction = command.draft;
    TRY_ASSIGN(const model::Session* const session, sessions_.find(interaction.session_id, unit));
    auto allowed = base::Result<void>(base::error(Code::not_found, "there is no such session"));
    if (session != nullptr && !session->deleted_at) {
        TRY_ASSIGN(allowed, check_use(sessions_, command.principal, session->id, session->user_id, unit));
    }
    if (allowed.ok()) allowed = rules::check_question(interaction, command.time);
    // The run tells whose question it is: the session belongs to another agent or to none.
    if (allowed.ok() && interaction.run_id == 0 && !rules::may_use_agent(command.principal, session->agent_id).ok()) {
        TRY_ASSIGN(interaction.run_id, run_in_session(command.principal, *session, unit));
    }
    if (allowed.ok() && interaction.run_id != 0) {
        const model::Run* const run = runs_.find_open(interaction.run_id);
        if (run == nullptr || run->session_id != session->id) {
            allowed = base::error(Code::invalid, "run_id names no open run of this session", "run_id");
        } else if (!rules::may_use_agent(command.principal, run->agent_id).ok()) {
            allowed = base::error(Code::forbidden, "run_id names a run of another agent", "run_id");
        }
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    interaction.id = {base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    interaction.user_id = session->user_id;
    TRY_ASSIGN(Answered asked, raise(std::move(interaction), command.time, unit));
    command.settle(std::move(asked));
    return {};
}

base::Result<bool> Interactions::reaches(const std::string& session_id, const std::string& user_id, Unit& unit) {
    if (session_id.empty()) return false;
    TRY_ASSIGN(const model::Session* const session, sessions_.find(session_id, unit));
    return session != nullptr && !session->deleted_at && session->user_id == user_id;
}

base::Result<Interactions::Answered> Interactions::ask(model::Interaction question, Unit& unit) {
    return raise(std::move(question), limits::interaction_time_max, unit);
}

base::Result<Interactions::Answered> Interactions::raise(model::Interaction question, base::Duration time, Unit& unit) {
    TRY_ASSIGN(const std::int64_t pending,
               unit.store.interactions().count_pending(question.user_id, question.session_id));
    if (pending >= static_cast<std::int64_t>(limits::interactions_pending_max)) {
        return Answered(base::error(Code::overloaded, std::to_string(limits::interactions_pending_max) +
                                                          " questions are open in this session already"));
    }
    question.created_at = unit.now;
    question.expires_at = unit.now + time;
    if (question.kind == model::InteractionKind::confirmation && !question.tool_name.empty()) {
        TRY_ASSIGN(const bool before,
                   unit.store.interactions().is_always_allowed(question.session_id, question.tool_name));
        TRY_ASSIGN(const bool is_visitors, is_of_a_visitor(question, unit));
        if (before && !is_visitors) rules::answer_as_before(question, unit.now);
    }
    TRY(unit.store.interactions().add(question));
    if (question.run_id != 0) askers_[question.run_id] = {question.user_id, question.session_id};
    // Who follows hears of the question before he hears of its answer, also where it was answered long ago.
    if (question.state != InteractionState::pending) TRY(tell_as(question, true, unit));
    TRY(tell(question, unit));
    return Answered(std::move(question));
}

base::Result<bool> Interactions::is_of_a_visitor(const model::Interaction& question, Unit& unit) {
    const model::Run* const run = question.run_id != 0 ? runs_.find_open(question.run_id) : nullptr;
    if (run == nullptr || run->agent_id.empty()) return false;
    TRY_ASSIGN(const model::Session* const session, sessions_.find(question.session_id, unit));
    return session != nullptr && !session->agent_id.empty() && session->agent_id != run->agent_id;
}

base::Result<Interactions::Answered> Interactions::settle(model::Interaction interaction, const model::Principal& who,
                                                          const ports::InteractionAnswer& words, Unit& unit) {
    auto allowed = rules::may_answer_interaction(who, interaction.user_id, interaction.session_id);
    // Its run has ended in this very transaction.
    if (allowed.ok() && interaction.run_id != 0 && runs_.find_open(interaction.run_id) == nullptr) {
        allowed = rules::not_pending(interaction.kind, base::format_uuid(interaction.id.uuid));
    }
    if (allowed.ok()) {
        allowed = rules::answer(interaction, {words.decision, words.action, words.content}, who.id, unit.now);
    }
    if (!allowed.ok()) return Answered(std::move(allowed).error());
    TRY_ASSIGN(const bool is_visitors, is_of_a_visitor(interaction, unit));
    if (is_visitors) interaction.always_allowed = false;
    TRY(write(interaction, unit));
    return Answered(std::move(interaction));
}

base::Result<Interactions::Answered> Interactions::answer(const model::Principal& who, const std::string& session_id,
                                                          model::InteractionKind kind, std::string_view id,
                                                          const ports::InteractionAnswer& words, Unit& unit) {
    const auto uuid = base::parse_uuid(id);
    if (!uuid) return Answered(rules::not_pending(kind, id));
    TRY_ASSIGN(auto found, unit.store.interactions().find({*uuid}));
    // What was asked elsewhere is not there for this session.
    if (!found || found->session_id != session_id || found->kind != kind) {
        return Answered(rules::not_pending(kind, id));
    }
    return settle(std::move(*found), who, words, unit);
}

// An agent that works in a session of another agent withdraws only what its own run has asked.
base::Result<base::Result<void>> Interactions::check_asker(const model::Interaction& found, const model::Principal& who,
                                                           Unit& unit) {
    const model::Run* const run = found.run_id != 0 ? runs_.find_open(found.run_id) : nullptr;
    if (run != nullptr) return rules::may_use_agent(who, run->agent_id);
    TRY_ASSIGN(const model::Session* const session, sessions_.find(found.session_id, unit));
    return rules::may_use_agent(who, session != nullptr ? std::string_view(session->agent_id) : std::string_view());
}

base::Result<void> Interactions::withdraw(ports::WithdrawInteraction& command, Unit& unit) {
    TRY_ASSIGN(auto found, unit.store.interactions().find(command.id));
    auto allowed = base::Result<void>(no_such());
    if (found) {
        TRY_ASSIGN(allowed, check_use(sessions_, command.principal, found->session_id, found->user_id, unit));
    }
    if (allowed.ok() && rules::is_confined(command.principal)) {
        TRY_ASSIGN(allowed, check_asker(*found, command.principal, unit));
    }
    if (allowed.ok() && !rules::is_pending(*found, unit.now)) {
        allowed = rules::not_pending(found->kind, base::format_uuid(found->id.uuid));
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY(end(*found, command.principal.id, unit));
    command.settle(std::move(*found));
    return {};
}

// Several answers may say the same of a tool, where it was asked for twice before the first was given.
base::Result<void> Interactions::take_back(ports::TakeBackAllowance& command, Unit& unit) {
    TRY_ASSIGN(auto found, unit.store.interactions().find(command.id));
    auto allowed = found ? rules::may_answer_interaction(command.principal, found->user_id, found->session_id)
                         : base::Result<void>(no_such());
    if (allowed.ok()) allowed = rules::take_back(*found);
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY_ASSIGN(std::vector<model::Interaction> allowing,
               unit.store.interactions().allowing(found->session_id, found->tool_name));
    for (model::Interaction& one : allowing) {
        one.always_allowed = false;
        TRY(unit.store.interactions().take_back(one.id));
        TRY(tell_person(one, false, unit));
    }
    command.settle(std::move(*found));
    return {};
}

base::Result<void> Interactions::leave(const model::Session& session, const model::Principal& by, Unit& unit) {
    TRY_ASSIGN(std::vector<model::Interaction> open,
               unit.store.interactions().pending(session.user_id, session.id, limits::interactions_pending_max));
    for (model::Interaction& interaction : open) TRY(end(interaction, by.id, unit));
    return {};
}

base::Result<void> Interactions::leave_run(model::RunId id, Unit& unit) {
    const auto asker = askers_.find(id);
    if (asker == askers_.end()) return {};
    left_.push_back(id);
    TRY_ASSIGN(std::vector<model::Interaction> open,
               unit.store.interactions().pending(asker->second.user_id, asker->second.session_id,
                                                 limits::interactions_pending_max));
    for (model::Interaction& interaction : open) {
        if (interaction.run_id == id && rules::is_pending(interaction, unit.now)) TRY(end(interaction, "belfry", unit));
    }
    return {};
}

base::Result<void> Interactions::end(model::Interaction& interaction, std::string_view by, Unit& unit) {
    rules::withdraw(interaction, by, unit.now);
    return write(interaction, unit);
}

base::Result<void> Interactions::write(const model::Interaction& ended, Unit& unit) {
    TRY_ASSIGN(const bool was_pending, unit.store.interactions().settle(ended));
    if (!was_pending) return rules::not_pending(ended.kind, base::format_uuid(ended.id.uuid));
    return tell(ended, unit);
}

base::Result<void> Interactions::tell(const model::Interaction& interaction, Unit& unit) {
    deadlines_changed_ = true;
    return tell_as(interaction, interaction.state == InteractionState::pending, unit);
}

base::Result<void> Interactions::tell_person(const model::Interaction& interaction, bool is_new, Unit& unit) {
    body_.clear();
    is_new ? model::append_interaction_line(body_, interaction)
           : model::append_interaction_state_line(body_, interaction);
    TRY_ASSIGN(const model::StreamId stream, ledger_.inbox_stream(interaction.user_id, unit));
    const model::Facets facets{model::Severity::info, is_new ? "interaction" : "interaction_state", interaction.user_id,
                               interaction.session_id};
    unit.streams.append(unit.store, stream, facets, body_);
    return {};
}

base::Result<void> Interactions::tell_as(const model::Interaction& interaction, bool is_new, Unit& unit) {
    TRY(tell_person(interaction, is_new, unit));
    TRY(tell_interaction(interaction, is_new ? InteractionNews::asked : InteractionNews::ended, unit));
    if (interaction.run_id == 0) return {};
    std::string data;
    model::JsonWriter writer(data);
    model::append_interaction(writer, interaction);
    // One that has ended meanwhile hears no more.
    static_cast<void>(
        runs_.tell(interaction.run_id, is_new ? "interaction.requested" : "interaction.answered", data, unit));
    return {};
}

std::optional<base::Timestamp> Interactions::next_due() const {
    if (!next_deadline_) return next_sweep_;
    return next_sweep_ ? std::min(*next_deadline_, *next_sweep_) : *next_deadline_;
}

base::Result<void> Interactions::tend(Unit& unit) {
    TRY_ASSIGN(std::vector<model::Interaction> late,
               unit.store.interactions().overdue(unit.now, limits::sweep_slice_rows));
    for (model::Interaction& interaction : late) {
        rules::expire(interaction, unit.now);
        TRY(write(interaction, unit));
    }
    deadlines_changed_ = true;
    if (next_sweep_ && *next_sweep_ > unit.now) return {};
    TRY_ASSIGN(const std::uint64_t gone,
               unit.store.interactions().drop_ended(unit.now - limits::interactions_kept, limits::sweep_slice_rows));
    const bool is_more = gone >= limits::sweep_slice_rows;
    next_sweep_ = unit.now + (is_more ? base::seconds(1) : sweep_pause);
    return {};
}

base::Result<void> Interactions::flush(Unit& unit) {
    for (const model::RunId id : runs_.ended_now()) TRY(leave_run(id, unit));
    if (!deadlines_changed_) return {};
    TRY_ASSIGN(pending_deadline_, unit.store.interactions().next_deadline());
    return {};
}

void Interactions::committed(Effects&) {
    if (deadlines_changed_) next_deadline_ = pending_deadline_;
    for (const model::RunId id : left_) askers_.erase(id);
    dropped();
}

void Interactions::dropped() {
    pending_deadline_.reset();
    deadlines_changed_ = false;
    left_.clear();
}

}  // namespace belfry::engine
