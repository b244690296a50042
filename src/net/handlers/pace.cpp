#include "net/handlers/pace.hpp"

#include <algorithm>

namespace belfry::net::handlers {

namespace {

std::int64_t rate_of(const Service& service, const model::Principal& who) {
    if (who.proof == model::Proof::peer) return 0;
    const std::int64_t own = who.events_per_second;
    const std::int64_t everybodys = service.options.events_per_second;
    return own > 0 && everybodys > 0 ? std::min(own, everybodys) : std::max(own, everybodys);
}

}  // namespace

base::Duration pause_needed(Service& service, const model::Principal& who, std::size_t count) {
    const std::int64_t rate = rate_of(service, who);
    if (rate == 0) return {};
    return service.event_rates.take(who.id, rate, count, service.ports.clock.monotonic());
}

bool is_too_fast(const Exchange& exchange, std::size_t count) {
    const base::Duration wait = pause_needed(exchange.service, exchange.principal(), count);
    if (wait.us == 0) return false;
    exchange.connection.fail(
        base::error(
            base::Code::rate_limited,
            "more than " + std::to_string(rate_of(exchange.service, exchange.principal())) + " events per second"),
        retry_after(wait));
    return true;
}

std::string retry_after(base::Duration pause) {
    return "Retry-After: " + std::to_string(pause.us / 1'000'000) + "\r\n";
}

}  // namespace belfry::net::handlers
