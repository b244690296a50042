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

// See and revoke tokens, erase people, read figures.
base::Result<void> may_administer(const model::Principal& who);
base::Result<void> may_observe(const model::Principal& who);

}  // namespace belfry::rules
