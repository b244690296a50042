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

constexpr RouteParameter agent_id{"id", "path", "The agent.", id_schema};
constexpr RouteParameter wake_id{"id", "path", "The wake.", R"({"type":"integer","minimum":1})"};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_message_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::get, "/v1/agents/{id}/messages", Role::agent, false, handlers::list_agent_messages, "listAgentMessages",
         "What an agent remembers, newest first. Content that lies apart is read with its message.", "",
         {agent_id, {"thread", "query", "Of this thread only.", R"({"type":"string","maxLength":500})"},
          {"changed", "query", "Only results of tools that have changed this entity.", id_schema},
          {"after", "query", "`next` of the page before.", uuid_schema},
          {"limit", "query", "Entries of a page at the most.", R"({"type":"integer","minimum":1,"maximum":1000})"}},
         {{200, "The messages.", json, "AgentMessageList"}}},
        {Method::get, "/v1/agents/{id}/messages/{mid}", Role::agent, false, handlers::get_agent_message, "readAgentMessage",
         "One message of an agent, with its whole content.", "",
         {agent_id, {"mid", "path", "The message.", uuid_schema}},
         {{200, "The message.", json, "AgentMessage"}}},
        {Method::post, "/v1/wakes/{id}/messages", Role::agent, false, handlers::append_agent_messages, "appendAgentMessages",
         "What whoever works for an agent thinks and does, into the thread of the wake: all of them or none. One that is there already is not added again.",
         "AgentMessageBatch", {wake_id},
         {{201, "The messages, of which some are new.", json, "AppendedAgentMessages"},
          {200, "The messages, which were all there already.", json, "AppendedAgentMessages"},
          {409, "The claim is not the caller's any more (`stale_claim`); something else has the id (`taken`) or the operation (`operation_taken`); the plan has something else there (`not_planned`); the action has another result (`answered`).", problem, "Problem"}}},
        {Method::post, "/v1/wakes/{id}/plan", Role::agent, false, handlers::store_plan, "storePlan",
         "What a run is going to do, before it does anything. A round has one plan for good: whoever comes later gets that one, with what has come of it.",
         "PlanInput", {wake_id},
         {{201, "The plan.", json, "Plan"}, {200, "The plan that this round has already.", json, "Plan"},
          {409, "The claim is not the caller's any more (`stale_claim`), or the round before has no plan (`round`).", problem, "Problem"}}},
        {Method::post, "/v1/wakes/{id}/call", Role::agent, false, handlers::call_tool, "callTool",
         "Calls a tool of Belfry's, or one that somebody has registered: an action of the plan by its operation, or a tool by its name. It is done once for an operation, and what it says or refuses is its result.",
         "ToolCallWish", {wake_id},
         {{200, "The call and its result.", json, "CalledTool"},
          {202, "The call, which waits for a person or for somebody outside: ask again.", json, "CalledTool"},
          {409, "The claim is not the caller's any more (`stale_claim`); another call has this operation (`operation_taken`); the plan has something else there (`not_planned`).", problem, "Problem"}}},
        {Method::get, "/v1/wakes/{id}/plan", Role::agent, false, handlers::get_plans, "readPlans",
         "What the run of a wake was going to do, a round after the other, with what has come of it.", "", {wake_id},
         {{200, "The rounds.", json, "PlanList"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
