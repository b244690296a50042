#pragma once

#include <cstddef>
#include <string>

#include "net/exchange.hpp"

namespace belfry::net::handlers {

// True where the caller's rate does not allow so many events now; then that is answered. Asked by every route that
// brings events in.
bool is_too_fast(const Exchange& exchange, std::size_t count);

// The same for one who sends on and on: how long he is too fast; 0: he is not.
base::Duration pause_needed(Service& service, const model::Principal& who, std::size_t count);
// The field that tells of it.
std::string retry_after(base::Duration pause);

}  // namespace belfry::net::handlers
