#pragma once

#include <string>

#include "net/exchange.hpp"

// How an answer begins that does not end.
namespace belfry::net::handlers {

std::string sse_head(Service& service, const Connection& connection);

// What the handshake of a WebSocket is answered with; false where it is none, and then that is answered.
bool accept_websocket(const Exchange& exchange, std::string& accept);
std::string websocket_head(const std::string& accept);

}  // namespace belfry::net::handlers
