#include "net/handlers/handlers.hpp"
#include "net/handlers/live.hpp"
#include "net/handlers/parameters.hpp"
#include "net/handlers/stream_request.hpp"

namespace belfry::net::handlers {

void open_rpc(const Exchange& exchange) {
    const auto read = read_parameters(exchange.request, [](const std::string& name, const std::string&) {
        return name == "ticket" ? base::Result<void>{} : base::Result<void>(unknown_parameter(name));
    });
    if (!read.ok()) return exchange.fail(read.error());
    if (form_of(exchange.request) != StreamForm::websocket) {
        return exchange.connection.fail(
            426, base::error(base::Code::unsupported, "JSON-RPC is spoken here over a WebSocket"),
            "Upgrade: websocket\r\n");
    }
    std::string accept;
    if (!accept_websocket(exchange, accept)) return;
    exchange.connection.speak_rpc(websocket_head(accept), exchange.caller);
}

}  // namespace belfry::net::handlers
