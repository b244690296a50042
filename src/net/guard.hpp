#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "net/options.hpp"
#include "net/tickets.hpp"
#include "wire/http_request.hpp"

namespace belfry::net {

class Connection;
struct Peer;
struct Service;
struct Route;

// The name in a Host field, without its port: `localhost` of `localhost:7117`, `[::1]` of `[::1]:80`.
std::string_view host_name(std::string_view host);

// May this server be called by that name? Else a web page could reach it under a name of its own (DNS rebinding).
bool is_host_allowed(std::string_view host, const ServerOptions& options);

enum class OriginVerdict : std::uint8_t {
    same_house,  // no origin, or one of an allowed host
    configured,  // a page of this origin may call and read
    foreign,     // refused
};
OriginVerdict judge_origin(std::string_view origin, const ServerOptions& options);

// Somebody of the daemon's own user id on a Unix socket, who has shown no token.
SharedCaller peer_caller(const Peer& peer);

// Does what he proved it by still stand? For whatever outlasts a request.
bool is_admitted(const Service& service, const Caller& caller);
// To one of whom it does not.
base::Error not_admitted();

// Counts a failed attempt to prove something, and says so: `error`, or that there were too many from this address.
base::Error failed_login(Service& service, const Peer& peer, base::Error error);

// Who sends this request, or why he may not use this route.
base::Result<SharedCaller> identify(Service& service, Connection& connection, const wire::Request& request,
                                    const Route& route);

}  // namespace belfry::net
