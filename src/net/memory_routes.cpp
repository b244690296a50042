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
constexpr std::string_view thread_schema = R"({"type":"string","maxLength":500})";
constexpr std::string_view number_schema = R"({"type":"integer","minimum":0})";

constexpr RouteParameter agent_id{"id", "path", "The agent.", id_schema};
constexpr RouteParameter limit{"limit", "query", "Entries of a page at the most.",
                               R"({"type":"integer","minimum":1,"maximum":1000})"};

}  // namespace

// A table is read by its rows.
// clang-format off
void append_memory_routes(std::vector<Route>& routes) {
    const std::vector<Route> rows{
        {Method::get, "/v1/agents/{id}/memory", Role::agent, false, handlers::get_memory, "readMemory",
         "What an agent would be told of what it remembers, were it woken now: under its budget, in the order in which it is told.", "",
         {agent_id, {"thread_id", "query", "In this thread; where it was spoken in last unless told.", thread_schema},
          {"explain", "query", "1: with every candidate, and why it is there or not.", R"({"type":"string","enum":["0","1"],"default":"0"})"}},
         {{200, "The memory.", json, "AssembledMemory"}}},
        {Method::get, "/v1/agents/{id}/memory/threads", Role::agent, false, handlers::list_memory_threads, "listMemoryThreads",
         "The threads of an agent, the one that was spoken in last first.", "",
         {agent_id, {"after", "query", "`next` of the page before.", thread_schema}, limit},
         {{200, "The threads.", json, "MemoryThreadList"}}},
        {Method::get, "/v1/agents/{id}/memory/summaries", Role::agent, false, handlers::list_memory_summaries, "listMemorySummaries",
         "The summaries that nothing has folded yet, from the deepest on, then by their places: with the hot messages, all that there is.", "",
         {agent_id, {"folded", "query", "Instead, those that this summary has folded.", uuid_schema}},
         {{200, "The summaries.", json, "MemorySummaryList"}}},
        {Method::get, "/v1/agents/{id}/memory/summaries/{sid}", Role::agent, false, handlers::open_memory_summary, "openMemorySummary",
         "A summary with what it was made of, a page, the oldest first: raw messages, or the summaries that it has folded.", "",
         {agent_id, {"sid", "path", "The summary.", uuid_schema},
          {"after", "query", "`next` of the page before.", number_schema}, limit},
         {{200, "The summary and its span.", json, "OpenedSummary"}}},
        {Method::get, "/v1/agents/{id}/memory/search", Role::agent, false, handlers::search_memory, "searchMemory",
         "Messages of an agent's whole memory that have these words. Where too few have all of them, the shortest are given up, one after the other; at last the longest are looked for alone.", "",
         {agent_id, {"q", "query", "The words; the first 16 count.", R"({"type":"string","minLength":1})"},
          {"thread_id", "query", "In this thread only.", thread_schema},
          {"kind", "query", "Of this kind only.", R"({"$ref":"#/components/schemas/AgentMessageKind"})"},
          {"limit", "query", "Messages at the most; 10 unless told, and never more than 50.", R"({"type":"integer","minimum":1,"maximum":1000})"}},
         {{200, "Those that have more of the words first, then the newer ones.", json, "RecalledMessageList"},
          {422, "There is no word in `q`.", problem, "Problem"}}},
        {Method::get, "/v1/agents/{id}/memory/folds", Role::user, false, handlers::list_folds, "listFolds",
         "Work of folding an agent's memory, newest first; what is done is kept for a week.", "",
         {agent_id, {"state", "query", "In this state only.", R"({"$ref":"#/components/schemas/FoldState"})"},
          {"after", "query", "`next` of the page before.", uuid_schema}, limit},
         {{200, "The jobs.", json, "FoldJobList"}}},
        {Method::post, "/v1/agents/{id}/memory/folds", Role::user, false, handlers::fold_memory, "foldMemory",
         "Fold what can be folded now, without waiting until it is due.", "FoldInput", {agent_id},
         {{202, "How many jobs are open now.", json, "FoldStarted"}}},
        {Method::post, "/v1/agents/{id}/memory/folds/{job}/restart", Role::user, false, handlers::restart_fold, "restartFold",
         "Try a job again that was given up; any other is left as it is.", "",
         {agent_id, {"job", "path", "The job.", uuid_schema}}, {{200, "The job.", json, "FoldJob"}}},
        {Method::post, "/v1/agents/{id}/memory/forget", Role::user, false, handlers::forget_memory, "forgetMemory",
         "Take messages away for good, with what was made of them: one, or all of a thread, or all before a time. What is left of a summary's span is folded anew.",
         "ForgetInput", {agent_id},
         {{200, "What is gone. `has_more`: the same once more takes away the rest.", json, "Forgotten"}}},
        {Method::get, "/v1/agents/{id}/export", Role::user, false, handlers::export_agent, "exportAgent",
         "An agent with all that it remembers, a JSON text a line: a page. Where more follow, the field `Belfry-Next` is the `after` of the next one.", "",
         {agent_id, {"after", "query", "`Belfry-Next` of the page before.", number_schema},
          {"limit", "query", "Messages of a page at the most; 1000 unless told.", R"({"type":"integer","minimum":1,"maximum":1000})"}},
         {{200, "The lines.", "application/x-ndjson", ""}}},
        {Method::post, "/v1/agents/import", Role::user, false, handlers::import_agent, "importAgent",
         "Take in lines of an export, at most 500: all of them or none, with their ids and times. The first line of the first request is the agent; the next ones name it.",
         "AgentLines",
         {{"agent", "query", "Of lines that follow: whose they are.", id_schema},
          {"after", "query", "Of lines that follow: the last message of those before them; none unless told.", uuid_schema},
          {"user", "query", "Of a first request: whose the agent becomes; as exported unless told.", id_schema}},
         {{201, "The agent is there, with these messages.", json, "AgentImported"},
          {200, "More of its messages are there.", json, "AgentImported"},
          {409, "Another agent, or something else, has an id (`taken`); `after` is not the last message that is here (`out_of_order`).", problem, "Problem"},
          {422, "A line is not as it should be: nothing was taken. `line` says which.", problem, "Problem"}}},
    };
    routes.insert(routes.end(), rows.begin(), rows.end());
}
// clang-format on

}  // namespace belfry::net
