#pragma once

#include <string>

#include "engine/session_book.hpp"

namespace belfry::engine {

// The session that a principal speaks of, made where there is none; or why he may not. Its user is a guess as long as
// nobody has named or proved him. The outer result is the store's.
base::Result<base::Result<model::Session*>> enter_session(SessionBook& book, const std::string& owner,
                                                          const model::Principal& who, const std::string& id,
                                                          Unit& unit);

// Whether somebody who has no part in its user may still say whose it is: he is a guess, and nothing was said or begun
// in it that would be laid open.
bool may_become_anothers(const model::Session& session);

}  // namespace belfry::engine
