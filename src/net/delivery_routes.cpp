#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view problem = "application/problem+json";
constexpr std::string_view text_schema = R"({"type":"string"})";
constexpr std::string_view id_schema = R"({"type":"string","maxLength":200})";
constexpr std::string_view limit_schema = R"({"type":"integer","minimum":1,"maximum":1000})";
constexpr std::string_view number_schema = R"({"type":"integer","minimum":0})";

constexpr RouteParameter session_id{"id", "path", "The session.", id_schema};
constexpr RouteParameter notification_id{"id", "path", "Its id, or with `session` its handle there (`n7`).",
                                         text_schema};
constexpr RouteParameter handle_session{"session", "query", "The session of a handle.", id_schema};
constexpr RouteParameter tool_name{"name", "path", "The tool's name.", R"({"type":"string","maxLength":256})"};
constexpr RouteParameter limit{"limit", "query", "Entries of a page at the most.", limit_schema};
constexpr RouteParameter whose{
    "user", "query", "Whose; the caller's own or the daemon's owner unless told, or the session's.", id_schema};
constexpr RouteParameter only_session{"session", "query", "Only what belongs to this conversation.", id_schema};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_delivery_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::post, "/v1/notifications", Role::emitter, false, handlers::emit_notification, "emitNotification",
         "Say something directly to a person or an agent, without an event.", "NotificationInput", {},
         {{201, "It is in the ledger.", json, "Notification"},
          {200, "It took the place of an earlier one with its deduplication key.", json, "Notification"}}},
        {Method::post, "/v1/notify/{topic}", Role::emitter, false, handlers::notify_topic, "notify",
         "Ring: the body is plain text and goes to the inbox of the caller's user, or the daemon's owner.",
         "NotifyText",
         {{"topic", "path", "What it is about, in a word.", id_schema},
          {"Title", "header", "A line above the text.", R"({"type":"string","maxLength":200})"},
          {"Priority", "header", "`normal` unless told.", R"({"$ref":"#/components/schemas/Priority"})"}},
         {{201, "It is in the ledger.", json, "Notification"}}},
        {Method::post, "/v1/notifications/{id}/ack", Role::user, false, handlers::ack_notification,
         "ackNotification", "An interface has shown it to its person. A stale lease or version is refused with 409.",
         "AckInput", {notification_id, handle_session}, {{200, "As it is now.", json, "Notification"}}},
        {Method::post, "/v1/notifications/{id}/read", Role::user, false, handlers::mark_notification,
         "markNotification", "What the person has done with it. Marks never go back.", "ReadInput",
         {notification_id, handle_session}, {{200, "As it is now.", json, "Notification"}}},
        {Method::post, "/v1/notifications/{id}/narrate", Role::agent, false, handlers::narrate_notification,
         "narrateNotification", "The agent says it in its own words; a stale lease is refused and nothing is shown.",
         "NarrateInput", {notification_id, handle_session}, {{200, "Delivered with these words.", json, "Notification"}}},
        {Method::post, "/v1/notifications/{id}/retry", Role::user, false, handlers::retry_notification,
         "retryNotification", "Send a dead letter again, as a new notification.", "",
         {notification_id, handle_session}, {{201, "The new one.", json, "Notification"}}},
        {Method::get, "/v1/dead-letters", Role::agent, false, handlers::list_dead_letters, "listDeadLetters",
         "Notifications that failed, and why.", "",
         {{"user", "query", "Of this user only.", id_schema},
          {"session", "query", "Of this session only.", id_schema},
          {"subscriber", "query", "Of this subscriber only.", text_schema},
          {"outcome", "query", "That failed for this reason only.", text_schema},
          {"search", "query", "That hold each of these words, as in `/v1/notifications`.", id_schema},
          {"older_than_s", "query", "At least so many seconds old.", number_schema},
          {"order", "query", "`newest` first, or `oldest`, as without it.",
           R"({"type":"string","enum":["oldest","newest"]})"},
          {"after", "query", "The last ordinal of the page before, in that order.", number_schema}, limit},
         {{200, "The notifications.", json, "NotificationList"}}},
        {Method::get, "/v1/dead-letters/sinks", Role::service, false, handlers::list_given_up_calls, "listGivenUpCalls",
         "Calls of sinks that were given up, and why, the latest first.", "",
         {{"after", "query", "The `next` of the page before.", text_schema}, limit},
         {{200, "The calls.", json, "SinkCallList"}}},
        {Method::post, "/v1/dead-letters/sinks/{id}/retry", Role::service, false, handlers::retry_sink_call,
         "retrySinkCall", "Make a sink's call that was given up again.", "",
         {{"id", "path", "The call.", text_schema}}, {{202, "It is due.", json, "Nothing"}}},
        {Method::post, "/v1/sessions/{id}/heartbeat", Role::agent, false, handlers::heartbeat, "heartbeat",
         "A turn goes on: what its session holds stays held.", "HeartbeatInput", {session_id},
         {{200, "How many leases were renewed, and until when.", json, "HeartbeatResult"}}},
        {Method::delete_, "/v1/sessions/{id}", Role::user, false, handlers::delete_session, "deleteSession",
         "Forget a session. What it still had to be told goes to its user.", "", {session_id},
         {{204, "It is gone.", "", ""}}},
        {Method::get, "/v1/sessions/{id}/context", Role::agent, false, handlers::get_context, "previewContext",
         "What is stored and due at this point: a preview of a pull, with the facts that the user knows. Changes nothing.",
         "",
         {session_id, {"point", "query", "A point of the agent's turn.", R"({"$ref":"#/components/schemas/Point"})"},
          {"budget_tokens", "query", "Model tokens that there is room for.",
           R"({"type":"integer","minimum":1,"maximum":1000000})"},
          {"context", "query", "Context values to return: `true` for all in scope, or names joined by commas.",
           text_schema}},
         {{200, "What would come.", json, "ContextPreview"}}},
        {Method::get, "/v1/inbox", Role::user, false, handlers::list_inbox, "listInbox",
         "A person's inbox and conversations as a list, newest first.", "",
         {whose, only_session,
          {"unread", "query", "`true`: only what he has not seen.", R"({"type":"boolean"})"},
          {"before", "query", "The last ordinal of the page before.", number_schema}, limit},
         {{200, "The items, and how many are unread and not acknowledged.", json, "Inbox"}}},
        {Method::get, "/v1/inbox/live", Role::user, true, handlers::follow_live_inbox, "followInbox",
         "An interface comes: what waits, oldest first, then a line `caught_up`, then everything as it happens.", "",
         {whose, only_session, {"ticket", "query", "A one-time ticket instead of a token.", text_schema}},
         {{200, "Server-sent events named after the `type` of InboxMessage, which is their data.", "text/event-stream",
           "InboxMessage"},
          {101, "A WebSocket whose text messages are InboxMessage; it takes InboxWord.", "", ""}}},
        {Method::get, "/v1/why/{id}", Role::agent, false, handlers::get_why, "why",
         "The whole way of an event or a notification; of an event that reached nobody, the reason.", "",
         {{"id", "path", "The id of an event or a notification, or with `session` a handle.", text_schema},
          handle_session},
         {{200, "What is known.", json, "Why"}}},
        {Method::get, "/v1/tools", Role::agent, false, handlers::list_tools, "listTools",
         "Belfry's own tools and those that are registered. Any other counts as external.", "",
         {{"after", "query", "The last name of the page before.", id_schema}, limit},
         {{200, "By name.", json, "ToolList"}}},
        {Method::put, "/v1/tools/{name}", Role::service, false, handlers::put_tool, "putTool",
         "Register a tool: whether what it does is felt outside, what an agent needs for it, and who carries it out.", "ToolInput", {tool_name},
         {{200, "As it is now.", json, "Tool"},
          {409, "Belfry has a tool of its own of this name (`reserved`).", problem, "Problem"}}},
        {Method::get, "/v1/tools/{name}", Role::agent, false, handlers::get_tool, "readTool", "One tool.", "",
         {tool_name}, {{200, "The tool.", json, "Tool"}}},
        {Method::delete_, "/v1/tools/{name}", Role::service, false, handlers::delete_tool, "deleteTool",
         "Forget a tool; it counts as external from then on.", "", {tool_name},
         {{204, "It is gone.", "", ""},
          {409, "It is Belfry's own (`reserved`).", problem, "Problem"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}

// clang-format on

}  // namespace belfry::net
