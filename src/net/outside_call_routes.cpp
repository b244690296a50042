#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view problem = "application/problem+json";
constexpr std::string_view id_schema = R"({"type":"string","maxLength":200})";
constexpr std::string_view uuid_schema = R"({"type":"string","format":"uuid"})";
constexpr std::string_view stale =
    "The claim is not the caller's any more (`stale_claim`): it has run out, somebody else has it, or the call has "
    "ended.";

constexpr RouteParameter call_id{"id", "path", "The call.", uuid_schema};
constexpr RouteParameter limit{"limit", "query", "Entries of a page at the most.",
                               R"({"type":"integer","minimum":1,"maximum":1000})"};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_outside_call_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::post, "/v1/tool-calls/claim", Role::agent, false, handlers::claim_outside_call, "claimToolCall",
         "The oldest call of these tools that waits for a worker, for whoever carries them out. Its lease must be renewed while the work goes on; the same `operation_id` again is the same call, tried once more.",
         "ToolCallClaim", {},
         {{200, "It is the caller's until the lease runs out.", json, "ToolCall"},
          {204, "There was none in this time.", "", ""},
          {404, "One of the tools is not registered, or not for workers.", problem, "Problem"},
          {429, "Too many requests of this token wait.", problem, "Problem"},
          {503, "Too many requests wait, or nothing can be recorded now.", problem, "Problem"}}},
        {Method::post, "/v1/tool-calls/{id}/renew", Role::agent, false, handlers::renew_outside_call, "renewToolCall",
         "The work goes on.", "ToolCallRenewal", {call_id},
         {{200, "The call with its new lease.", json, "ToolCall"}, {409, stale, problem, "Problem"}}},
        {Method::post, "/v1/tool-calls/{id}/end", Role::agent, false, handlers::end_outside_call, "endToolCall",
         "What came of it: its result, or an error, which both end it; or it is given back untouched (`release`).",
         "ToolCallEnd", {call_id},
         {{200, "The call as it is now.", json, "ToolCall"}, {409, stale, problem, "Problem"}}},
        {Method::get, "/v1/tool-calls", Role::agent, false, handlers::list_outside_calls, "listToolCalls",
         "The calls that somebody outside carries out, newest first.", "",
         {{"user", "query", "Of this user's agents only.", id_schema}, {"agent", "query", "Of this agent only.", id_schema},
          {"tool", "query", "Of this tool only.", id_schema},
          {"state", "query", "In this state only.", R"({"$ref":"#/components/schemas/ToolCallState"})"},
          {"after", "query", "`next` of the page before.", uuid_schema}, limit},
         {{200, "The calls.", json, "ToolCallList"}}},
        {Method::get, "/v1/tool-calls/{id}", Role::agent, false, handlers::get_outside_call, "readToolCall", "One call.", "",
         {call_id}, {{200, "The call.", json, "ToolCall"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
