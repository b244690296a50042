#include "sim/sent_agents.hpp"

namespace belfry::sim {
namespace {

template <class C>
std::unique_ptr<C> command_of(const std::string& session_id) {
    auto command = std::make_unique<C>();
    command->principal = admin_principal();
    command->session_id = session_id;
    return command;
}

// The same by whoever runs the session's agent, with what he gives as proof.
template <class C, class S>
std::unique_ptr<C> runtimes_command_of(const S& sent) {
    auto command = command_of<C>(sent.session_id);
    command->principal = runtime_principal(sent.session_id, sent.as_agent);
    command->pull_id = sent.pull_id;
    return command;
}

model::RawJson call_payload(const SentToolCall& sent) {
    std::string out;
    model::JsonWriter writer(out);
    writer.begin_object().field("tool_name", sent.tool_name).field("call_id", sent.call_id);
    switch (sent.status) {
        case ports::ToolCallStatus::pending: break;
        case ports::ToolCallStatus::success: writer.field("duration_ms", 5LL); break;
        case ports::ToolCallStatus::failure:
            writer.field("error_type", "torn").field("error_message", "the thread is torn");
            break;
        case ports::ToolCallStatus::timeout: writer.field("timeout_ms", 9LL); break;
    }
    writer.end_object();
    return model::RawJson::trusted(std::move(out));
}

}  // namespace

ports::AnyCommand make(const SentPull& sent) {
    auto command = runtimes_command_of<ports::PullNotifications>(sent);
    command->point = sent.point;
    command->budget_tokens = sent.budget_tokens;
    command->lease = sent.lease;
    command->acknowledge = sent.acknowledge;
    return command;
}

ports::AnyCommand make(const SentAcknowledge& sent) {
    auto command = command_of<ports::Acknowledge>(sent.session_id);
    command->lane = ports::Lane::control;
    command->pull_id = sent.pull_id;
    command->items = sent.items;
    return command;
}

ports::AnyCommand make(const SentTurn& sent) {
    auto command = runtimes_command_of<ports::ReportTurn>(sent);
    command->leases = sent.leases;
    command->edge = sent.edge;
    if (sent.is_first) command->turn_number = 1;
    command->tokens_used = sent.tokens_used;
    command->acknowledged = sent.acknowledged;
    command->lease = sent.lease;
    return command;
}

ports::AnyCommand make(const SentToolCall& sent) {
    auto command = runtimes_command_of<ports::ReportToolCall>(sent);
    command->leases = sent.leases;
    command->status = sent.status;
    command->tool_name = sent.tool_name;
    command->call_id = sent.call_id;
    command->payload = call_payload(sent);
    command->handling = sent.handling;
    return command;
}

ports::AnyCommand make(const SentSelf& sent) {
    auto command = command_of<ports::NotifySelf>(sent.session_id);
    command->message = sent.message;
    command->priority = sent.priority;
    command->deliver_at = sent.deliver_at;
    command->after_turns = sent.after_turns;
    return command;
}

ports::AnyCommand make(const SentSession& sent) {
    auto command = command_of<ports::PutSession>(sent.session_id);
    if (!sent.user_id.empty()) command->user_id = sent.user_id;
    if (!sent.agent_id.empty()) command->agent_id = sent.agent_id;
    command->budget = sent.budget;
    return command;
}

ports::AnyCommand make(const SentMessage& sent) {
    auto command = command_of<ports::PostMessage>(sent.session_id);
    command->role = sent.role;
    command->content = sent.content;
    return command;
}

ports::AnyCommand make(const SentSettings& sent) {
    auto command = std::make_unique<ports::PutSettings>();
    command->principal = admin_principal();
    command->user_id = sent.user_id;
    command->disabled_subscribers = sent.disabled_subscribers;
    return command;
}

ports::AnyCommand make(const SentToggle& sent) {
    auto command = std::make_unique<ports::ToggleSubscriber>();
    command->principal = admin_principal();
    command->user_id = sent.user_id;
    command->subscriber_id = sent.subscriber_id;
    command->enabled = sent.enabled;
    return command;
}

ports::AnyCommand make(const SentReload&) {
    auto command = std::make_unique<ports::ReloadSubscribers>();
    command->principal = model::house_principal();
    return command;
}

}  // namespace belfry::sim
