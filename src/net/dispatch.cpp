#include "net/dispatch.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "codec/run_event_bodies.hpp"
#include "net/connection.hpp"
#include "net/exchange.hpp"
#include "net/guard.hpp"
#include "net/handlers/parameters.hpp"
#include "net/routes.hpp"
#include "net/service.hpp"
#include "net/stored_answer.hpp"

namespace belfry::net {
namespace {

// What a page of a configured origin may send; asked for by the browser before it does.
void answer_preflight(Connection& connection, const std::string& allow) {
    const std::string fields = "Access-Control-Allow-Methods: " + allow +
                               "\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, "
                               "Last-Event-ID, Title, Priority\r\nAccess-Control-Max-Age: 600\r\n";
    connection.respond({204, "", "", fields});
}

void answer_options(Connection& connection, const std::string& allow) {
    connection.respond({204, "", "", "Allow: " + allow + "\r\n"});
}

void answer_unrouted(Connection& connection, const wire::Request& request, const std::string& allow, bool cors) {
    if (allow.empty()) return connection.fail(base::error(base::Code::not_found, "there is no such path"));
    if (request.method == wire::Method::options) {
        const bool preflight = !request.header(wire::Header::access_control_request_method).empty();
        return preflight && cors ? answer_preflight(connection, allow) : answer_options(connection, allow);
    }
    connection.fail(405, base::error(base::Code::unsupported, "this path has no such method"),
                    "Allow: " + allow + "\r\n");
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

bool is_upload_of(const Route& route, const wire::Request& request) {
    return route.uploader != nullptr && request.is_chunked &&
           codec::is_ndjson(request.header(wire::Header::content_type));
}

// A parameter that a route does not have would silently change nothing: the caller may have misspelt it, or have meant
// a member of the body.
base::Result<void> check_query(const Route& route, const wire::Request& request) {
    if (request.query.empty()) return {};
    const auto parameters = wire::parse_query(request.query);
    if (!parameters) return base::error(base::Code::malformed, "the query is not properly encoded");
    for (const auto& parameter : *parameters) {
        const std::string& name = parameter.first;
        const auto is_it = [&name](const RouteParameter& one) { return one.place == "query" && one.name == name; };
        const bool is_ticket = route.takes_ticket && name == "ticket";
        if (!is_ticket && std::ranges::none_of(route.parameters, is_it)) return handlers::unknown_parameter(name);
    }
    return {};
}

base::Result<void> check_idempotency_key(const Route& route, const wire::Request& request) {
    const std::string_view key = request.header(wire::Header::idempotency_key);
    if (route.method != wire::Method::post || key.empty()) return {};
    if (!route.keyless.empty()) return no_idempotency_key(route.keyless);
    if (is_upload_of(route, request)) return no_idempotency_key("a body in chunks is recorded as it arrives");
    if (key.size() > base::limits::idempotency_key_bytes_max) {
        return base::error(base::Code::too_large, "the Idempotency-Key is longer than 255 bytes", "Idempotency-Key");
    }
    return {};
}

// The fingerprint covers everything of the request that handlers of POST read.
std::optional<ports::IdempotencyKey> idempotency_key_of(const Route& route, const wire::Request& request) {
    const std::string_view key = request.header(wire::Header::idempotency_key);
    if (route.method != wire::Method::post || key.empty()) return std::nullopt;
    std::string all(request.target);
    for (const wire::Header name : {wire::Header::content_type, wire::Header::title, wire::Header::priority}) {
        all += '\n';
        all += request.header(name);
    }
    const auto body = base::fingerprint(request.body);
    all += '\n';
    all.append(reinterpret_cast<const char*>(body.data()), body.size());
    return ports::IdempotencyKey{std::string(key), base::fingerprint(all)};
}

struct Admission {
    const Route* route = nullptr;  // nothing: it is answered
    SharedCaller caller;
    std::vector<std::string> captures;
};

Admission admit(Service& service, Connection& connection, const wire::Request& request, std::string& cors_fields) {
    if (!comes_from_here(service, connection, request, cors_fields)) return {};
    RouteMatch match = match_route(request.method, request.path);
    if (match.route == nullptr) {
        answer_unrouted(connection, request, match.allow, !cors_fields.empty());
        return {};
    }
    Admission admission{match.route, nullptr, std::move(match.captures)};
    if (match.route->least) {
        auto caller = identify(service, connection, request, *match.route);
        if (!caller) {
            const bool limited = caller.error().code == base::Code::rate_limited;
            connection.fail(caller.error(), limited ? "Retry-After: 60\r\n" : "");
            return {};
        }
        admission.caller = std::move(caller).value();
    }
    for (const auto& fine : {check_query(*match.route, request), check_idempotency_key(*match.route, request)}) {
        if (fine.ok()) continue;
        connection.fail(fine.error());
        return {};
    }
    if (!service.options.journal && match.route->path.starts_with("/v1/journal")) {
        connection.fail(base::error(base::Code::not_found, "the journal is switched off here", {}, "journal_off"));
        return {};
    }
    return admission;
}

}  // namespace

void handle_request(Service& service, Connection& connection, const wire::Request& request, std::string& cors_fields) {
    Admission admission = admit(service, connection, request, cors_fields);
    if (admission.route == nullptr) return;
    const Exchange exchange{service,
                            connection,
                            request,
                            std::move(admission.caller),
                            std::move(admission.captures),
                            idempotency_key_of(*admission.route, request)};
    if (!is_upload_of(*admission.route, request)) return admission.route->handler(exchange);
    if (auto upload = admission.route->uploader(exchange)) connection.begin_upload(std::move(upload));
}

bool is_upload(const wire::Request& request) {
    if (!request.is_chunked) return false;
    const RouteMatch match = match_route(request.method, request.path);
    return match.route != nullptr && is_upload_of(*match.route, request);
}

bool is_body_wanted(Service& service, Connection& connection, const wire::Request& request, bool large,
                    std::string& cors_fields) {
    if (!comes_from_here(service, connection, request, cors_fields)) return false;
    const RouteMatch match = match_route(request.method, request.path);
    // To ask would spend a ticket.
    const bool never = match.route != nullptr && (large || match.route->takes_ticket);
    if (never && match.route->request_schema.empty()) {
        connection.fail(base::error(base::Code::too_large, "this path takes no body"));
        return false;
    }
    // Whoever need not say who he is gets no more memory than those who have not said it yet.
    if (large && match.route != nullptr && !match.route->least) {
        connection.fail(base::error(base::Code::too_large, "this path takes a small body only"));
        return false;
    }
    return admit(service, connection, request, cors_fields).route != nullptr;
}

}  // namespace belfry::net
