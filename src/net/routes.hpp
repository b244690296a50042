#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/principal.hpp"
#include "net/exchange.hpp"

namespace belfry::net {

// How an answer is described to those who read /openapi.json.
struct RouteAnswer {
    int status = 200;
    std::string_view description;
    std::string_view content_type;  // empty: no body
    std::string_view schema;        // a name in components/schemas; empty: text
};

struct RouteParameter {
    std::string_view name;
    std::string_view place;  // path, query, header
    std::string_view description;
    std::string_view schema;  // JSON
};

// One row of the table of routes: everything that there is to know about an operation of the interface.
struct Route {
    wire::Method method;
    std::string_view path;             // `{name}` stands for one segment
    std::optional<model::Role> least;  // this role and those above it; nothing: open to all
    bool takes_ticket = false;         // `?ticket=` may stand for the token
    Handler handler;
    std::string_view id;  // operationId
    std::string_view summary;
    std::string_view request_schema;  // of application/json; empty: no body
    std::vector<RouteParameter> parameters;
    // Besides the problems that every route may answer with. One status may have several content types, one after the
    // other; the first of them describes it.
    std::vector<RouteAnswer> answers;
    Uploader uploader = nullptr;  // for a chunked body of one JSON text a line
    // Why a POST route answers 422 to an `Idempotency-Key`; empty: it honours the key.
    std::string_view keyless = {};
};

const std::vector<Route>& routes();

// Parts of the table, in files of their own: what is said about sessions, and what comes of it.
void append_session_routes(std::vector<Route>& routes);
void append_notification_routes(std::vector<Route>& routes);
void append_delivery_routes(std::vector<Route>& routes);
void append_context_routes(std::vector<Route>& routes);
void append_interaction_routes(std::vector<Route>& routes);
void append_change_set_routes(std::vector<Route>& routes);
void append_run_routes(std::vector<Route>& routes);
void append_agent_routes(std::vector<Route>& routes);
void append_timer_routes(std::vector<Route>& routes);
void append_message_routes(std::vector<Route>& routes);
void append_memory_routes(std::vector<Route>& routes);
void append_sync_routes(std::vector<Route>& routes);
void append_journal_routes(std::vector<Route>& routes);
void append_outside_call_routes(std::vector<Route>& routes);
void append_web_routes(std::vector<Route>& routes);

struct RouteMatch {
    const Route* route = nullptr;  // nothing: no such path, or not with this method
    std::vector<std::string> captures;
    std::string allow;  // the methods of the path, for 405 and OPTIONS; empty: no such path
};

// HEAD is answered by the route of GET.
RouteMatch match_route(wire::Method method, std::string_view path);

}  // namespace belfry::net
