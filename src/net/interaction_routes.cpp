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

constexpr RouteParameter interaction_id{"id", "path", "The interaction.", uuid_schema};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_interaction_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::post, "/v1/sessions/{id}/interactions", Role::agent, false, handlers::ask_interaction,
         "askInteraction", "An agent asks the person of a session: may I use this tool, or a small form.",
         "InteractionInput", {{"id", "path", "The session.", id_schema}},
         {{201, "The question; answered already where the person has always allowed this tool.", json, "Interaction"},
          {503, "A hundred questions are open in this session, or nothing can be recorded now: `Retry-After` says when "
                "to come again.", problem, "Problem"}}},
        {Method::get, "/v1/interactions", Role::agent, false, handlers::list_interactions, "listInteractions",
         "Questions of agents to people, oldest first.", "",
         {{"user", "query", "To this user only.", id_schema},
          {"session", "query", "In this session only.", id_schema},
          {"state", "query", "In this state only.", R"({"$ref":"#/components/schemas/InteractionState"})"},
          {"always_allowed", "query", "Only those by which a tool is allowed in its session without asking.",
           R"({"type":"boolean","enum":[true]})"},
          {"after", "query", "`next` of the page before.", number_schema},
          {"limit", "query", "Entries of a page at the most.", R"({"type":"integer","minimum":1,"maximum":1000})"}},
         {{200, "The questions.", json, "InteractionList"}}},
        {Method::get, "/v1/interactions/{id}", Role::agent, false, handlers::get_interaction, "readInteraction",
         "A question and its answer, where it has one.", "",
         {interaction_id,
          {"wait_s", "query", "Answer only when it has ended, or after so many seconds.",
           R"({"type":"integer","minimum":0,"maximum":60})"}},
         {{200, "The question.", json, "Interaction"}}},
        {Method::post, "/v1/interactions/{id}/answer", Role::user, false, handlers::answer_interaction,
         "answerInteraction", "Answer as the person, with a token of his or of one who acts for him.",
         "InteractionAnswer", {interaction_id},
         {{200, "The question as it is now.", json, "Interaction"},
          {409, "It has ended (`not_pending`).", problem, "Problem"},
          {422, "None of the words that it wants, or not the content that its schema wants: `field` says what.", problem,
           "Problem"},
          {503, "Nothing can be recorded now, or it is not known whether it was: `Retry-After` says when to come again.",
           problem, "Problem"}}},
        {Method::delete_, "/v1/interactions/{id}/always-allowed", Role::user, false, handlers::take_back_allowance,
         "takeBackAllowance",
         "Ask again before this tool is used in this session; as the person, as with an answer.",
         "", {interaction_id},
         {{200, "The question as it is now.", json, "Interaction"},
          {409, "Nothing is allowed by this one (`not_allowed`).", problem, "Problem"}}},
        {Method::delete_, "/v1/interactions/{id}", Role::agent, false, handlers::withdraw_interaction,
         "withdrawInteraction", "Whoever asked does not want to know any more.", "", {interaction_id},
         {{200, "The question as it is now.", json, "Interaction"}}},
        {Method::get, "/v1/rpc", Role::agent, true, handlers::open_rpc, "openRpc",
         "JSON-RPC 2.0 over a WebSocket, one message a frame; docs/client-messages.md has the methods.", "",
         {{"ticket", "query", "A one-time ticket instead of a token.", R"({"type":"string"})"}},
         {{101, "A WebSocket.", "", ""}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
