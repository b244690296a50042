#include "net/dispatch.hpp"

#include <utility>

#include "net/connection.hpp"
#include "net/exchange.hpp"
#include "net/guard.hpp"
#include "net/routes.hpp"
#include "net/service.hpp"

namespace belfry::net {
namespace {

// What a page of a configured origin may send; asked for by the browser before it does.
void answer_preflight(Connection& connection, const std::string& allow) {
    const std::string fields = "Access-Control-Allow-Methods: " + allow +
                               "\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, "
                               "Last-Event-ID\r\nAccess-Control-Max-Age: 600\r\n";
    connection.respond({204, "", "", fields});
}

void answer_options(Connection& connection, const std::string& allow) {
    connection.respond({204, "", "", "Allow: " + allow + "\r\n"});
}

bool comes_from_here(Service& service, Connection& connection, const wire::Request& request, std::string& cors_fields) {
    const std::string_view host = request.header(wire::Header::host);
    if (!connection.peer().is_local) {
        if (host.empty()) {
            connection.fail(base::error(base::Code::malformed, "the Host field is missing"));
            return false;
        }
        if (!is_host_allowed(host, service.options)) {
            connection.fail(421, base::error(base::Code::forbidden,
                                             "this host name is not served here; see "
                                             "server.allowed_hosts"));
            return false;
        }
    }
    const std::string_view origin = request.header(wire::Header::origin);
    switch (judge_origin(origin, service.options)) {
        case OriginVerdict::same_house: return true;
        case OriginVerdict::configured:
            cors_fields = "Access-Control-Allow-Origin: ";
            cors_fields += origin;
            cors_fields += "\r\nVary: Origin\r\n";
            return true;
        case OriginVerdict::foreign: break;
    }
    connection.fail(base::error(base::Code::forbidden, "this origin may not call; see server.allowed_origins"));
    return false;
}

}  // namespace

void handle_request(Service& service, Connection& connection, const wire::Request& request, std::string& cors_fields) {
    if (!comes_from_here(service, connection, request, cors_fields)) return;
    RouteMatch match = match_route(request.method, request.path);
    if (match.route == nullptr) {
        if (match.allow.empty()) return connection.fail(base::error(base::Code::not_found, "there is no such path"));
        if (request.method == wire::Method::options) {
            const bool preflight = !request.header(wire::Header::access_control_request_method).empty();
            return preflight && !cors_fields.empty() ? answer_preflight(connection, match.allow)
                                                     : answer_options(connection, match.allow);
        }
        return connection.fail(405, base::error(base::Code::unsupported, "this path has no such method"),
                               "Allow: " + match.allow + "\r\n");
    }
    Exchange exchange{service, connection, request, nullptr, std::move(match.captures)};
    if (match.route->least) {
        auto caller = identify(service, connection, request, *match.route);
        if (!caller) {
            const bool limited = caller.error().code == base::Code::rate_limited;
            return connection.fail(caller.error(), limited ? "Retry-After: 60\r\n" : "");
        }
        exchange.caller = std::move(caller).value();
    }
    match.route->handler(exchange);
}

}  // namespace belfry::net
