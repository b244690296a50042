#pragma once

#include <string>

#include "base/context_limits.hpp"
#include "model/context_value.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"

namespace belfry::ports {

// Sets a context value, or replaces the one with the same key. A scope without a user is that of its session's user,
// else of the principal's own user, else of the owner.
struct PutContextValue final : CommandOf<model::ContextValue> {
    model::ContextKey key;
    std::string content;
    base::Duration ttl = base::limits::context_ttl_default;
};

struct DeleteContextValue final : CommandOf<Nothing> {
    model::ContextKey key;
};

}  // namespace belfry::ports
