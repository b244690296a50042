#include "net/handlers/handlers.hpp"
#include "net/routes.hpp"

namespace belfry::net {
namespace {

using model::Role;
using wire::Method;

constexpr std::string_view json = "application/json";
constexpr std::string_view id_schema = R"({"type":"string","maxLength":200})";
constexpr std::string_view number_schema = R"({"type":"integer","minimum":0})";
constexpr std::string_view flag_schema = R"({"type":"boolean"})";

constexpr std::string_view problem = "application/problem+json";
constexpr RouteParameter run_id{"id", "path", "The run.", R"({"type":"integer","minimum":1})"};
constexpr RouteParameter expect_first{"expect_first", "query",
                                      "The number that the first of these events must get: 409 (`taken`, with the "
                                      "run's `head`) where it would get another.",
                                      R"({"type":"integer","minimum":1})"};
constexpr RouteParameter limit{"limit", "query", "Entries of a page at the most.",
                               R"({"type":"integer","minimum":1,"maximum":1000})"};

std::vector<RouteParameter> stream_parameters() {
    return {
        run_id,
        {"after", "query", "The last position that the reader has.", number_schema},
        {"from", "query", "Where a live reader begins without `after`; `start` unless told.",
         R"({"type":"string","enum":["start","live"]})"},
        limit,
        {"tree", "query", "The whole tree; positions are then the tree's own.", flag_schema},
        {"agent", "query", "Only what came from this agent.", id_schema},
        {"format", "query", "`ag-ui`: as AG-UI events, in server-sent events.",
         R"({"type":"string","enum":["native","ag-ui"]})"},
        {"ticket", "query", "A one-time ticket instead of a token.", R"({"type":"string"})"},
        {"Last-Event-ID", "header", "As `after`, for readers that reconnect; it wins.", number_schema},
    };
}

}  // namespace

// A table is read by its rows.
// clang-format off
void append_run_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::post, "/v1/runs", Role::agent, false, handlers::create_run, "createRun",
         "Make a run and, unless told otherwise, start it; where all places are taken it waits for one.", "RunInput", {},
         {{201, "The run.", json, "Run"}, {200, "The run that was there under this key.", json, "Run"}}},
        {Method::get, "/v1/runs", Role::agent, false, handlers::list_runs, "listRuns",
         "The runs that the caller may see, newest first.", "",
         {{"user", "query", "Of this user only.", id_schema}, {"session", "query", "Of this session only.", id_schema},
          {"agent", "query", "Of this agent only.", id_schema},
          {"state", "query", "In this state only.", R"({"$ref":"#/components/schemas/RunState"})"},
          {"root", "query", "Of this tree only.", number_schema},
          {"after", "query", "The last id of the page before.", number_schema}, limit},
         {{200, "The runs.", json, "RunList"}}},
        {Method::get, "/v1/runs/{id}", Role::agent, false, handlers::get_run, "readRun", "One run.", "", {run_id},
         {{200, "The run.", json, "Run"}}},
        {Method::post, "/v1/runs/{id}/start", Role::agent, false, handlers::start_run, "startRun",
         "Start a run that was made without.", "RunNothing", {run_id}, {{200, "The run.", json, "Run"}}},
        {Method::post, "/v1/runs/{id}/cancel", Role::agent, false, handlers::cancel_run, "cancelRun",
         "End a run that has not ended, and its children.", "RunCancel", {run_id}, {{200, "The run.", json, "Run"}}},
        {Method::post, "/v1/runs/{id}/finish", Role::agent, false, handlers::finish_run, "finishRun",
         "A running run has ended by itself.", "RunFinish", {run_id},
         {{200, "The run.", json, "Run"},
          {409, "It is not running (`ended`, `not_running`), or it is that of a wake (`claimed`): end the wake, or "
                "cancel the run.",
           problem, "Problem"}}},
        {Method::post, "/v1/runs/{id}/pause", Role::agent, false, handlers::pause_run, "pauseRun",
         "Ask a running run to pause.", "RunNothing", {run_id}, {{200, "The run.", json, "Run"}}},
        {Method::post, "/v1/runs/{id}/resume", Role::agent, false, handlers::resume_run, "resumeRun",
         "Ask a paused run to go on.", "RunNothing", {run_id}, {{200, "The run.", json, "Run"}}},
        {Method::post, "/v1/runs/{id}/events", Role::agent, false, handlers::emit_run_events, "emitRunEvents",
         "Add an event, or a batch of them, to a running run; lines in chunks are taken in as they come.",
         "RunEventsInput", {run_id, expect_first},
         {{201, "They are on disk.", json, "RunEmitted"},
          {401, "No token; or it was revoked or has expired while an upload went on: what was accepted stays.", problem,
           "RunEmitProblem"},
          {409, "The run is not running (`ended`, `not_running`), or the place is taken (`taken`).", problem,
           "RunEmitProblem"},
          {422, "An event is not as it should be; of an upload, `line` says which.", problem, "RunEmitProblem"},
          {503, "Nothing can be recorded now, or the server stops: `Retry-After` says when to come again; what an "
                "upload had accepted stays.", problem, "RunEmitProblem"}},
         handlers::upload_run_events},
        {Method::get, "/v1/runs/{id}/events", Role::agent, true, handlers::get_run_events, "readRunEvents",
         "A page of a run's events; with `Accept: text/event-stream` or a WebSocket upgrade, the stream itself, until "
         "the run ends.", "", stream_parameters(),
         {{200, "A page, or server-sent events named after the event, whose data is RunEvent; besides `gap`, `store`, `close`.",
           json, "RunEventPage"},
          {200, "", "text/event-stream", ""},
          {101, "A WebSocket whose text messages are RunStreamMessage.", "", ""}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
