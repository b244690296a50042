#include "net/handlers/live.hpp"

#include "codec/sse.hpp"
#include "wire/http_response.hpp"
#include "wire/websocket.hpp"

namespace belfry::net::handlers {
namespace {
constexpr std::int64_t retry_ms = 1000;
}

std::string sse_head(Service& service, const Connection& connection) {
    std::string head;
    wire::append_stream_head(head, "text/event-stream; charset=utf-8", service.date, connection.cors_fields());
    codec::append_sse_retry(head, retry_ms);
    return head;
}

bool accept_websocket(const Exchange& exchange, std::string& accept) {
    if (exchange.request.header(wire::Header::sec_websocket_version) != "13") {
        exchange.connection.fail(426, base::error(base::Code::unsupported, "WebSocket version 13 is spoken"),
                                 "Sec-WebSocket-Version: 13\r\nUpgrade: websocket\r\n");
        return false;
    }
    accept = wire::websocket_accept(exchange.request.header(wire::Header::sec_websocket_key));
    if (accept.empty()) exchange.fail(base::error(base::Code::malformed, "Sec-WebSocket-Key is malformed"));
    return !accept.empty();
}

std::string websocket_head(const std::string& accept) {
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
           accept + "\r\n\r\n";
}

}  // namespace belfry::net::handlers
