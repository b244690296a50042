#include "net/routes.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "net/handlers/handlers.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view text_schema = R"({"type":"string"})";
constexpr std::string_view number_schema = R"({"type":"integer","minimum":0})";

std::vector<RouteParameter> stream_parameters() {
    return {
        {"name", "path", "The stream: `events`, `audit`, `inbox:USER`, `agent:USER`, `session:ID`.", text_schema},
        {"after", "query", "The last sequence that the reader has.", number_schema},
        {"from", "query", "Where a live reader begins without `after`; `live` unless told.",
         R"({"type":"string","enum":["start","live"]})"},
        {"limit", "query", "Entries of a page at the most.", R"({"type":"integer","minimum":1,"maximum":1000})"},
        {"type", "query", "Type patterns, `tool.*`; several by commas or repetition.", text_schema},
        {"severity", "query", "The least severity.", R"({"$ref":"#/components/schemas/Severity"})"},
        {"user", "query", "Events of this user only.", text_schema},
        {"session", "query", "Events of this session only.", text_schema},
        {"ticket", "query", "A one-time ticket instead of a token.", text_schema},
        {"Last-Event-ID", "header", "As `after`, for readers that reconnect; it wins.", number_schema},
    };
}

// POST routes that take no `Idempotency-Key`, by operation, and the reason that the caller is given.
struct KeylessRoute {
    std::string_view id;
    std::string_view why;
};
constexpr std::string_view secret = "the answer holds a secret, which is not stored";
constexpr std::string_view pairing = "a pairing code works once";
constexpr std::string_view lease = "the answer is a lease, which a stored answer cannot renew";
constexpr std::string_view stream = "the answer is a stream; the same runId is the same run";
constexpr std::string_view no_effect = "the request changes nothing";
constexpr std::array keyless_routes{
    KeylessRoute{"mintToken", secret},    KeylessRoute{"issueTicket", secret},
    KeylessRoute{"issueLink", secret},    KeylessRoute{"redeemLink", secret},
    KeylessRoute{"beginPairing", secret}, KeylessRoute{"pairWith", pairing},
    KeylessRoute{"claimWake", lease},     KeylessRoute{"renewWake", lease},
    KeylessRoute{"claimToolCall", lease}, KeylessRoute{"renewToolCall", lease},
    KeylessRoute{"heartbeat", lease},     KeylessRoute{"pullNotifications", lease},
    KeylessRoute{"runAgentAgUi", stream}, KeylessRoute{"testSubscriber", no_effect},
};

void mark_keyless(std::vector<Route>& routes) {
    for (const KeylessRoute& keyless : keyless_routes) {
        const auto route = std::ranges::find(routes, keyless.id, &Route::id);
        ASSERT(route != routes.end() && route->method == Method::post);
        route->keyless = keyless.why;
    }
}

// A table is read by its rows.
// clang-format off
std::vector<Route> make_routes() {
    std::vector<Route> routes{
        {Method::post, "/v1/events", Role::emitter, false, handlers::post_events, "emitEvents",
         "Take events in. The answer comes when they are on disk.", "EventInput",
         {},
         {{201, "All were taken: one event as itself, a batch entry by entry.", json, "Accepted"},
          {207, "Some entries of the batch were taken.", json, "BatchResult"},
          {422, "None was taken: a batch entry by entry, one event as the problem itself.", json, "BatchResult"},
          {422, "", "application/problem+json", "Problem"}}},
        {Method::get, "/v1/streams", Role::agent, false, handlers::list_streams, "listStreams",
         "The streams that the caller may follow, but those of runs; those of sessions by name only.", "",
         {{"name", "query", "Only the stream of this name.", text_schema},
          {"after", "query", "The `next` of the page before.", number_schema},
          {"limit", "query", "Streams of a page at the most; 100 unless told.", R"({"type":"integer","minimum":1,"maximum":1000})"}},
         {{200, "The streams.", json, "StreamList"}}},
        {Method::get, "/v1/streams/{name}", Role::agent, true, handlers::get_stream, "readStream",
         "A page of a stream; with `Accept: text/event-stream` or a WebSocket upgrade, the stream itself.", "",
         stream_parameters(),
         {{200, "A page, or server-sent events until one side closes.", json, "StreamPage"},
          {200, "", "text/event-stream", ""},
          {101, "A WebSocket whose text messages are StreamMessage.", "", ""}}},
        {Method::get, "/v1/tokens", Role::admin, false, handlers::list_tokens, "listTokens",
         "All access tokens, without their secrets.", "", {}, {{200, "The tokens.", json, "TokenList"}}},
        {Method::post, "/v1/tokens", Role::service, false, handlers::mint_token, "mintToken",
         "Make an access token. A service may make user tokens of at most an hour.", "TokenInput", {},
         {{201, "The token; its text is shown this once.", json, "MintedToken"}}},
        {Method::delete_, "/v1/tokens/{id}", Role::admin, false, handlers::revoke_token, "revokeToken",
         "End an access token at once.", "", {{"id", "path", "The token's id.", text_schema}},
         {{200, "The token that was.", json, "Token"}}},
        {Method::post, "/v1/tickets", Role::agent, false, handlers::issue_ticket, "issueTicket",
         "A one-time ticket for what cannot send a header: `?ticket=` on a stream.", "", {},
         {{201, "The ticket.", json, "Ticket"}}},
        {Method::post, "/v1/erasures", Role::admin, false, handlers::post_erasure, "eraseUser",
         "Remove a person's data. It is promised with the answer and carried out after it.", "ErasureInput", {},
         {{202, "Promised.", json, "ErasureAccepted"}}},
        {Method::get, "/v1/erasures/{id}", Role::admin, false, handlers::get_erasure, "readErasure",
         "How far an erasure is.", "", {{"id", "path", "Its id.", text_schema}},
         {{200, "Its state.", json, "Erasure"}}},
        {Method::get, "/v1/status", Role::service, false, handlers::get_status, "readStatus",
         "What the daemon knows about itself.", "", {}, {{200, "The status.", json, "Status"}}},
        {Method::get, "/metrics", Role::service, false, handlers::get_metrics, "readMetrics",
         "Figures for Prometheus.", "", {}, {{200, "Text exposition.", "text/plain; version=0.0.4", ""}}},
        {Method::get, "/healthz", std::nullopt, false, handlers::get_healthz, "readHealth", "The process answers.", "",
         {}, {{200, "It does.", json, "Health"}}},
        {Method::get, "/readyz", std::nullopt, false, handlers::get_readyz, "readReadiness",
         "Events can be taken in.", "", {},
         {{200, "They can.", json, "Health"}, {503, "Not now; the state says why.", json, "Health"}}},
        {Method::get, "/openapi.json", std::nullopt, false, handlers::get_openapi, "readOpenApi", "This description.",
         "", {}, {{200, "OpenAPI 3.1.", json, "OpenApi"}}},
    };
    append_session_routes(routes);
    append_notification_routes(routes);
    append_delivery_routes(routes);
    append_interaction_routes(routes);
    append_change_set_routes(routes);
    append_context_routes(routes);
    append_run_routes(routes);
    append_agent_routes(routes);
    append_timer_routes(routes);
    append_message_routes(routes);
    append_memory_routes(routes);
    append_sync_routes(routes);
    append_journal_routes(routes);
    append_outside_call_routes(routes);
    append_web_routes(routes);
    mark_keyless(routes);
    return routes;
}

// clang-format on

std::string_view take_segment(std::string_view& path) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& captures) {
    const std::size_t fixed = pattern.find('{');
    if (fixed == std::string_view::npos) return pattern == path;
    if (path.substr(0, fixed) != pattern.substr(0, fixed)) return false;
    captures.clear();
    while (pattern.starts_with('/') && path.starts_with('/')) {
        const std::string_view wanted = take_segment(pattern);
        const std::string_view given = take_segment(path);
        if (!wanted.starts_with('{')) {
            if (wanted != given) return false;
            continue;
        }
        auto decoded = wire::percent_decode(given, false);
        if (!decoded || decoded->empty()) return false;
        captures.push_back(std::move(*decoded));
    }
    return pattern.empty() && path.empty();
}

}  // namespace

const std::vector<Route>& routes() {
    static const std::vector<Route> table = make_routes();
    return table;
}

RouteMatch match_route(wire::Method method, std::string_view path) {
    const Method wanted = method == Method::head ? Method::get : method;
    RouteMatch match;
    for (const Route& route : routes()) {
        if (!matches(route.path, path, match.captures)) continue;
        if (route.method == wanted) {
            match.route = &route;
            return match;
        }
        if (!match.allow.empty()) match.allow += ", ";
        match.allow += wire::method_name(route.method);
        if (route.method == Method::get) match.allow += ", HEAD";
    }
    if (!match.allow.empty()) match.allow += ", OPTIONS";
    return match;
}

}  // namespace belfry::net
