#pragma once

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/event.hpp"
#include "model/log.hpp"
#include "model/notification.hpp"
#include "model/principal.hpp"

// Who may do what. Every command and every query is asked here, and nowhere else.
namespace belfry::rules {

// True if the token is bound to agents. Such a token may use only what belongs to one of them: the default of every
// rule below, which is given no agent, is to refuse.
bool is_confined(const model::Principal& who);

// Use what belongs to this agent; empty: it belongs to no agent.
base::Result<void> may_use_agent(const model::Principal& who, std::string_view agent_id);

// Emit this event. Of an event without a user, a user token's own user becomes the user.
base::Result<void> may_emit(const model::Principal& who, model::Event& event);

// Emit a notification directly, in a scope whose user is known (see `default_user`). It has no type: a token that is
// bound to types of events has no part in it. What is bound to less than severity critical does not ring as critical.
base::Result<void> may_notify(const model::Principal& who, const model::Scope& scope,
                              model::Severity severity = model::Severity::info,
                              model::Priority priority = model::Priority::normal);

// Speak in the place of a person's interface: acknowledge what it showed, mark it as read. The person himself and those
// who act for him, never an agent or an emitter: what an agent says is no proof that a person has seen it. A token that
// is bound to sessions answers in those.
base::Result<void> may_answer_for(const model::Principal& who, std::string_view user_id,
                                  std::string_view session_id = {});

// Say something as the person, which the agent of a session is handed as the person's own word: those who may answer
// for him and use the session. What agents have to tell each other is a notification or an event.
base::Result<void> may_speak_for(const model::Principal& who, std::string_view user_id, std::string_view session_id);

// Give directions to the model that reads a notification (`directive`, `tone_hint`): they are not data, so whoever only
// reports what has happened has no part in it; an agent has in what it is bound to.
base::Result<void> may_direct(const model::Principal& who, const model::Scope& scope);

// Say what a tool is. It holds for everybody, so a service that is bound to some has no part in it.
base::Result<void> may_manage_tools(const model::Principal& who);

// Follow a stream. On success the filter is narrowed to what this principal may see. A stream with an owner is for its
// owner, a service inside its bounds and an admin; `agent:<user>` and `changes:<user>` also for agents bound to the
// user, or to sessions with the filter narrowed to one of those; runs and their trees likewise. A token that is bound
// to agents follows `agent:<user>` only, narrowed to what is about those agents.
base::Result<void> may_follow(const model::Principal& who, const model::StreamInfo& stream,
                              model::StreamFilter& filter);

struct TokenWish {
    model::Role role = model::Role::emitter;
    std::string user_id;
    model::Bounds bounds;
    std::optional<base::Duration> life;
    std::int64_t events_per_second = 0;  // 0: no limit of its own
};

// Mint such a token. A service may mint user tokens that live at most an hour and may no more than it may itself: where
// it is bound, they must be bound inside it.
base::Result<void> may_mint(const model::Principal& who, const TokenWish& wish);

// Speak for, or read, a session of this user: its user himself, an agent or a service bound to either or (a service)
// bound to nothing, an admin. An emitter never. A token that is bound to agents needs to know whose it is: `agent_id`
// is the agent that the session, the run, the wake or the thread belongs to.
base::Result<void> may_use_session(const model::Principal& who, std::string_view session_id, std::string_view user_id,
                                   std::string_view agent_id = {});

// Whose sessions and notifications somebody sees who names no session: on success `user_id` is narrowed as it must be.
base::Result<void> may_see_of(const model::Principal& who, std::string& user_id);

// Whose runs somebody sees: on success all three are narrowed as they must be.
base::Result<void> may_see_runs(const model::Principal& who, std::string& user_id, std::string& session_id,
                                std::string& agent_id);

// Whose wakes somebody sees: on success both are narrowed as they must be.
base::Result<void> may_see_wakes(const model::Principal& who, std::string& user_id, std::string& agent_id);

// Read or change what a user has chosen for himself.
base::Result<void> may_set_for(const model::Principal& who, std::string_view user_id);

// The user of a session that comes into being with this request: the principal's own, the only one that it is bound
// to, or `owner`.
std::string default_user(const model::Principal& who, std::string_view owner);

// Whether the credential itself says whose it is: that of a person, or one that is bound to a single user.
bool proves_user(const model::Principal& who);

// End a session with all that was said in it: its user and those who act for him, never an agent.
base::Result<void> may_end_session(const model::Principal& who, std::string_view session_id, std::string_view user_id);

// See which calls of sinks were given up, and have them made again. They are everybody's, so a service that is bound to
// some has no part in them.
base::Result<void> may_manage_sink_calls(const model::Principal& who);

// See which devices share what is here, and what was decided between them. It has words of everybody, so a service that
// is bound to some has no part in it.
base::Result<void> may_see_devices(const model::Principal& who);

// See and revoke tokens, erase people, read figures.
base::Result<void> may_administer(const model::Principal& who);
base::Result<void> may_observe(const model::Principal& who);

}  // namespace belfry::rules
