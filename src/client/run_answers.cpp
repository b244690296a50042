#include "client/run_answers.hpp"

#include "client/fields.hpp"

namespace belfry::client {
namespace {

RunStateNow run_of(model::JsonView view) {
    const Fields fields(view);
    RunStateNow run;
    run.id = fields.number("id");
    run.parent_id = fields.number("parent_id");
    run.root_id = fields.number("root_id");
    run.run_key = fields.text("run_key");
    run.user_id = fields.text("user_id");
    run.session_id = fields.text("session_id");
    run.agent_id = fields.text("agent_id");
    run.hierarchy_id = fields.text("hierarchy_id");
    run.title = fields.text("title");
    run.state = fields.text("state");
    run.paused = fields.flag("paused").value_or(false);
    run.queue_position = fields.number("queue_position");
    run.created_at = fields.text("created_at");
    run.ended_at = fields.text("ended_at");
    run.events = fields.number("events");
    run.json = model::RawJson::trusted(std::string(view.text));
    return run;
}

void write_text(model::JsonWriter& writer, std::string_view name, std::string_view text) {
    if (!text.empty()) writer.field(name, text);
}

}  // namespace

base::Result<RunStateNow> read_run(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "root_id"));
    return run_of(json.view());
}

base::Result<model::RunId> read_runs(std::string_view body, RunList& list) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "data"));
    const Fields fields(json.view());
    fields.each("data", [&](model::JsonView element) { list.runs.push_back(run_of(element)); });
    list.more = fields.flag("has_more").value_or(false);
    return list.more ? fields.number("next") : 0;
}

base::Result<model::Sequence> read_run_place(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "next"));
    return Fields(json.view()).sequence("next");
}

base::Result<EmittedToRun> read_emitted_to_run(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "accepted"));
    const Fields fields(json.view());
    EmittedToRun emitted;
    emitted.accepted = fields.number("accepted");
    emitted.first = fields.sequence("first");
    emitted.last = fields.sequence("last");
    emitted.state = fields.text("state");
    emitted.paused = fields.flag("paused").value_or(false);
    return emitted;
}

std::string run_request_json(const RunRequest& request) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    write_text(writer, "user_id", request.user_id);
    write_text(writer, "session_id", request.session_id);
    write_text(writer, "agent_id", request.agent_id);
    write_text(writer, "hierarchy_id", request.hierarchy_id);
    write_text(writer, "run_key", request.run_key);
    if (request.parent_id != 0) writer.field("parent_id", static_cast<long long>(request.parent_id));
    write_text(writer, "title", request.title);
    if (request.metadata) writer.name("metadata").raw(request.metadata->bytes());
    if (request.caller) {
        std::string caller;
        model::append_caller_json(caller, *request.caller);
        writer.name("caller").raw(caller);
    }
    if (request.tree) writer.name("tree").boolean(true);
    if (!request.start) writer.name("start").boolean(false);
    writer.end_object();
    return out;
}

}  // namespace belfry::client
