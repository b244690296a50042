#pragma once

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/event.hpp"
#include "model/log.hpp"
#include "model/principal.hpp"

// Who may do what. Every command and every query is asked here, and nowhere else.
namespace belfry::rules {

// Emit this event. Of an event without a user, a user token's own user becomes the user.
base::Result<void> may_emit(const model::Principal& who, model::Event& event);

// Follow a stream. On success the filter is narrowed to what this principal may see.
base::Result<void> may_follow(const model::Principal& who, const model::StreamInfo& stream,
                              model::StreamFilter& filter);

struct TokenWish {
    model::Role role = model::Role::emitter;
    std::string user_id;
    model::Bounds bounds;
    std::optional<base::Duration> life;
};

// Mint such a token. A service may mint user tokens that live at most an hour and may no more than it may itself: where
// it is bound, they must be bound inside it.
base::Result<void> may_mint(const model::Principal& who, const TokenWish& wish);

// Speak for, or read, a session of this user: its user himself, an agent or a service bound to either or (a service)
// bound to nothing, an admin. An emitter never.
base::Result<void> may_use_session(const model::Principal& who, std::string_view session_id, std::string_view user_id);

// Whose sessions and notifications somebody sees who names no session: on success `user_id` is narrowed as it must be.
base::Result<void> may_see_of(const model::Principal& who, std::string& user_id);

// Read or change what a user has chosen for himself.
base::Result<void> may_set_for(const model::Principal& who, std::string_view user_id);

// The user of a session that comes into being with this request: the principal's own, the only one that it is bound
// to, or `owner`.
std::string default_user(const model::Principal& who, std::string_view owner);

// See and revoke tokens, erase people, read figures.
base::Result<void> may_administer(const model::Principal& who);
base::Result<void> may_observe(const model::Principal& who);

}  // namespace belfry::rules
