#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view problem = "application/problem+json";
constexpr std::string_view id_schema = R"({"type":"string","maxLength":200})";

constexpr RouteParameter agent_id{"id", "path", "The agent.", id_schema};
constexpr RouteParameter timer_id{"tid", "path", "The timer.", R"({"type":"string","format":"uuid"})"};
constexpr RouteParameter after{"after", "query", "`next` of the page before.", R"({"type":"string"})"};
constexpr RouteParameter limit{"limit", "query", "Entries of a page at the most.",
                               R"({"type":"integer","minimum":1,"maximum":1000})"};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_timer_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::post, "/v1/agents/{id}/timers", Role::user, false, handlers::add_timer, "addTimer",
         "Wake an agent by the clock. With `dry_run` it is only said what would be, and nothing is stored.", "TimerInput",
         {agent_id},
         {{201, "The timer.", json, "Timer"},
          {200, "The timer, which was there already and is like this; or what it would be.", json, "Timer"},
          {409, "The agent has another timer of this name (`taken`), or is woken by its person only (`refused`).", problem,
           "Problem"},
          {410, "The agent was destroyed.", problem, "Problem"},
          {422, "The schedule, its zone or something else is not as it should be, or never comes: `field` says which.",
           problem, "Problem"}}},
        {Method::get, "/v1/agents/{id}/timers", Role::user, false, handlers::list_agent_timers, "listAgentTimers",
         "The timers of an agent: whichever fires next comes first, those that do not fire any more last.", "",
         {agent_id, after, limit}, {{200, "Its timers.", json, "TimerList"}}},
        {Method::get, "/v1/agents/{id}/timers/{tid}", Role::user, false, handlers::get_timer, "readTimer",
         "One timer.", "", {agent_id, timer_id}, {{200, "The timer.", json, "Timer"}}},
        {Method::patch, "/v1/agents/{id}/timers/{tid}", Role::user, false, handlers::change_timer, "changeTimer",
         "Change a timer; what is not named stays. Another zone keeps the wall time.", "TimerPatch", {agent_id, timer_id},
         {{200, "The timer as it is now.", json, "Timer"},
          {409, "The agent has another timer of this name (`taken`), or is woken by its person only (`refused`).", problem,
           "Problem"},
          {410, "The agent was destroyed.", problem, "Problem"},
          {422, "Something is not as it should be, or it never comes: `field` says which.", problem, "Problem"}}},
        {Method::delete_, "/v1/agents/{id}/timers/{tid}", Role::user, false, handlers::delete_timer, "removeTimer",
         "Wake an agent by this no more; what waits already still runs.", "", {agent_id, timer_id},
         {{204, "It is gone.", "", ""}}},
        {Method::get, "/v1/timers", Role::user, false, handlers::list_timers, "listTimers",
         "All timers that the caller may see: whichever fires next comes first, those that do not fire any more last.", "",
         {{"user", "query", "Of this user's agents only.", id_schema}, after, limit},
         {{200, "The timers.", json, "TimerList"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
