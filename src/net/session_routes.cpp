#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view text_schema = R"({"type":"string"})";
constexpr std::string_view id_schema = R"({"type":"string","maxLength":200})";
constexpr std::string_view limit_schema = R"({"type":"integer","minimum":1,"maximum":1000})";
constexpr std::string_view number_schema = R"({"type":"integer","minimum":0})";

constexpr RouteParameter session_id{"id", "path", "The session.", id_schema};
constexpr RouteParameter subscriber_id{"id", "path", "The subscriber.", text_schema};
constexpr RouteParameter user_id{"id", "path", "The user.", id_schema};
constexpr RouteParameter user{"user", "query", "Of this user; the caller's own or the daemon's owner unless told.",
                              id_schema};
constexpr RouteParameter limit{"limit", "query", "Entries of a page at the most.", limit_schema};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_session_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::get, "/v1/sessions", Role::agent, false, handlers::list_sessions, "listSessions",
         "The sessions that the caller may see.", "",
         {{"user", "query", "Sessions of this user only.", id_schema},
          {"after", "query", "The last id of the page before.", id_schema}, limit},
         {{200, "The sessions.", json, "SessionList"}}},
        {Method::put, "/v1/sessions/{id}", Role::agent, false, handlers::put_session, "putSession",
         "Make a session, or change what is given of it.", "SessionInput", {session_id},
         {{200, "The session as it is now.", json, "Session"}}},
        {Method::get, "/v1/sessions/{id}", Role::agent, false, handlers::get_session, "readSession",
         "A session with budget and progress.", "", {session_id}, {{200, "The session.", json, "Session"}}},
        {Method::post, "/v1/sessions/{id}/messages", Role::agent, false, handlers::post_message, "postMessage",
         "Add a message to the conversation. A user's message opens a new node; others join the newest.",
         "MessageInput", {session_id}, {{201, "The message in its place.", json, "Message"}}},
        {Method::get, "/v1/sessions/{id}/history", Role::agent, false, handlers::get_history, "readHistory",
         "The conversation with its system messages. Reading triggers nothing.", "",
         {session_id,
          {"shape", "query", "The way from the root to one node, or all nodes; `path` unless told.",
           R"({"type":"string","enum":["path","tree"]})"},
          {"node", "query", "Of a path: the node where it ends, or a `next`; the newest node unless told.", text_schema},
          {"after", "query", "Of a tree: the `next` of the page before.", text_schema}, limit},
         {{200, "Nodes, oldest first. `next` is the `after` of a tree, and the `node` of what lies before a path.", json,
           "History"}}},
        {Method::get, "/v1/sessions/{id}/stream", Role::agent, true, handlers::follow_session, "followSession",
         "What happens in a conversation, an entry each: which message, node, turn or question, without its words. A "
         "page; with `Accept: text/event-stream` or a WebSocket upgrade, the stream itself.", "",
         {session_id,
          {"after", "query", "The last sequence that the reader has.", number_schema},
          {"from", "query", "Where a live reader begins without `after`; `live` unless told.",
           R"({"type":"string","enum":["start","live"]})"},
          limit,
          {"ticket", "query", "A one-time ticket instead of a token.", text_schema},
          {"Last-Event-ID", "header", "As `after`, for readers that reconnect; it wins.", number_schema}},
         {{200, "A page, or server-sent events until one side closes.", json, "SessionStreamPage"},
          {101, "A WebSocket whose text messages are SessionStreamMessage.", "", ""}}},
        {Method::post, "/v1/sessions/{id}/turns", Role::agent, false, handlers::report_turn, "reportTurn",
         "Report that a turn of the agent begins or ends.", "TurnReport", {session_id},
         {{201, "The events that came of it, and how far the budget is used.", json, "ReportResult"}}},
        {Method::post, "/v1/sessions/{id}/tool-calls", Role::agent, false, handlers::report_tool_call,
         "reportToolCall", "Report a call of a tool, before or after it.", "ToolCallReport", {session_id},
         {{201, "The events that came of it, and how far the budget is used.", json, "ReportResult"}}},
        {Method::post, "/v1/sessions/{id}/notify-self", Role::agent, false, handlers::notify_self, "notifySelf",
         "An agent's note to itself, now or later.", "SelfNote", {session_id},
         {{201, "The event, or the reminder that becomes one.", json, "SelfResult"}}},
        {Method::post, "/v1/sessions/{id}/pull", Role::agent, false, handlers::pull_notifications,
         "pullNotifications", "Hand over what is due at this point of the agent's turn.", "PullInput",
         {session_id,
          {"format", "query", "Adds `messages`, ready for that model interface.",
           R"({"type":"string","enum":["openai","anthropic"]})"}},
         {{200, "What is due, the first to be read first.", json, "Pull"}}},
        {Method::post, "/v1/sessions/{id}/acknowledge", Role::agent, false, handlers::acknowledge,
         "acknowledgeNotifications", "What was handed over has arrived.", "AcknowledgeInput", {session_id},
         {{200, "How many ended with it.", json, "Acknowledged"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}

void append_notification_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::get, "/v1/notifications", Role::agent, false, handlers::list_notifications, "listNotifications",
         "Notifications and what became of them.", "",
         {{"user", "query", "Of this user only.", id_schema},
          {"session", "query", "Of this session only.", id_schema},
          {"subscriber", "query", "Of this subscriber only.", text_schema},
          {"state", "query", "In this state only.", R"({"$ref":"#/components/schemas/DeliveryState"})"},
          {"outcome", "query", "That ended for this reason only.", text_schema},
          {"search", "query", "That hold each of these words in their text, id, state, outcome, subscriber, emitter, user, session or agent. "
           "10,000 are looked through for one answer; `has_more` says that there are more to look through.", id_schema},
          {"older_than_s", "query", "At least so many seconds old.", number_schema},
          {"open", "query", "`true`: only those that are neither delivered nor failed.", R"({"type":"boolean"})"},
          {"order", "query", "`newest` first, or `oldest`, as without it.",
           R"({"type":"string","enum":["oldest","newest"]})"},
          {"after", "query", "The last ordinal of the page before, in that order.", number_schema}, limit},
         {{200, "The notifications.", json, "NotificationList"}}},
        {Method::get, "/v1/notifications/{id}", Role::agent, false, handlers::get_notification, "readNotification",
         "One notification.", "",
         {{"id", "path", "Its id, or with `session` its handle there (`n7`).", text_schema},
          {"session", "query", "The session of a handle.", id_schema}},
         {{200, "The notification.", json, "Notification"}}},
        {Method::get, "/v1/subscribers", Role::agent, false, handlers::list_subscribers, "listSubscribers",
         "The subscribers, whether they are on for a user, and what is wrong with their files.", "",
         {user, {"after", "query", "The last id of the page before.", text_schema}, limit},
         {{200, "The subscribers.", json, "SubscriberList"}}},
        {Method::get, "/v1/subscribers/{id}", Role::agent, false, handlers::get_subscriber, "readSubscriber",
         "One subscriber.", "", {subscriber_id, user}, {{200, "The subscriber.", json, "Subscriber"}}},
        {Method::put, "/v1/subscribers/{id}", Role::user, false, handlers::put_subscriber, "toggleSubscriber",
         "Switch a subscriber on or off for a user. Core ones stay on.", "SubscriberToggle", {subscriber_id},
         {{200, "The subscriber as it is now.", json, "Subscriber"}}},
        {Method::get, "/v1/users/{id}/settings", Role::user, false, handlers::get_settings, "readSettings",
         "What a user has chosen for himself.", "", {user_id}, {{200, "The settings.", json, "Settings"}}},
        {Method::put, "/v1/users/{id}/settings", Role::user, false, handlers::put_settings, "putSettings",
         "Replace the list of subscribers that are off for a user.", "SettingsInput", {user_id},
         {{200, "The settings as they are now.", json, "Settings"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}

// clang-format on

}  // namespace belfry::net
