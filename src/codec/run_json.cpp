#include "codec/run_json.hpp"

#include "codec/notification_json.hpp"

namespace belfry::codec {
namespace {

void append_number_or_null(model::JsonWriter& writer, std::string_view name, std::int64_t number) {
    writer.name(name);
    number == 0 ? writer.null() : writer.number(number);
}

}  // namespace

void append_run(model::JsonWriter& writer, const model::Run& run) {
    writer.begin_object().field("id", static_cast<long long>(run.id));
    append_text_or_null(writer, "run_key", run.run_key);
    append_number_or_null(writer, "parent_id", run.parent_id);
    writer.field("root_id", static_cast<long long>(run.root_id)).field("user_id", run.user_id);
    append_text_or_null(writer, "session_id", run.session_id);
    append_text_or_null(writer, "agent_id", run.agent_id);
    append_text_or_null(writer, "hierarchy_id", run.hierarchy_id);
    writer.field("title", run.title).name("metadata").raw(run.metadata.bytes());
    std::string caller = "null";
    if (run.caller) {
        caller.clear();
        model::append_caller_json(caller, *run.caller);
    }
    writer.name("caller").raw(caller).field("state", model::run_state_name(run.state));
    writer.name("paused").boolean(run.paused);
    append_number_or_null(writer, "queue_position", run.queue_position);
    writer.name("tree").boolean(run.tree).name("result");
    run.result ? writer.raw(run.result->bytes()) : writer.null();
    writer.name("error");
    if (run.error) {
        writer.begin_object().field("type", run.error->type).field("message", run.error->message).end_object();
    } else {
        writer.null();
    }
    append_text_or_null(writer, "cancel_reason", run.cancel_reason.value_or(""));
    writer.field("created_at", base::format_timestamp(run.created_at));
    append_time_or_null(writer, "started_at", run.started_at);
    append_time_or_null(writer, "ended_at", run.ended_at);
    append_time_or_null(writer, "expires_at", run.expires_at);
    writer.field("events", static_cast<long long>(run.events)).end_object();
}

}  // namespace belfry::codec
