#include "engine/sessions.hpp"

#include <utility>

#include "base/limits.hpp"
#include "engine/awareness.hpp"
#include "engine/check_text.hpp"
#include "engine/enter_session.hpp"
#include "engine/session_stream.hpp"
#include "rules/awareness.hpp"
#include "rules/client_message.hpp"
#include "rules/delivery.hpp"
#include "rules/hold_proof.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"
#include "rules/monitor.hpp"
#include "rules/said_by.hpp"
#include "rules/session_agent.hpp"

namespace belfry::engine {
namespace {

using base::Code;
namespace limits = base::limits;

base::Result<void> check(const ports::PutSession& command) {
    if (command.user_id) {
        TRY(check_text(*command.user_id, limits::scope_id_bytes_max, "user_id"));
        if (command.user_id->empty()) return base::error(Code::invalid, "user_id must not be empty", "user_id");
    }
    if (command.agent_id) TRY(check_text(*command.agent_id, limits::scope_id_bytes_max, "agent_id"));
    if (command.title) TRY(check_text(*command.title, limits::session_title_bytes_max, "title"));
    if (command.metadata) TRY(check_text(command.metadata->bytes(), limits::session_metadata_bytes_max, "metadata"));
    return {};
}

bool gives_something(const ports::PutSession& command) {
    return command.user_id || command.agent_id || command.title || command.metadata || command.budget;
}

// The agent as which a principal may use a session; of a session that is to be made, the agent that it will have. Of a
// principal that is bound to no agents, the latter is what the command says.
base::Result<std::string> agent_of(const ports::PutSession& command, const model::Session* session, Unit& unit) {
    const model::Principal& who = command.principal;
    if (session != nullptr) return agent_in_session(who, *session, unit);
    if (!command.agent_id && who.bounds.agents.size() == 1) return who.bounds.agents.front();
    return command.agent_id.value_or("");
}

base::Error deleted() {
    return base::error(Code::gone, "this session was deleted");
}

}  // namespace

std::vector<std::type_index> Sessions::handles() const {
    return {typeid(ports::PutSession), typeid(ports::PostMessage), typeid(ports::DeleteSession),
            typeid(ports::FollowSession)};
}

base::Result<void> Sessions::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> Sessions::load(std::span<ports::Command* const> commands, Unit& unit) {
    std::vector<std::string> ids;
    for (const ports::Command* command : commands) {
        if (const auto* wish = dynamic_cast<const ports::PutSession*>(command)) ids.push_back(wish->session_id);
        else if (const auto* end = dynamic_cast<const ports::DeleteSession*>(command)) ids.push_back(end->session_id);
        else if (const auto* reader = dynamic_cast<const ports::FollowSession*>(command))
            ids.push_back(reader->session_id);
        else ids.push_back(static_cast<const ports::PostMessage&>(*command).session_id);
    }
    return book_.load(ids, unit);
}

base::Result<void> Sessions::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::PutSession*>(&command)) return put(*wish, unit);
    if (auto* wish = dynamic_cast<ports::DeleteSession*>(&command)) return end(*wish, unit);
    if (auto* wish = dynamic_cast<ports::FollowSession*>(&command)) return follow(*wish, unit);
    return post(static_cast<ports::PostMessage&>(command), unit);
}

base::Result<base::Result<model::Session*>> Sessions::enter(const model::Principal& who, const std::string& id,
                                                            Unit& unit) {
    return enter_session(book_, owner_, who, id, unit);
}

