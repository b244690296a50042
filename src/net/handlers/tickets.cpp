#include "base/limits.hpp"
#include "model/raw_json.hpp"
#include "net/handlers/handlers.hpp"

namespace belfry::net::handlers {

void issue_ticket(const Exchange& exchange) {
    const auto ticket = exchange.service.tickets.issue(exchange.caller, exchange.service.ports.clock.monotonic());
    if (!ticket) {
        const bool limited = ticket.error().code == base::Code::rate_limited;
        return exchange.connection.fail(ticket.error(), limited ? "Retry-After: 60\r\n" : "");
    }
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("ticket", *ticket);
    writer.field("expires_in", static_cast<long long>(base::limits::ticket_life.us / 1'000'000)).end_object();
    exchange.respond(201, body);
}

}  // namespace belfry::net::handlers
