#include "codec/notification_json.hpp"

#include "model/dedupe_key.hpp"
#include "model/notification_json.hpp"

namespace belfry::codec {
namespace {

using model::JsonWriter;

void append_number(JsonWriter& writer, std::string_view name, std::int64_t number) {
    writer.field(name, static_cast<long long>(number));
}

void append_texts(JsonWriter& writer, std::string_view name, const std::vector<std::string>& texts) {
    writer.name(name).begin_array();
    for (const std::string& text : texts) writer.text(text);
    writer.end_array();
}

void append_delivery(JsonWriter& writer, const model::Notification& notification) {
    writer.field("state", model::delivery_state_name(notification.state));
    append_text_or_null(writer, "outcome", notification.outcome);
    append_time_or_null(writer, "ended_at", notification.ended_at);
    append_text_or_null(writer, "handed_to", notification.handed_to);
    append_handle(writer, "handle", notification.handle);
    append_number(writer, "lease", notification.lease);
    append_text_or_null(writer, "holder", notification.holder);
    append_time_or_null(writer, "lease_until", notification.lease_until);
    writer.name("pull_id");
    notification.pull_id ? writer.text(base::format_uuid(*notification.pull_id)) : writer.null();
    append_number(writer, "passed_over", notification.passed_over);
}

void append_id_or_null(JsonWriter& writer, std::string_view name, const std::optional<model::NotificationId>& id) {
    writer.name(name);
    id ? writer.text(base::format_uuid(id->uuid)) : writer.null();
}

void append_marks(JsonWriter& writer, const model::Notification& notification) {
    append_time_or_null(writer, "seen_at", notification.seen_at);
    append_time_or_null(writer, "acted_at", notification.acted_at);
    append_time_or_null(writer, "dismissed_at", notification.dismissed_at);
    append_text_or_null(writer, "narration", notification.narration);
}

void append_answer(JsonWriter& writer, const model::Notification& notification) {
    append_texts(writer, "used_tools", notification.used_tools);
    append_time_or_null(writer, "answered_at", notification.answered_at);
}

// Where it comes from and how long it may wait.
void append_origin(JsonWriter& writer, const model::Notification& notification) {
    append_text_or_null(writer, "emitter", notification.emitter);
    append_text_or_null(writer, "deduplication_key", notification.deduplication_key);
    append_text_or_null(writer, "tone_hint", notification.tone_hint);
    writer.name("metadata").raw(notification.metadata.bytes()).name("ttl_s");
    notification.ttl.us == 0 ? writer.null() : writer.number(notification.ttl.us / 1'000'000);
    append_time_or_null(writer, "deadline", notification.deadline);
    append_number(writer, "depth", notification.depth);
    append_id_or_null(writer, "caused_by", notification.caused_by);
    append_id_or_null(writer, "follows", notification.follows);
    append_id_or_null(writer, "retry_of", notification.retry_of);
}

void append_routing(JsonWriter& writer, const model::Subscriber& subscriber) {
    append_text_or_null(writer, "address", subscriber.address ? model::address_name(*subscriber.address) : "");
    append_text_or_null(writer, "target", subscriber.target ? model::target_name(*subscriber.target) : "");
    append_text_or_null(writer, "handler", subscriber.handler ? model::handler_name(*subscriber.handler) : "");
    writer.name("ttl_s");
    subscriber.ttl ? writer.number(subscriber.ttl->us / 1'000'000) : writer.null();
    append_text_or_null(writer, "directive", subscriber.directive);
}

std::string core_reason(const model::Subscriber& subscriber) {
    if (!subscriber.core) return {};
    if (!subscriber.core_reason.empty()) return subscriber.core_reason;
    return "Its file, " + subscriber.origin + ", says that nobody can switch it off, and not why (output.core_reason).";
}

}  // namespace

void append_text_or_null(JsonWriter& writer, std::string_view name, std::string_view text) {
    writer.name(name);
    text.empty() ? writer.null() : writer.text(text);
}

void append_time_or_null(JsonWriter& writer, std::string_view name, std::optional<base::Timestamp> time) {
    writer.name(name);
    time ? writer.text(base::format_timestamp(*time)) : writer.null();
}

void append_handle(JsonWriter& writer, std::string_view name, std::int64_t handle) {
    append_text_or_null(writer, name, handle == 0 ? std::string() : "n" + std::to_string(handle));
}

void append_notified_events(JsonWriter& writer, std::string_view name,
                            const std::vector<model::NotifiedEvent>& events) {
    writer.name(name).begin_array();
    for (const model::NotifiedEvent& event : events) {
        writer.begin_object().field("id", base::format_uuid(event.id.uuid));
        append_number(writer, "sequence", static_cast<std::int64_t>(event.sequence));
        append_number(writer, "count", event.count);
        writer.end_object();
    }
    writer.end_array();
}

void append_notification(JsonWriter& writer, const model::Notification& whole, Readers readers) {
    model::Notification shown;
    if (readers == Readers::person) {
        shown = whole;
        for (std::string model::Notification::* internal :
             {&model::Notification::directive, &model::Notification::tone_hint, &model::Notification::emitter,
              &model::Notification::holder}) {
            (shown.*internal).clear();
        }
    }
    const model::Notification& notification = readers == Readers::person ? shown : whole;
    writer.begin_object().field("id", base::format_uuid(notification.id.uuid));
    append_number(writer, "ordinal", notification.ordinal);
    append_text_or_null(writer, "user_id", notification.scope.user_id);
    append_text_or_null(writer, "session_id", notification.scope.session_id);
    append_text_or_null(writer, "agent_id", notification.scope.agent_id);
    writer.field("subscriber", notification.subscriber_id);
    writer.field("priority", model::priority_name(notification.priority));
    writer.field("inject_at", model::inject_at_name(notification.inject_at));
    writer.field("severity", model::severity_name(notification.severity));
    writer.field("address", model::address_name(notification.address));
    writer.field("target", model::target_name(notification.target));
    writer.field("handler", model::handler_name(notification.handler));
    writer.field("content", notification.content).field("text", notification.text);
    append_text_or_null(writer, "directive", notification.directive);
    append_notified_events(writer, "events", notification.events);
    writer.name("follow_up").boolean(notification.follow_up);
    append_number(writer, "tokens", notification.model_tokens);
    append_number(writer, "version", notification.version);
    writer.field("created_at", base::format_timestamp(notification.created_at));
    append_delivery(writer, notification);
    append_origin(writer, notification);
    append_marks(writer, notification);
    append_answer(writer, notification);
    writer.end_object();
}

void append_inbox_item(JsonWriter& writer, const model::Notification& notification) {
    writer.begin_object();
    model::append_interface_members(writer, notification);
    append_number(writer, "ordinal", notification.ordinal);
    append_text_or_null(writer, "user_id", notification.scope.user_id);
    append_text_or_null(writer, "outcome", notification.outcome);
    append_time_or_null(writer, "ended_at", notification.ended_at);
    append_marks(writer, notification);
    writer.end_object();
}

void append_transition(JsonWriter& writer, const model::Transition& step) {
    writer.begin_object().field("at", base::format_timestamp(step.at));
    writer.field("from", model::delivery_state_name(step.from)).field("to", model::delivery_state_name(step.to));
    append_number(writer, "lease", step.lease);
    append_text_or_null(writer, "holder", step.holder);
    writer.field("reason", step.reason).name("routing");
    if (step.routing) {
        writer.begin_object().field("address", model::address_name(step.routing->address));
        writer.field("target", model::target_name(step.routing->target));
        writer.field("handler", model::handler_name(step.routing->handler)).end_object();
    } else {
        writer.null();
    }
    writer.end_object();
}

namespace {

void append_execution(JsonWriter& writer, const model::ToolExecution& execution) {
    if (execution.by == model::ToolRunner::nobody) {
        writer.null();
        return;
    }
    writer.begin_object().field("by", model::tool_runner_name(execution.by));
    if (execution.by == model::ToolRunner::webhook) {
        if (!execution.url.empty()) writer.field("url", execution.url);
        append_text_or_null(writer, "secret_env", execution.secret_env);
    }
    writer.end_object();
}

void append_wake_reasons(JsonWriter& writer, const std::vector<model::WakeReason>& reasons) {
    writer.name("wake_reasons").begin_array();
    for (const model::WakeReason reason : reasons) writer.text(model::wake_reason_name(reason));
    writer.end_array();
}

// What only a tool that somebody has registered has.
void append_registration(JsonWriter& writer, const model::ToolInfo& tool) {
    writer.field("risk", model::tool_risk_name(tool.risk));
    append_texts(writer, "capabilities", tool.capabilities);
    append_wake_reasons(writer, tool.wake_reasons);
    writer.name("execution");
    append_execution(writer, tool.execution);
    append_number(writer, "timeout_s", tool.execution.time_max.us / 1'000'000);
    writer.field("updated_at", base::format_timestamp(tool.updated_at));
}

// What only a tool of Belfry's own has.
void append_contract(JsonWriter& writer, const model::ToolContract& own) {
    writer.field("risk", model::tool_risk_name(own.risk)).name("capabilities").begin_array();
    for (const auto one : own.capabilities) writer.text(model::agent_capability_name(one));
    writer.end_array();
    append_wake_reasons(writer, own.wake_reasons);
    writer.name("execution").null().name("updated_at").null().name("output_schema").raw(own.output_schema.bytes());
    writer.field("version", static_cast<long long>(own.version));
    append_texts(writer, "high_risk_with", own.high_risk_with);
    writer.name("read_only").boolean(own.idempotency == model::ToolIdempotency::read_only);
}

}  // namespace

void append_tool(JsonWriter& writer, const model::ToolInfo& tool, const model::ToolContract* own) {
    writer.begin_object().field("name", tool.name).field("origin", own != nullptr ? "belfry" : "registered");
    writer.field("impact", model::impact_name(tool.impact));
    append_text_or_null(writer, "description", tool.description);
    writer.name("schema").raw(tool.schema.bytes());
    if (own != nullptr) append_contract(writer, *own);
    else append_registration(writer, tool);
    writer.end_object();
}

void append_subscriber(JsonWriter& writer, const model::Subscriber& subscriber, std::optional<bool> enabled,
                       std::string_view user_id) {
    writer.begin_object().field("id", subscriber.id).field("name", subscriber.name);
    writer.field("description", subscriber.description).field("version", subscriber.version);
    append_texts(writer, "types", subscriber.types);
    append_text_or_null(writer, "severity_filter",
                        subscriber.severity_min ? model::severity_name(*subscriber.severity_min) : "");
    append_texts(writer, "sources", subscriber.sources);
    writer.field("priority", model::priority_name(subscriber.priority));
    writer.field("inject_at", model::inject_at_name(subscriber.inject_at));
    writer.name("core").boolean(subscriber.core).name("enabled");
    if (subscriber.core) enabled = true;
    enabled ? writer.boolean(*enabled) : writer.null();
    append_text_or_null(writer, "core_reason", core_reason(subscriber));
    if (!user_id.empty()) writer.field("user_id", user_id);
    writer.name("visible").boolean(subscriber.visible);
    append_number(writer, "window_ms", subscriber.window.us / 1000);
    append_number(writer, "max_size", static_cast<std::int64_t>(subscriber.max_size));
    writer.field("dedupe_key", subscriber.dedupe_key.empty() ? model::dedupe_key_default : subscriber.dedupe_key);
    append_number(writer, "dedupe_window_ms", subscriber.dedupe_window.us / 1000);
    append_text_or_null(writer, "template", subscriber.template_name);
    append_routing(writer, subscriber);
    writer.field("origin", subscriber.origin).end_object();
}

void append_rehearsed(JsonWriter& writer, const model::Subscriber& subscriber, const model::Rehearsed& made) {
    writer.begin_object().field("subscriber", subscriber.id);
    writer.field("priority", model::priority_name(subscriber.priority));
    writer.field("inject_at", model::inject_at_name(subscriber.inject_at));
    writer.field("severity", model::severity_name(made.severity));
    writer.name("follow_up").boolean(made.follow_up);
    append_number(writer, "rows", static_cast<std::int64_t>(made.rows));
    append_number(writer, "events", made.events);
    append_number(writer, "tokens", made.tokens);
    writer.field("content", made.content).field("text", made.text);
    writer.name("used_fallback").boolean(made.used_fallback).field("problem", made.problem).end_object();
}

void append_subscriber_problem(JsonWriter& writer, const model::SubscriberProblem& problem) {
    writer.begin_object().field("file", problem.file);
    append_number(writer, "line", problem.line);
    append_number(writer, "column", problem.column);
    append_text_or_null(writer, "field", problem.field);
    writer.field("message", problem.message).name("fatal").boolean(problem.fatal).end_object();
}

}  // namespace belfry::codec