base::Result<void> Sessions::put(ports::PutSession& command, Unit& unit) {
    TRY_ASSIGN(model::Session * session, book_.find(command.session_id, unit));
    // Who makes a session may only make one that he may use then.
    const std::string before = session != nullptr ? session->user_id : rules::default_user(command.principal, owner_);
    const std::string after = command.user_id.value_or(before);
    auto allowed = check(command);
    const bool is_guess = session == nullptr || session->user_is_default;
    const bool is_anybodys = session == nullptr || may_become_anothers(*session);
    TRY_ASSIGN(const std::string agent, agent_of(command, session, unit));
    if (allowed.ok() && !is_anybodys) {
        allowed = rules::may_use_session(command.principal, command.session_id, before, agent);
    }
    if (allowed.ok()) allowed = rules::may_use_session(command.principal, command.session_id, after, agent);
    // An agent that works in a session of another agent neither makes it its own nor changes its settings.
    if (allowed.ok() && session != nullptr) allowed = rules::may_use_agent(command.principal, session->agent_id);
    if (allowed.ok() && session == nullptr) {
        allowed = rules::may_make_session(command.principal, command.session_id, agent);
    }
    if (allowed.ok() && command.agent_id) allowed = rules::may_use_agent(command.principal, *command.agent_id);
    if (allowed.ok() && command.user_id) {
        TRY_ASSIGN(allowed, check_naming(book_, command.principal, command.session_id, *command.user_id, unit));
    }
    if (allowed.ok() && session != nullptr && session->deleted_at) allowed = deleted();
    if (allowed.ok() && !is_guess && after != before) {
        allowed = base::error(Code::conflict, "a session stays with its user", "user_id");
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    if (session == nullptr) {
        TRY_ASSIGN(session, book_.find_or_make(command.session_id, after, true, unit));
        session->agent_id = agent;
    }
    rules::set_user(*session, after);
    const bool is_named = command.user_id && rules::may_name_user(command.principal).ok();
    if (is_named || rules::proves_user(command.principal)) session->user_is_default = false;
    const bool is_another_agent = command.agent_id && *command.agent_id != session->agent_id;
    const bool ends_turn = is_another_agent && rules::give_session(*session, *command.agent_id, unit.now);
    if (command.title) session->title = *command.title;
    if (command.metadata) session->metadata = *command.metadata;
    if (command.budget) {
        session->budget = *command.budget;
        rules::count_anew(session->progress);
        session->timeout_due_at.reset();
    }
    session->updated_at = unit.now;
    book_.touch(*session);
    if (ends_turn) TRY(tell_turn(*session, TurnNews::ended, unit));
    // Words that waited for the agent before wait for the new one.
    if (is_another_agent && !session->agent_id.empty()) TRY(user_messages_.after_turn(*session, unit));
    if (gives_something(command)) TRY(tell_session_changed(*session, unit));
    command.settle(*session);
    return {};
}

base::Result<void> Sessions::post(ports::PostMessage& command, Unit& unit) {
    TRY_ASSIGN(auto entered, enter(command.principal, command.session_id, unit));
    base::Result<void> allowed = entered.ok() ? base::Result<void>{} : std::move(entered).error();
    if (allowed.ok()) allowed = check_text(command.content, limits::message_bytes_max, "content");
    if (allowed.ok()) allowed = check_text(command.metadata.bytes(), limits::session_metadata_bytes_max, "metadata");
    if (allowed.ok() && command.deliver) {
        allowed = rules::may_speak_for(command.principal, (*entered)->user_id, command.session_id);
    }
    const std::optional<model::NodeId>& named = command.node ? command.node : command.parent;
    if (allowed.ok() && command.deliver && (command.role != model::MessageRole::user || named)) {
        allowed = base::error(Code::invalid, "deliver is for a message of role user at the head of the conversation",
                              "deliver");
    }
    if (allowed.ok() && command.deliver && rules::is_blank(command.content)) {
        allowed = base::error(Code::invalid, "what is to be delivered needs words", "content");
    }
    if (allowed.ok() && named) {
        TRY_ASSIGN(const auto node, unit.store.sessions().find_node(command.session_id, *named));
        if (!node) {
            allowed = base::error(Code::invalid, "there is no such node in this session",
                                  command.node ? "node_id" : "parent_id");
        }
    }
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    model::Session& session = **entered;
    if (command.deliver) return deliver(command, session, unit);
    if (command.parent) TRY(book_.open_node(session, *command.parent, unit));
    else if (!command.node && command.role == model::MessageRole::user)
        TRY(book_.open_node(session, session.head, unit));

    model::SessionMessage message = book_.new_message(session, command.role, unit);
    if (command.node) message.node = *command.node;
    message.content = command.content;  // not moved: the command is run again where its group fails
    message.metadata = rules::said_by(command.principal, command.metadata);
    TRY(SessionBook::say(session, message, unit));
    if (command.role == model::MessageRole::assistant) {
        rules::note_spoken(session.progress, command.principal.id, rules::is_guest(command.principal, session));
        book_.touch(session);
    }
    command.settle(std::move(message));
    return {};
}

base::Result<void> Sessions::deliver(ports::PostMessage& command, model::Session& session, Unit& unit) {
    const auto describe = [&](const model::MessageId&) { return rules::said_by(command.principal, command.metadata); };
    TRY_ASSIGN(auto added, user_messages_.add(session, command.content, describe, unit));
    command.settle(std::move(added));
    return {};
}

// The agent of a deleted session cannot end its turn any more. The user is told at once of what the agent had to tell;
// everything else that the agent held waits for another session of the user.
base::Result<void> Sessions::take_from_holder(const ports::DeleteSession& command, Unit& unit) {
    TRY_ASSIGN(std::vector<model::Notification> held, unit.store.notifications().held_by_session(command.session_id));
    for (model::Notification& row : held) {
        const std::int64_t before = row.lease;
        rules::Steps steps;
        if (!rules::leave_holder(row, unit.now, steps)) continue;
        TRY(ledger_.change(row, before, std::move(steps), command.principal.id, unit));
        TRY(ledger_.request_turn(row, unit));
    }
    return {};
}

// What was on its way into it goes on to its user, and that is stored.
base::Result<void> Sessions::end(ports::DeleteSession& command, Unit& unit) {
    TRY_ASSIGN(model::Session* const session, book_.find(command.session_id, unit));
    auto allowed = session == nullptr ? base::Result<void>(base::error(Code::not_found, "there is no such session"))
                                      : rules::may_end_session(command.principal, command.session_id, session->user_id);
    if (allowed.ok() && session->deleted_at) allowed = deleted();
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY(ledger_.settle(unit));
    for (;;) {
        TRY_ASSIGN(std::vector<model::Notification> rows,
                   unit.store.notifications().open_of_session(command.session_id, limits::sweep_slice_rows));
        bool moved = false;
        for (model::Notification& row : rows) {
            const bool was_in_session = row.address == model::Address::session;
            const std::int64_t before = row.lease;
            rules::Steps steps;
            if (!rules::leave_session(row, unit.now, steps)) continue;
            TRY(ledger_.change(row, before, std::move(steps), command.principal.id, unit));
            if (was_in_session) {
                // It is the user's from now on: the user's other sessions are told of it.
                TRY(renumber_fact(row, unit));
                TRY(ledger_.ring(row, unit));
            }
            moved = true;
        }
        if (!moved) break;
    }
    TRY(take_from_holder(command, unit));
    ledger_.count_anew();  // they may be of other users than the session
    session->deleted_at = unit.now;
    session->agent_id.clear();
    session->title.clear();
    session->metadata = {};
    session->budget = {};
    session->progress = {};
    session->timeout_due_at.reset();
    book_.touch(*session);
    TRY(interactions_.leave(*session, command.principal, unit));
    TRY(unit.store.sessions().empty(command.session_id));
    TRY(unit.store.context_values().remove_session(command.session_id));
    TRY(tell_session_deleted(*session, unit));
    command.settle(ports::Nothing{});
    return {};
}

base::Result<void> Sessions::follow(ports::FollowSession& command, Unit& unit) {
    TRY_ASSIGN(const model::Session* const session, book_.find(command.session_id, unit));
    // No agent is named: a token that is bound to agents does not follow a session, of which it may use what an agent
    // needs only while the agent works in it.
    auto allowed = session == nullptr || session->deleted_at
                       ? base::Result<void>(base::error(Code::not_found, "there is no such session"))
                       : rules::may_use_session(command.principal, command.session_id, session->user_id);
    if (!allowed.ok()) {
        command.refuse(std::move(allowed).error());
        return {};
    }
    TRY(session_stream(session->id, session->user_id, unit));
    command.settle(ports::Nothing{});
    return {};
}

void Sessions::committed(Effects&) {
    book_.clear();
}

}  // namespace belfry::engine
