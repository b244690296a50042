#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view problem = "application/problem+json";
constexpr std::string_view id_schema = R"({"type":"string","maxLength":200})";

constexpr RouteParameter name{"name", "path", "The name of the value.",
                              R"({"$ref":"#/components/schemas/ContextName"})"};
constexpr RouteParameter user{"user", "query", "The user; default as in ContextInput.", id_schema};
constexpr RouteParameter session{"session", "query", "The session of the value; without it, the value has no session.",
                                 id_schema};
constexpr RouteParameter agent{"agent", "query", "The agent of the value; without it, the value has no agent.",
                               id_schema};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_context_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::get, "/v1/context", Role::agent, false, handlers::list_context_values, "listContextValues",
         "List the current context values of a user by name.", "",
         {user, {"session", "query", "Values of this session only.", id_schema},
          {"agent", "query", "Values of this agent only.", id_schema}},
         {{200, "The values.", json, "ContextValueList"}}},
        {Method::put, "/v1/context/{name}", Role::emitter, false, handlers::put_context_value, "putContextValue",
         "Set a context value, which agents read with a pull that asks for it. Replaces the value of the same name and scope. Never notifies.",
         "ContextInput", {name},
         {{200, "The value as it is now.", json, "ContextValue"},
          {409, "The user has 100 values (`too_many`).", problem, "Problem"}}},
        {Method::get, "/v1/context/{name}", Role::agent, false, handlers::get_context_value, "readContextValue",
         "Read one current context value.", "", {name, user, session, agent},
         {{200, "The value.", json, "ContextValue"}}},
        {Method::delete_, "/v1/context/{name}", Role::emitter, false, handlers::delete_context_value,
         "deleteContextValue", "Delete a context value.", "", {name, user, session, agent},
         {{204, "The value is gone.", "", ""}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}

// clang-format on

}  // namespace belfry::net
