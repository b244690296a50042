#include "client/delivery_answers.hpp"

#include "client/fields.hpp"

namespace belfry::client {
namespace {

// An interface's message and the ledger's row name a few things differently.
std::string either(const Fields& fields, std::string_view name, std::string_view other) {
    std::string text = fields.text(name);
    return text.empty() ? fields.text(other) : text;
}

NotificationState notification_of(model::JsonView view) {
    const Fields fields(view);
    const model::RawJson routing = fields.object("routing");
    const Fields axes(fields.member("routing") ? routing.view() : view);
    NotificationState one;
    one.id = fields.text("id");
    one.ordinal = fields.number("ordinal");
    one.user_id = fields.text("user_id");
    one.session_id = fields.text("session_id");
    one.agent_id = fields.text("agent_id");
    one.subscriber = fields.text("subscriber");
    one.emitter = fields.text("emitter");
    one.priority = fields.text("priority");
    one.severity = fields.text("severity");
    one.address = axes.text("address");
    one.target = axes.text("target");
    one.handler = axes.text("handler");
    one.text = fields.text("text");
    one.content = fields.text("content");
    one.state = fields.text("state");
    one.outcome = fields.text("outcome");
    one.holder = fields.text("holder");
    one.depth = fields.number("depth");
    one.caused_by = fields.text("caused_by");
    one.lease = fields.number(fields.member("lease") ? "lease" : "owner_lease");
    one.version = fields.number("version");
    fields.each("events", [&](model::JsonView) { ++one.events; });
    one.created_at = either(fields, "created_at", "timestamp");
    one.ended_at = fields.text("ended_at");
    one.seen_at = fields.text("seen_at");
    one.acted_at = fields.text("acted_at");
    one.dismissed_at = fields.text("dismissed_at");
    one.narration = fields.text("narration");
    one.json = model::RawJson::trusted(std::string(view.text));
    return one;
}

WhyWay way_of(model::JsonView view) {
    const Fields fields(view);
    WhyWay way;
    if (const auto row = fields.member("notification")) way.notification = notification_of(*row);
    way.as_repeat = fields.flag("as_repeat").value_or(false);
    fields.each("steps", [&](model::JsonView element) {
        const Fields step(element);
        const model::RawJson routing = step.object("routing");
        const Fields axes(routing.view());
        way.steps.push_back({step.text("at"), step.text("from"), step.text("to"), step.number("lease"),
                             step.text("holder"), step.text("reason"), axes.text("address"), axes.text("target"),
                             axes.text("handler")});
    });
    return way;
}

ToolState tool_of(model::JsonView view) {
    const Fields fields(view);
    return {fields.text("name"),          fields.text("origin"),     fields.text("impact"),
            fields.text("description"),   fields.text("updated_at"), fields.text("risk"),
            fields.texts("capabilities"), fields.object("schema"),   model::RawJson::trusted(std::string(view.text))};
}

}  // namespace

base::Result<NotificationState> read_notification(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "state"));
    return notification_of(json.view());
}

base::Result<std::int64_t> read_notifications(std::string_view body, std::vector<NotificationState>& into) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "data"));
    const Fields fields(json.view());
    fields.each("data", [&](model::JsonView element) { into.push_back(notification_of(element)); });
    return fields.number("next");
}

base::Result<std::int64_t> read_inbox(std::string_view body, InboxState& into) {
    TRY_ASSIGN(const std::int64_t next, read_notifications(body, into.items));
    TRY_ASSIGN(const model::RawJson json, read_object(body, "unread"));
    const Fields fields(json.view());
    into.unread = fields.number("unread");
    into.waiting = fields.number("waiting");
    return next;
}

base::Result<std::string> read_sink_calls(std::string_view body, std::vector<SinkCallState>& into) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "data"));
    const Fields fields(json.view());
    fields.each("data", [&](model::JsonView element) {
        const Fields one(element);
        into.push_back({one.text("id"), one.text("sink"), one.text("notification_id"), one.number("attempts"),
                        one.text("error"), one.text("given_up_at"),
                        model::RawJson::trusted(std::string(element.text))});
    });
    return fields.text("next");
}

base::Result<WhyState> read_why(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "notifications"));
    const Fields fields(json.view());
    WhyState why;
    const auto event = fields.member("event");
    if (event && event->kind() == model::JsonKind::object) why.event = fields.object("event");
    why.sequence = fields.number("sequence");
    why.reached_nobody = fields.text("reached_nobody");
    fields.each("subscribers", [&](model::JsonView element) {
        const Fields one(element);
        why.subscribers.push_back({one.text("id"), one.text("verdict")});
    });
    fields.each("waiting", [&](model::JsonView element) {
        const Fields one(element);
        why.waiting.push_back({one.text("subscriber"), one.text("kind"), one.number("count"), one.text("until")});
    });
    fields.each("notifications", [&](model::JsonView element) { why.notifications.push_back(way_of(element)); });
    why.json = std::move(json);
    return why;
}

base::Result<ToolState> read_tool(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "impact"));
    return tool_of(json.view());
}

base::Result<std::string> read_tools(std::string_view body, std::vector<ToolState>& into) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "data"));
    const Fields fields(json.view());
    fields.each("data", [&](model::JsonView element) { into.push_back(tool_of(element)); });
    return fields.text("next");
}

}  // namespace belfry::client
