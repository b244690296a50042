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
constexpr std::string_view number_schema = R"({"type":"integer","minimum":0})";
constexpr std::string_view stale =
    "The claim is not the caller's any more (`stale_claim`): it has run out, somebody else has it, or the wake has "
    "ended.";

constexpr RouteParameter agent_id{"id", "path", "The agent.", id_schema};
constexpr RouteParameter wake_id{"id", "path", "The wake.", R"({"type":"integer","minimum":1})"};
constexpr RouteParameter limit{"limit", "query", "Entries of a page at the most.",
                               R"({"type":"integer","minimum":1,"maximum":1000})"};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_agent_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::post, "/v1/agents", Role::user, false, handlers::create_agent, "createAgent",
         "Make an agent, a record that is woken by events, by the clock and by people.", "AgentInput", {},
         {{201, "The agent.", json, "Agent"}, {200, "The agent, which was there already and is like this.", json, "Agent"},
          {409, "Another agent has this id (`taken`).", problem, "Problem"}}},
        {Method::get, "/v1/agents", Role::user, false, handlers::list_agents, "listAgents",
         "The agents that the caller may see, by id; destroyed ones, too.", "",
         {{"user", "query", "Of this user only.", id_schema},
          {"lifecycle", "query", "In this state of life only.", R"({"$ref":"#/components/schemas/AgentLifecycle"})"},
          {"after", "query", "`next` of the page before.", id_schema}, limit},
         {{200, "The agents.", json, "AgentList"}}},
        {Method::get, "/v1/agents/{id}", Role::user, false, handlers::get_agent, "readAgent", "One agent.", "", {agent_id},
         {{200, "The agent.", json, "Agent"}}},
        {Method::patch, "/v1/agents/{id}", Role::user, false, handlers::change_agent, "changeAgent",
         "Change an agent or its state; what is not named stays.", "AgentPatch", {agent_id},
         {{200, "The agent as it is now.", json, "Agent"},
          {409, "Its state has another revision by now (`stale_revision`).", problem, "Problem"},
          {410, "It was destroyed.", problem, "Problem"}}},
        {Method::delete_, "/v1/agents/{id}", Role::user, false, handlers::destroy_agent, "destroyAgent",
         "For good: its wakes end as destroyed, what its worker still says is refused; the record stays to be read.", "",
         {agent_id}, {{200, "The agent as it is now.", json, "Agent"}, {410, "It was destroyed.", problem, "Problem"}}},
        {Method::get, "/v1/agents/{id}/subscriptions", Role::user, false, handlers::list_wake_subscriptions,
         "listWakeSubscriptions", "What wakes an agent, by id.", "",
         {agent_id, {"after", "query", "`next` of the page before.", uuid_schema}, limit},
         {{200, "Its subscriptions.", json, "WakeSubscriptionList"}}},
        {Method::post, "/v1/agents/{id}/subscriptions", Role::user, false, handlers::put_wake_subscription,
         "addWakeSubscription", "Wake an agent by these events or changes. One with the same rule is the answer again.",
         "WakeSubscriptionInput", {agent_id},
         {{200, "The subscription.", json, "WakeSubscription"},
          {409, "An interactive agent is woken by its person only (`refused`).", problem, "Problem"},
          {410, "The agent was destroyed.", problem, "Problem"},
          {422, "A type, a token or the predicate is not as it should be: `field` says which.", problem, "Problem"}}},
        {Method::delete_, "/v1/agents/{id}/subscriptions/{sid}", Role::user, false, handlers::delete_wake_subscription,
         "removeWakeSubscription", "Wake an agent by this no more; what waits already still runs.", "",
         {agent_id, {"sid", "path", "The subscription.", uuid_schema}}, {{204, "It is gone.", "", ""}}},
        {Method::post, "/v1/agents/{id}/wake", Role::agent, false, handlers::wake_agent, "wakeAgent",
         "Wake an agent now: by hand, or because a person says something in a session, whose history then has it. What waits for it is folded into a wake by hand.",
         "WakeInput", {agent_id},
         {{201, "The wake; ended already where something keeps its agent from it.", json, "Wake"},
          {200, "The wake that was there already under this request or turn.", json, "Wake"},
          {409, "An autonomous agent is not woken by what a person says (`refused`).", problem, "Problem"},
          {503, "A thousand wakes of this agent wait, or nothing can be recorded now.", problem, "Problem"}}},
        {Method::post, "/v1/agents/{id}/ag-ui", Role::user, false, handlers::run_agent_ag_ui, "runAgentAgUi",
         "Say something to an agent in the words of AG-UI, and follow what it does: the answer is its run's events as server-sent events. `threadId` is the session; the same `runId` in it is the same run, from its beginning. The user's messages since the last answer enter the history of the session; a message that is repeated before an answer enters it once.",
         "RunAgentInput", {agent_id},
         {{200, "AG-UI events until the run has ended.", "text/event-stream", ""},
          {406, "The answer is `text/event-stream`, which the caller does not accept.", problem, "Problem"},
          {409, "An autonomous agent is not woken by what a person says (`refused`).", problem, "Problem"}}},
        {Method::get, "/v1/wakes", Role::agent, false, handlers::list_wakes, "listWakes",
         "The wakes that the caller may see, newest first.", "",
         {{"user", "query", "Of this user's agents only.", id_schema}, {"agent", "query", "Of this agent only.", id_schema},
          {"state", "query", "In this state only.", R"({"$ref":"#/components/schemas/WakeState"})"},
          {"open", "query", "Only those that have not ended.", R"({"type":"boolean","enum":[true]})"},
          {"after", "query", "The last id of the page before.", number_schema}, limit},
         {{200, "The wakes.", json, "WakeList"}}},
        {Method::get, "/v1/wakes/{id}", Role::agent, false, handlers::get_wake, "readWake", "One wake.", "",
         {wake_id, {"wait_s", "query", "Answer only when it has ended, or after so many seconds.",
                    R"({"type":"integer","minimum":0,"maximum":60})"}},
         {{200, "The wake.", json, "Wake"},
          {429, "Too many requests of this token wait.", problem, "Problem"},
          {503, "Too many requests wait.", problem, "Problem"}}},
        {Method::get, "/v1/wakes/{id}/signals", Role::agent, false, handlers::list_wake_signals, "listWakeSignals",
         "Why it is there: what it was woken by, in order.", "",
         {wake_id, {"after", "query", "`next` of the page before.", number_schema}, limit},
         {{200, "Its signals.", json, "WakeSignalList"}}},
        {Method::post, "/v1/wakes/claim", Role::agent, false, handlers::claim_wake, "claimWake",
         "The next wake that is due, of these agents, for whoever does their work; it becomes a run. Its lease must be renewed while the work goes on.",
         "WakeClaim", {},
         {{200, "It is the caller's until the lease runs out.", json, "WakeGrant"},
          {204, "Nothing was due in this time.", "", ""},
          {409, "Belfry itself does the work of this agent (`other_workflow`).", problem, "Problem"},
          {410, "One of the agents was destroyed.", problem, "Problem"},
          {429, "Too many requests of this token wait.", problem, "Problem"},
          {503, "Too many requests wait, or nothing can be recorded now.", problem, "Problem"}}},
        {Method::post, "/v1/wakes/{id}/renew", Role::agent, false, handlers::renew_wake, "renewWake",
         "The work goes on.", "WakeRenewal", {wake_id},
         {{200, "The wake with its new lease.", json, "Wake"}, {409, stale, problem, "Problem"}}},
        {Method::patch, "/v1/wakes/{id}/state", Role::agent, false, handlers::change_own_state, "changeOwnState",
         "Change the state of the wake's agent as the agent itself, under the claim: that does not wake it.",
         "OwnStatePatch", {wake_id},
         {{200, "The agent as it is now.", json, "Agent"},
          {409, "Its state has another revision by now (`stale_revision`), or the claim is not the caller's any more (`stale_claim`).",
           problem, "Problem"}}},
        {Method::post, "/v1/wakes/{id}/end", Role::agent, false, handlers::end_wake, "endWake",
         "The work is done, or has failed: then it is tried again after a pause, under the same key and in the same run. Or it is given back untouched (`release`).",
         "WakeEnd", {wake_id},
         {{200, "The wake as it is now.", json, "Wake"}, {409, stale, problem, "Problem"}}},
        {Method::post, "/v1/wakes/{id}/cancel", Role::agent, false, handlers::cancel_wake, "cancelWake",
         "End a wake that has not ended, and its run.", "WakeCancel", {wake_id},
         {{200, "The wake as it is now.", json, "Wake"}, {409, "It has ended already (`ended`).", problem, "Problem"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
