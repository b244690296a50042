#include "net/handlers/pace.hpp"

#include <string>

namespace belfry::net::handlers {

bool is_too_fast(const Exchange& exchange, std::size_t count) {
    const model::Principal& who = exchange.principal();
    const std::int64_t rate =
        who.events_per_second > 0 ? who.events_per_second : exchange.service.options.events_per_second;
    if (rate == 0 || who.proof == model::Proof::peer) return false;
    const base::Duration now = exchange.service.ports.clock.monotonic();
    const base::Duration wait = exchange.service.event_rates.take(who.id, rate, count, now);
    if (wait.us == 0) return false;
    exchange.connection.fail(
        base::error(base::Code::rate_limited, "more than " + std::to_string(rate) + " events per second"),
        "Retry-After: " + std::to_string(wait.us / 1'000'000) + "\r\n");
    return true;
}

}  // namespace belfry::net::handlers
