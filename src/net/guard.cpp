#include "net/guard.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <memory>
#include <netinet/in.h>
#include <utility>

#include "net/connection.hpp"
#include "net/routes.hpp"
#include "net/service.hpp"
#include "wire/target.hpp"

namespace belfry::net {
namespace {

constexpr std::string_view bearer = "bearer ";
constexpr base::Duration caller_kept = base::seconds(1);  // expiry of a token is noticed after that

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
        return lower(x) == lower(y);
    });
}

// The address that the server was told to listen on is a name of it; that of every interface is nobody's.
bool is_own_address(std::string_view name, const std::string& host) {
    if (host.empty()) return false;
    in_addr v4{};
    in6_addr v6{};
    if (::inet_pton(AF_INET, host.c_str(), &v4) == 1 && v4.s_addr == INADDR_ANY) return false;
    if (::inet_pton(AF_INET6, host.c_str(), &v6) != 1) return equal_ignoring_case(name, host);
    if (IN6_IS_ADDR_UNSPECIFIED(&v6) || name.size() < 2 || name.front() != '[') return false;
    in6_addr named{};
    const std::string inside(name.substr(1, name.size() - 2));
    return ::inet_pton(AF_INET6, inside.c_str(), &named) == 1 && IN6_ARE_ADDR_EQUAL(&named, &v6);
}

base::Error unauthenticated(const char* why) {
    return base::error(base::Code::unauthenticated, why);
}

std::string_view ticket_of(std::string_view query) {
    constexpr std::string_view name = "ticket=";
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        if (pair.starts_with(name)) return pair.substr(name.size());
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
    }
    return {};
}

// A ticket proves no more than its caller had proved when he asked for it.
SharedCaller ticket_caller(const SharedCaller& caller) {
    if (caller->principal.proof == model::Proof::peer) return caller;
    auto copy = std::make_shared<Caller>(*caller);
    copy->principal.proof = model::Proof::ticket;
    return copy;
}

base::Result<SharedCaller> find_caller(Service& service, Connection& connection, const wire::Request& request,
                                       const Route& route) {
    if (route.takes_ticket) {
        if (const std::string_view ticket = ticket_of(request.query); !ticket.empty()) {
            const SharedCaller caller = service.tickets.redeem(ticket, service.ports.clock.monotonic());
            if (caller && is_admitted(service, *caller)) return ticket_caller(caller);
            return failed_login(service, connection.peer(), unauthenticated("the ticket is unknown, spent or expired"));
        }
    }
    return connection.authenticate(request.header(wire::Header::authorization));
}

}  // namespace

SharedCaller peer_caller(const Peer& peer) {
    auto caller = std::make_shared<Caller>();
    caller->principal.id = "peer:" + std::to_string(peer.uid);
    caller->principal.role = model::Role::admin;
    caller->principal.proof = model::Proof::peer;
    return caller;
}

bool is_admitted(const Service& service, const Caller& caller) {
    return caller.token.empty() || service.ports.access.authenticate(caller.token).ok();
}

base::Error not_admitted() {
    return unauthenticated("the access token was revoked or has expired meanwhile");
}

std::string_view host_name(std::string_view host) {
    if (host.starts_with('[')) {
        const std::size_t end = host.find(']');
        return end == std::string_view::npos ? std::string_view{} : host.substr(0, end + 1);
    }
    return host.substr(0, host.find(':'));
}

bool is_host_allowed(std::string_view host, const ServerOptions& options) {
    std::string_view name = host_name(host);
    if (name.ends_with('.')) name.remove_suffix(1);
    const std::string_view port = host.substr(std::min(host.size(), host_name(host).size()));
    if (!port.empty() && (port.front() != ':' ||
                          !std::all_of(port.begin() + 1, port.end(), [](char c) { return c >= '0' && c <= '9'; }))) {
        return false;
    }
    if (name == "127.0.0.1" || name == "[::1]" || equal_ignoring_case(name, "localhost")) return true;
    if (is_own_address(name, options.host)) return true;
    return std::any_of(options.allowed_hosts.begin(), options.allowed_hosts.end(),
                       [name](const std::string& allowed) { return equal_ignoring_case(name, allowed); });
}

OriginVerdict judge_origin(std::string_view origin, const ServerOptions& options) {
    if (origin.empty()) return OriginVerdict::same_house;
    for (const std::string& allowed : options.allowed_origins) {
        if (equal_ignoring_case(allowed, origin)) return OriginVerdict::configured;
    }
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (origin.starts_with(scheme) && is_host_allowed(origin.substr(scheme.size()), options)) {
            return OriginVerdict::same_house;
        }
    }
    return OriginVerdict::foreign;
}

base::Result<SharedCaller> Connection::authenticate(std::string_view authorization) {
    const std::uint64_t generation = service_.ports.access.generation();
    const bool fresh = service_.tick - caller_asked_ < caller_kept && caller_generation_ == generation;
    if (caller_ && fresh && authorization == authorization_) return caller_;
    if (authorization.empty()) {
        if (!peer_.is_same_user) return unauthenticated("an access token is needed: Authorization: Bearer …");
        caller_ = peer_caller(peer_);
    } else {
        if (authorization.size() <= bearer.size() ||
            !equal_ignoring_case(authorization.substr(0, bearer.size()), bearer)) {
            return failed_login(service_, peer_, unauthenticated("the Authorization field must be: Bearer <token>"));
        }
        const std::string_view token = authorization.substr(bearer.size());
        auto principal = service_.ports.access.authenticate(token);
        if (!principal) return failed_login(service_, peer_, std::move(principal).error());
        caller_ = std::make_shared<const Caller>(Caller{std::move(principal).value(), std::string(token)});
    }
    is_known_ = true;
    authorization_ = authorization;
    caller_generation_ = generation;
    caller_asked_ = service_.tick;
    return caller_;
}

base::Error failed_login(Service& service, const Peer& peer, base::Error error) {
    ++service.ports.metrics.authentications_failed;
    if (service.failed_logins.count(peer.address, service.tick)) {
        return base::error(base::Code::rate_limited, "too many failed logins from this address");
    }
    return error;
}

base::Result<SharedCaller> identify(Service& service, Connection& connection, const wire::Request& request,
                                    const Route& route) {
    TRY_ASSIGN(SharedCaller caller, find_caller(service, connection, request, route));
    if (caller->principal.role > *route.least) {
        return base::error(base::Code::forbidden,
                           "the role " + std::string(model::role_name(caller->principal.role)) + " may not do this");
    }
    return caller;
}

}  // namespace belfry::net
