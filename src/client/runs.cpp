#include <algorithm>

#include "base/limits.hpp"
#include "client/answers.hpp"
#include "client/client.hpp"
#include "client/fields.hpp"
#include "client/requests.hpp"
#include "client/run_answers.hpp"
#include "codec/json.hpp"
#include "codec/sse.hpp"

namespace belfry::client {
namespace {

std::string target_of(model::RunId id, std::string_view what = {}) {
    std::string target = "/v1/runs/" + std::to_string(id);
    target += what;
    return target;
}

// What another attempt would not mend.
bool is_final(base::Code code) {
    switch (code) {
        case base::Code::unavailable:
        case base::Code::overloaded:
        case base::Code::outcome_unknown:
        case base::Code::rate_limited:
        case base::Code::timeout:
        case base::Code::io:
        case base::Code::internal: return false;
        default: return true;
    }
}

model::Sequence position_of(const codec::SseMessage& message) {
    return codec::parse_position(message.id).ok() ? *codec::parse_position(message.id) : 0;
}

}  // namespace

struct Client::RunFollowing {
    model::RunId id = 0;
    RunFollow wish;
    const RunHandlers& handlers;
    model::Sequence last = 0;
    bool begun = false;       // something came, so `last` counts
    bool progressed = false;  // since the connection was made
    bool over = false;        // the run has ended
};

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

base::Result<void> Client::follow_run(model::RunId id, const RunFollow& wish, const RunHandlers& handlers) {
    RunFollowing following{id, wish, handlers, wish.after};
    for (std::size_t attempt = 0;;) {
        following.progressed = false;
        auto go_on = follow_run_once(following);
        if (interrupt_.is_raised() || following.over) return {};
        if (go_on.ok() && !*go_on) return {};
        base::Error why =
            go_on.ok() ? base::error(base::Code::unavailable, "the server ended the stream") : std::move(go_on).error();
        if (is_final(why.code) || !reached_) return why;
        if (following.progressed) attempt = 0;
        const base::Duration wait = pause(attempt++);
        if (handlers.on_lost) handlers.on_lost(why, wait);
        if (interrupt_.wait(wait)) return {};
    }
}

// One connection, to its end. False: the handler had enough.
base::Result<bool> Client::follow_run_once(RunFollowing& following) {
    Query query;
    if (following.wish.live && !following.begun) query.add("from", "live");
    else if (following.last != 0) query.add("after", std::to_string(following.last));
    if (following.wish.tree) query.add("tree", "true");
    query.add("agent", following.wish.agent_id);
    wire::HttpRequest get = request("GET", target_of(following.id, "/events") + query.text());
    for (auto& [name, value] : get.headers) {
        if (name == "Accept") value = "text/event-stream";
    }
    codec::SseParser parser;
    base::Result<bool> verdict = true;
    const auto on_piece = [&](std::string_view piece) {
        reached_ = true;
        if (auto fed = parser.feed(piece); !fed.ok()) verdict = std::move(fed).error();
        while (verdict.ok() && *verdict) {
            const std::optional<codec::SseMessage> message = parser.next();
            if (!message) return true;
            verdict = take_run_message(following, *message);
        }
        return false;
    };
    auto answer = http_->stream(get, on_piece);
    if (!verdict.ok() || !*verdict) return verdict;
    if (!answer.ok()) return explain(std::move(answer).error());
    reached_ = true;
    if (answer->status / 100 == 2) return true;
    return read_problem(*answer);
}

base::Result<bool> Client::take_run_message(RunFollowing& following, const codec::SseMessage& message) {
    TRY_ASSIGN(model::RawJson json, codec::validate(message.data));
    if (json.view().kind() != model::JsonKind::object) return true;
    const Fields fields(json.view());
    following.progressed = true;
    if (message.event == "close") {
        const std::string why = fields.text("reason");
        following.over = why == "ended";
        if (following.over) return false;
        if (why == "expired") return base::error(base::Code::gone, "the run has expired");
        if (why == "revoked") return base::error(base::Code::unauthenticated, "the token was revoked");
        return base::error(base::Code::unavailable, "the server closed the stream: " + why);
    }
    if (message.event == "store") return true;
    following.begun = true;
    if (message.event == "gap") {
        following.last = fields.sequence("to");
        if (following.handlers.on_gap) following.handlers.on_gap(fields.sequence("from"), following.last);
        return true;
    }
    following.last = position_of(message);
    return following.handlers.on_event({following.last, message.event, std::move(json)});
}

}  // namespace belfry::client
