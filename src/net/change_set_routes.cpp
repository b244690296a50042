#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view problem = "application/problem+json";
constexpr std::string_view id_schema = R"({"type":"string","maxLength":200})";

constexpr RouteParameter set_id{"id", "path", "The change set.", R"({"type":"string","format":"uuid"})"};
constexpr RouteParameter item_number{"number", "path", "The item, by its number in the set.",
                                     R"({"type":"integer","minimum":1})"};
const std::vector<RouteAnswer> decided{
    {200, "The set as it is now, with its items.", json, "ChangeSet"},
    {409, "The other was decided before (`decided`), or the agent was destroyed (`agent_gone`).", problem, "Problem"},
    {503, "Nothing can be recorded now, or it is not known whether it was: `Retry-After` says when to come again.",
     problem, "Problem"}};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_change_set_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::get, "/v1/change-sets", Role::user, false, handlers::list_change_sets, "listChangeSets",
         "What agents propose instead of doing it, oldest first; a set for each wake.", "",
         {{"user", "query", "To this user only.", id_schema},
          {"agent", "query", "Of this agent only.", id_schema},
          {"state", "query", "`open`: only those of which something is still proposed.",
           R"({"type":"string","enum":["open","all"],"default":"open"})"},
          {"after", "query", "`next` of the page before.", R"({"type":"integer","minimum":0})"},
          {"limit", "query", "Entries of a page at the most.", R"({"type":"integer","minimum":1,"maximum":1000})"}},
         {{200, "The sets, without their items.", json, "ChangeSetList"}}},
        {Method::get, "/v1/change-sets/{id}", Role::user, false, handlers::get_change_set, "readChangeSet",
         "A set with its items.", "", {set_id}, {{200, "The set.", json, "ChangeSet"}}},
        {Method::post, "/v1/change-sets/{id}/items/{number}/accept", Role::user, false, handlers::accept_change_item,
         "acceptChangeItem", "Have it done, in the agent's name; as the person, as with an answer to a question.", "",
         {set_id, item_number}, decided},
        {Method::post, "/v1/change-sets/{id}/items/{number}/reject", Role::user, false, handlers::reject_change_item,
         "rejectChangeItem", "It is not done; as the person.", "", {set_id, item_number}, decided},
        {Method::post, "/v1/change-sets/{id}/accept", Role::user, false, handlers::accept_change_set,
         "acceptChangeSet", "Have all done that is still proposed, each with its own outcome; as the person.", "",
         {set_id}, decided},
        {Method::post, "/v1/change-sets/{id}/reject", Role::user, false, handlers::reject_change_set,
         "rejectChangeSet", "Nothing that is still proposed is done; as the person.", "", {set_id}, decided},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
