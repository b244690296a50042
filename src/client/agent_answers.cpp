#include "client/agent_answers.hpp"

#include "client/fields.hpp"
#include "model/agent.hpp"

namespace belfry::client {
namespace {

model::RawJson whole(model::JsonView view) {
    return model::RawJson::trusted(std::string(view.text));
}

void add_text(model::JsonWriter& writer, std::string_view name, const std::string& text) {
    if (!text.empty()) writer.field(name, text);
}

void add_list(model::JsonWriter& writer, std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    writer.name(name);
    model::append_text_list(writer, texts);
}

}  // namespace

AgentNow agent_of(model::JsonView view) {
    const Fields fields(view);
    AgentNow agent;
    agent.id = fields.text("id");
    agent.user_id = fields.text("user_id");
    agent.kind = fields.text("kind");
    agent.display_name = fields.text("display_name");
    agent.lifecycle = fields.text("lifecycle");
    agent.mode = fields.text("mode");
    if (const auto workflow = fields.member("workflow")) agent.workflow = Fields(*workflow).text("kind");
    agent.next_wake_at = fields.text("next_wake_at");
    if (const auto state = fields.member("state")) {
        agent.last_wake_at = Fields(*state).text("last_wake_at");
        agent.sleep_until = Fields(*state).text("sleep_until");
    }
    if (const auto runtime = fields.member("runtime")) {
        agent.run_status = Fields(*runtime).text("run_status");
        agent.failure_streak = Fields(*runtime).number("failure_streak");
    }
    agent.json = whole(view);
    return agent;
}

base::Result<AgentNow> read_agent(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "lifecycle"));
    return agent_of(json.view());
}

WakeSubscriptionNow wake_subscription_of(model::JsonView view) {
    const Fields fields(view);
    WakeSubscriptionNow subscription;
    subscription.id = fields.text("id");
    subscription.agent_id = fields.text("agent_id");
    subscription.active = fields.flag("active").value_or(true);
    subscription.types = fields.texts("types");
    subscription.tokens = fields.texts("tokens");
    subscription.severity = fields.text("severity");
    subscription.predicate = fields.text("predicate");
    subscription.window_ms = fields.number("window_ms");
    subscription.json = whole(view);
    return subscription;
}

base::Result<WakeSubscriptionNow> read_wake_subscription(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "window_ms"));
    return wake_subscription_of(json.view());
}

WakeNow wake_of(model::JsonView view) {
    const Fields fields(view);
    WakeNow wake;
    wake.id = fields.number("id");
    wake.run_key = fields.text("run_key");
    wake.agent_id = fields.text("agent_id");
    wake.reason = fields.text("reason");
    wake.reason_id = fields.text("reason_id");
    wake.state = fields.text("state");
    wake.due_at = fields.text("due_at");
    wake.signals = fields.number("signals");
    wake.attempts = fields.number("attempts");
    wake.holder = fields.text("holder");
    wake.fence = fields.number("fence");
    wake.run_id = fields.number("run_id");
    wake.coalesced_into = fields.number("coalesced_into");
    if (const auto error = fields.member("error"); error && error->kind() == model::JsonKind::object) {
        wake.error = model::RunError{Fields(*error).text("type"), Fields(*error).text("message")};
    }
    wake.created_at = fields.text("created_at");
    wake.ended_at = fields.text("ended_at");
    wake.json = whole(view);
    return wake;
}

base::Result<WakeNow> read_wake(std::string_view body) {
    TRY_ASSIGN(const model::RawJson json, read_object(body, "run_key"));
    return wake_of(json.view());
}

WakeSignalNow wake_signal_of(model::JsonView view) {
    const Fields fields(view);
    return {fields.text("kind"),   fields.text("key"),     fields.text("rule"),
            fields.object("body"), fields.text("came_at"), whole(view)};
}

base::Result<Grant> read_grant(std::string_view body) {
    TRY_ASSIGN(model::RawJson json, read_object(body, "wake"));
    const Fields fields(json.view());
    Grant grant;
    grant.wake = wake_of(*fields.member("wake"));
    fields.each("signals", [&](model::JsonView element) { grant.signals.push_back(wake_signal_of(element)); });
    grant.json = std::move(json);
    return grant;
}

std::string agent_request_json(const AgentRequest& request) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("id", request.id);
    add_text(writer, "user_id", request.user_id);
    add_text(writer, "kind", request.kind);
    add_text(writer, "display_name", request.display_name);
    add_text(writer, "mode", request.mode);
    add_list(writer, "allowed_category_ids", request.allowed_category_ids);
    add_list(writer, "capabilities", request.capabilities);
    if (!request.tool_policies.empty()) {
        writer.name("tool_policies").begin_object();
        for (const auto& [tool, policy] : request.tool_policies) writer.field(tool, policy);
        writer.end_object();
    }
    if (!request.model_id.empty()) {
        writer.name("config").begin_object().field("model_id", request.model_id).end_object();
    }
    if (!request.workflow.empty() || request.settings) {
        writer.name("workflow").begin_object();
        add_text(writer, "kind", request.workflow);
        if (request.settings) writer.name("settings").raw(request.settings->bytes());
        writer.end_object();
    }
    writer.end_object();
    return out;
}

std::string wake_subscription_json(const WakeSubscriptionRequest& request) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    add_list(writer, "types", request.types);
    add_list(writer, "tokens", request.tokens);
    add_text(writer, "severity", request.severity);
    add_list(writer, "sources", request.sources);
    add_text(writer, "predicate", request.predicate);
    if (request.window) writer.field("window_ms", request.window->us / 1000);
    if (request.priority != 0) writer.field("priority", request.priority);
    if (request.synced) writer.name("synced").boolean(true);
    writer.end_object();
    return out;
}

std::string wake_request_json(const WakeRequest& request) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object();
    if (!request.session_id.empty()) writer.field("reason", "user_initiated");
    add_text(writer, "request_id", request.request_id);
    add_text(writer, "session_id", request.session_id);
    add_text(writer, "turn_id", request.turn_id);
    if (request.input) writer.name("input").raw(request.input->bytes());
    writer.end_object();
    return out;
}

std::string claim_json(const ClaimRequest& request) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().name("agents");
    model::append_text_list(writer, request.agents);
    add_text(writer, "holder", request.holder);
    writer.field("lease_s", request.lease.us / 1'000'000).field("wait_s", request.wait.us / 1'000'000);
    if (request.context_messages) writer.field("context_messages", *request.context_messages);
    writer.end_object();
    return out;
}

std::string wake_outcome_json(std::int64_t fence, const WakeOutcome& outcome) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("fence", fence);
    if (outcome.result) writer.name("result").raw(outcome.result->bytes());
    if (outcome.error) {
        writer.name("error").begin_object().field("type", outcome.error->type);
        writer.field("message", outcome.error->message).end_object();
    }
    if (outcome.release) writer.name("release").boolean(true);
    add_text(writer, "sleep_until", outcome.sleep_until);
    add_text(writer, "next_wake_at", outcome.next_wake_at);
    writer.end_object();
    return out;
}

}  // namespace belfry::client
