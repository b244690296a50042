#include <algorithm>

#include "base/limits.hpp"
#include "client/answers.hpp"
#include "client/client.hpp"
#include "client/requests.hpp"
#include "client/run_answers.hpp"

namespace belfry::client {
namespace {

std::string target_of(model::RunId id, std::string_view what = {}) {
    std::string target = "/v1/runs/" + std::to_string(id);
    target += what;
    return target;
}

}  // namespace

// With a key it may be repeated: the run that is there is given.
base::Result<RunStateNow> Client::create_run(const RunRequest& wish) {
    const wire::HttpRequest post = request("POST", "/v1/runs", run_request_json(wish));
    TRY_ASSIGN(const wire::HttpAnswer answer, wish.run_key.empty() ? ask(post) : ask_until_known(post));
    return read_run(answer.body);
}

base::Result<RunStateNow> Client::run(model::RunId id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", target_of(id))));
    return read_run(answer.body);
}

base::Result<RunList> Client::runs(const RunQuestion& question) {
    RunList list;
    model::RunId after = 0;
    do {
        Query query;
        query.add("user", question.user_id).add("session", question.session_id).add("agent", question.agent_id);
        query.add("state", question.state);
        if (question.root_id != 0) query.add("root", std::to_string(question.root_id));
        if (after != 0) query.add("after", std::to_string(after));
        const std::size_t left = question.limit - std::min(question.limit, list.runs.size());
        query.add("limit", std::to_string(std::min(left, base::limits::page_entries_max)));
        TRY_ASSIGN(const wire::HttpAnswer answer, ask_until_known(request("GET", "/v1/runs" + query.text())));
        TRY_ASSIGN(after, read_runs(answer.body, list));
    } while (after != 0 && list.runs.size() < question.limit);
    return list;
}

base::Result<RunStateNow> Client::start_run(model::RunId id) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", target_of(id, "/start"), "{}")));
    return read_run(answer.body);
}

base::Result<RunStateNow> Client::cancel_run(model::RunId id, std::string_view reason) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    if (!reason.empty()) writer.field("reason", reason);
    writer.end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", target_of(id, "/cancel"), std::move(body))));
    return read_run(answer.body);
}

base::Result<RunStateNow> Client::finish_run(model::RunId id, const std::optional<model::RawJson>& result) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("state", "completed");
    if (result) writer.name("result").raw(result->bytes());
    writer.end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", target_of(id, "/finish"), std::move(body))));
    return read_run(answer.body);
}

base::Result<RunStateNow> Client::fail_run(model::RunId id, const model::RunError& error) {
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object().field("state", "failed").name("error").begin_object();
    writer.field("type", error.type).field("message", error.message).end_object().end_object();
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", target_of(id, "/finish"), std::move(body))));
    return read_run(answer.body);
}

base::Result<RunStateNow> Client::pause_run(model::RunId id, bool paused) {
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(request("POST", target_of(id, paused ? "/pause" : "/resume"), "{}")));
    return read_run(answer.body);
}

base::Result<EmittedToRun> Client::emit_to_run(model::RunId id, std::string ndjson) {
    wire::HttpRequest post = request("POST", target_of(id, "/events"), std::move(ndjson));
    for (auto& [name, value] : post.headers) {
        if (name == "Content-Type") value = "application/x-ndjson";
    }
    TRY_ASSIGN(const wire::HttpAnswer answer, ask(post));
    return read_emitted_to_run(answer.body);
}

}  // namespace belfry::client
