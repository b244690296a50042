#pragma once

#include <string>

#include "engine/session_book.hpp"

namespace belfry::engine {

// The session that a principal speaks of, made where there is none; or why he may not. Its user is a guess as long as
// nobody has named or proved him. The outer result is the store's.
base::Result<base::Result<model::Session*>> enter_session(SessionBook& book, const std::string& owner,
                                                          const model::Principal& who, const std::string& id,
                                                          Unit& unit);

// Whether he may name this user together with this session: he may say whose it is, or there is nothing to say any
// more. The outer result is the store's.
base::Result<base::Result<void>> check_naming(SessionBook& book, const model::Principal& who,
                                              const std::string& session_id, const std::string& user_id, Unit& unit);

// What is sent into a session names its user: where he was a guess, and whoever sends it may use the session as it is,
// that settles whose it is.
base::Result<void> name_user(SessionBook& book, const model::Principal& who, const std::string& session_id,
                             const std::string& user_id, Unit& unit);

}  // namespace belfry::engine
