#include "client/answers.hpp"
#include "client/fields.hpp"

namespace belfry::client {
namespace {

ProgressState progress_of(const Fields& fields) {
    const model::RawJson json = fields.object("progress");
    const Fields progress(json.view());
    return {progress.number("turn"), progress.flag("in_turn").value_or(false), progress.number("tokens_used"),
            progress.number("context_tokens"), progress.text("counting_since")};
}

model::Budget budget_of(const Fields& fields) {
    const model::RawJson json = fields.object("budget");
    const Fields budget(json.view());
    return {budget.number("tokens"), budget.number("iterations"), budget.number("timeout_s"),
            budget.number("context_tokens")};
}

PulledItem item_of(model::JsonView element) {
    const Fields fields(element);
    PulledItem item;
    item.handle = fields.text("handle");
    item.id = fields.text("id");
    item.lease = fields.number("lease");
    item.subscriber = fields.text("subscriber");
    item.priority = fields.text("priority");
    item.severity = fields.text("severity");
    item.content = fields.text("content");
    item.text = fields.text("text");
    item.directive = fields.text("directive");
    item.again = fields.flag("again").value_or(false);
    item.needs_answer = fields.flag("needs_answer").value_or(false);
    item.must_tell = fields.flag("must_tell").value_or(false);
    item.stands_for = fields.texts("stands_for");
    return item;
}

}  // namespace

base::Result<SessionState> read_session(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "progress"));
    const Fields fields(json.view());
    SessionState session;
    session.id = fields.text("id");
    session.user_id = fields.text("user_id");
    session.agent_id = fields.text("agent_id");
    session.title = fields.text("title");
    session.budget = budget_of(fields);
    session.progress = progress_of(fields);
    session.json = std::move(json);
    return session;
}

base::Result<ContextState> read_context(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "items"));
    const Fields fields(json.view());
    ContextState context;
    fields.each("items", [&](model::JsonView element) {
        const Fields item(element);
        context.texts.push_back(item.text(item.text("text").empty() ? "content" : "text"));
    });
    fields.each("user_messages",
                [&](model::JsonView element) { context.user_messages.push_back(Fields(element).text("content")); });
    context.counted = fields.number("counted");
    context.batched = fields.number("batched");
    context.digest = fields.text("digest");
    context.json = std::move(json);
    return context;
}

base::Result<ReportState> read_report(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "events"));
    const Fields fields(json.view());
    ReportState report;
    fields.each("events", [&](model::JsonView element) {
        const Fields event(element);
        report.events.push_back({event.text("id"), event.sequence("sequence")});
    });
    report.progress = progress_of(fields);
    report.budget = budget_of(fields);
    return report;
}

base::Result<SelfNoteState> read_self_note(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "reminder_id"));
    const Fields fields(json.view());
    return SelfNoteState{fields.text("event_id"), fields.text("reminder_id")};
}

base::Result<Pulled> read_pulled(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "items"));
    const Fields fields(json.view());
    Pulled pulled;
    pulled.pull_id = fields.text("pull_id");
    fields.each("user_messages", [&](model::JsonView element) {
        const Fields message(element);
        pulled.user_messages.push_back({message.text("id"), message.text("content"), message.text("created_at")});
    });
    fields.each("items", [&](model::JsonView element) { pulled.items.push_back(item_of(element)); });
    pulled.tokens = fields.number("tokens");
    pulled.waiting = fields.number("waiting");
    pulled.lease_until = fields.text("lease_until");
    pulled.acknowledged = fields.number("acknowledged");
    pulled.text = fields.text("text");
    pulled.seen = fields.texts("seen");
    pulled.digest = fields.text("digest");
    if (const auto tools = fields.member("tools")) pulled.tools = model::RawJson::trusted(std::string(tools->text));
    if (const auto messages = fields.member("messages")) {
        pulled.messages = model::RawJson::trusted(std::string(messages->text));
    }
    pulled.json = std::move(json);
    return pulled;
}

base::Result<std::int64_t> read_acknowledged(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "acknowledged"));
    return Fields(json.view()).number("acknowledged");
}

base::Result<std::int64_t> read_renewed(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "renewed"));
    return Fields(json.view()).number("renewed");
}

}  // namespace belfry::client
