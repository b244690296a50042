#pragma once

#include <string>

#include "engine/session_book.hpp"

namespace belfry::engine {

// The session that a principal speaks of, made where there is none; or why he may not. Its user is a guess as long as
// nobody has named or proved him. A session that a principal with one bound agent makes is that agent's. The outer
// result is the store's.
base::Result<base::Result<model::Session*>> enter_session(SessionBook& book, const std::string& owner,
                                                          const model::Principal& who, const std::string& id,
                                                          Unit& unit);

// The agent as which a principal may use a session: the session's own, or an agent that the principal is bound to and
// that works in the session at the moment. Empty: none. Only of interest for a principal that is bound to agents.
base::Result<std::string> agent_in_session(const model::Principal& who, const model::Session& session, Unit& unit);

// The run of the wake for which an agent of the principal works in this session at the moment; 0: none.
base::Result<model::RunId> run_in_session(const model::Principal& who, const model::Session& session, Unit& unit);

// Whether he may use a session of this user, of which `agent_in_session` says whose it is. The outer result is the
// store's.
base::Result<base::Result<void>> check_use(SessionBook& book, const model::Principal& who,
                                           const std::string& session_id, const std::string& user_id, Unit& unit);

// True if a principal may name this session in an event or a notification. A principal that is bound to agents names
// only sessions of those agents, and not the session of another agent in which its agent works at the moment: a
// notification in a session wakes the session's agent and is given to its model. The outer result is the store's.
base::Result<base::Result<void>> check_addressing(SessionBook& book, const model::Principal& who,
                                                  const std::string& session_id, Unit& unit);

// Whether he may name this user together with this session: he may say whose it is, or there is nothing to say any
// more. The outer result is the store's.
base::Result<base::Result<void>> check_naming(SessionBook& book, const model::Principal& who,
                                              const std::string& session_id, const std::string& user_id, Unit& unit);

// What is sent into a session names its user: where he was a guess, and whoever sends it may use the session as it is,
// that settles whose it is.
base::Result<void> name_user(SessionBook& book, const model::Principal& who, const std::string& session_id,
                             const std::string& user_id, Unit& unit);

}  // namespace belfry::engine
