#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/principal.hpp"
#include "ports/commands/command.hpp"

namespace belfry::ports {

struct MintedToken {
    model::AccessToken token;
    std::string secret_text;  // the whole token, shown once: `bf_<id>_<secret>`
};

struct MintToken final : CommandOf<MintedToken> {
    std::string name;
    model::Role role = model::Role::emitter;
    std::string user_id;
    model::Bounds bounds;
    std::int64_t events_per_second = 0;
    std::optional<base::Duration> life;
};

struct RevokeToken final : CommandOf<model::AccessToken> {
    std::string token_id;
};

}  // namespace belfry::ports
