#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/agent.hpp"
#include "model/notification.hpp"
#include "model/principal.hpp"
#include "model/session.hpp"

// Who may wake agents and do their work, beside rules/may.hpp.
namespace belfry::rules {

// Work for agents of this user: claim their wakes, and all that is said under a claim. What works has the agent's whole
// power, so a token that is bound to sessions has no part in it. A token that is bound to agents works for those.
base::Result<void> may_work_for(const model::Principal& who, std::string_view user_id, std::string_view agent_id = {});

// Where an agent is to be woken: in a session, or (empty) in none.
struct WakePlace {
    std::string_view session_id;
    bool is_named = true;            // somebody has said whose the session is
    std::string_view session_agent;  // the agent that the session belongs to; empty: none
};

// Wake this agent of this user. A session of which nobody has said whose it is proves nothing to one who is bound to it
// alone. A token that is bound to agents wakes them only in sessions that are theirs: else it would open any session of
// the user to itself.
base::Result<void> may_wake(const model::Principal& who, const model::Agent& agent, const WakePlace& place);

// True if the agent works in this session at the moment: a wake of it that is for the session was claimed.
bool works_in(const model::AgentRecord& agent, const model::Session& session);

// True if the principal works only for agents that it is bound to, or as the agent of a wake (`works_as`), and the
// session belongs to another agent. A token that is bound to agents uses such a session only while its agent works
// there. A visitor gets nothing that is for the session's agent alone, and leaves the turn, the budget and the
// reminders of that agent as they are.
bool is_visitor(const model::Principal& who, const model::Session& session);

// The same, or the session belongs to no agent. Of notifications that such a session was given, a lease proves only
// what the principal holds itself: leases are small numbers.
bool is_guest(const model::Principal& who, const model::Session& session);

// True if a notification of this scope is for another agent alone: the scope names another agent than the principal's,
// and the principal is a guest in the session in which the notification lies or comes. In a session of its own agent, a
// principal is given everything.
bool is_for_another(const model::Principal& who, const model::Session& session, const model::Scope& scope);

// True if the principal is a guest and another one's turn runs in the session: a visitor always, a guest of a session
// of nobody while a principal that is there still has not ended its turn.
bool works_beside(const model::Principal& who, const model::Session& session, base::Timestamp now);

// The agents that the principal works for; empty: each agent.
std::vector<std::string> agents_of(const model::Principal& who);

// The agent that goes on with the user in this session: its own, else that of the guest that began the last turn.
const std::string& agent_to_wake(const model::Session& session);

// The agent that the principal works for in this session: whose own notifications and context values a pull returns.
// Empty for a visitor, which gets nothing that belongs to no session, and where more than one agent is possible.
std::string agent_at_work(const model::Principal& who, const model::Session& session);

// The only agent whose notifications a guest of the session is given, beside those that name no agent. Empty for a
// principal that is no guest, and for a guest with several agents.
std::string only_agent(const model::Principal& who, const model::Session& session);

// Make a session of this agent. A principal that is bound to agents makes only sessions whose id is the agent's id, a
// colon and a name without a colon, or a UUID of version 4 or 7: any other id may be the one that the user chooses
// later for a conversation with another agent.
base::Result<void> may_make_session(const model::Principal& who, std::string_view session_id,
                                    std::string_view agent_id);

// Say whose a session is. Who is bound to sessions and to no user is to find out: else a session that he was promised
// would become that of whomever he likes, with all that may be done in it.
base::Result<void> may_name_user(const model::Principal& who);

}  // namespace belfry::rules
