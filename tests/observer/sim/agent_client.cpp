#include "edge.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/notifications.hpp"
#include "runtimes.hpp"

namespace observer::sim {
namespace {

std::optional<base::Uuid> uuid_of(const std::string& text) {
    return text.empty() ? std::nullopt : base::parse_uuid(text);
}

std::vector<ItemName> names_of(const std::vector<PulledItem>& items, bool with_lease) {
    std::vector<ItemName> names;
    for (const PulledItem& item : items)
        names.push_back({item.id, with_lease ? std::optional(item.lease) : std::nullopt, std::nullopt});
    return names;
}

std::vector<ports::Named> named_of(const std::vector<PulledItem>& items, bool with_lease) {
    std::vector<ports::Named> named;
    for (const PulledItem& item : items)
        named.push_back({item.handle, with_lease ? std::optional(item.lease) : std::nullopt, std::nullopt});
    return named;
}

model::RawJson payload_of(const std::string& tool, const std::string& status) {
    std::string payload;
    model::JsonWriter writer(payload);
    writer.begin_object().field("tool_name", tool).field("call_id", tool);
    if (status == "success") writer.field("duration_ms", 1LL);
    if (status == "failure") writer.field("error_type", "torn").field("error_message", "the wire is torn");
    if (status == "timeout") writer.field("timeout_ms", 9LL);
    writer.end_object();
    return model::RawJson::trusted(std::move(payload));
}

ports::ToolCallStatus status_of(const std::string& name) {
    if (name == "pending") return ports::ToolCallStatus::pending;
    if (name == "success") return ports::ToolCallStatus::success;
    return name == "failure" ? ports::ToolCallStatus::failure : ports::ToolCallStatus::timeout;
}

}  // namespace

std::vector<PulledItem> matters_of(const Pulled& pull) {
    std::vector<PulledItem> matters;
    for (const PulledItem& item : pull.items)
        if (item.needs_answer) matters.push_back(item);
    return matters;
}

model::Principal AgentClient::agent_of(const std::string& token_name, const std::string& user) {
    return agent_token(token_name, user);
}

template <class Seen>
Seen AgentClient::call_of(const std::string& session) const {
    Seen seen;
    seen.runtime = runtime_;
    seen.token = token_name_;
    seen.session = session;
    return seen;
}

template <class C, class Seen>
void AgentClient::ask(std::unique_ptr<C> command, Seen seen, std::int64_t status,
                      std::function<void(Seen&, const typename C::Reply&)> read,
                      const std::function<void(const Seen&)>& then) {
    stage_.node.ask<C>(std::move(command), token_,
                       [this, began = stage_.recorder.tick(), seen = std::move(seen), status, read = std::move(read),
                        then](const base::Result<typename C::Reply>* result) mutable {
                           seen.answer = answer_of(result, status);
                           if (result != nullptr && result->ok() && read) read(seen, **result);
                           stage_.recorder.add(runtime_, seen, began);
                           then(seen);
                       });
}

void AgentClient::start(const std::string& session, const Then& then) {
    auto command = std::make_unique<ports::ReportTurn>();
    command->session_id = session;
    ask<ports::ReportTurn, TurnStarted>(std::move(command), call_of<TurnStarted>(session), 201, {},
                                        [then](const TurnStarted& seen) { then(seen.answer.status); });
}

void AgentClient::pull(const std::string& session, const PullWish& wish, const ThenPulled& then) {
    auto command = std::make_unique<ports::PullNotifications>();
    command->session_id = session;
    command->point = *model::parse_inject_at(wish.point);
    command->budget_tokens = wish.budget;
    if (wish.lease_s > 0) command->lease = base::seconds(wish.lease_s);
    command->pull_id = uuid_of(wish.named);
    command->acknowledge = uuid_of(wish.acknowledge);
    auto seen = call_of<Pulled>(session);
    seen.user = user_;
    seen.point = wish.point;
    seen.budget_tokens = wish.budget;
    seen.lease_ms = wish.lease_s * 1000;
    seen.named_pull = wish.named.empty() ? wish.acknowledge : wish.named;
    seen.used = wish.is_used;
    ask<ports::PullNotifications, Pulled>(
        std::move(command), std::move(seen), 200,
        [this](Pulled& pulled, const ports::PullReply& reply) {
            read_pull(reply, pulled);
            for (const PulledItem& item : pulled.items) stage_.know(item.id);
        },
        then);
}

void AgentClient::narrate(const std::string& session, const PulledItem& item, const std::string& pull_id,
                          const Then& then) {
    auto seen = call_of<Narrated>(session);
    seen.mark = stage_.recorder.mark('s');
    seen.text = seen.mark + " says " + runtime_;
    seen.item.id = item.id;
    seen.pull_id = pull_id;
    auto command = std::make_unique<ports::NarrateNotification>();
    command->lane = ports::Lane::control;
    command->which = {session, item.handle};
    if (pull_id.empty()) seen.item.lease = command->lease = item.lease;
    command->pull_id = uuid_of(pull_id);
    command->words = seen.text;
    ask<ports::NarrateNotification, Narrated>(std::move(command), std::move(seen), 200, {},
                                              [then](const Narrated& told) { then(told.answer.status); });
}

void AgentClient::acknowledge(const std::string& session, const std::vector<PulledItem>& items, const Then& then) {
    auto command = std::make_unique<ports::Acknowledge>();
    command->lane = ports::Lane::control;
    command->session_id = session;
    for (const PulledItem& item : items) command->items.push_back({item.handle, item.lease, std::nullopt});
    auto seen = call_of<Acknowledged>(session);
    seen.items = names_of(items, true);
    ask<ports::Acknowledge, Acknowledged>(
        std::move(command), std::move(seen), 200,
        [](Acknowledged& told, const ports::AcknowledgeReply& reply) { told.untold = reply.untold; },
        [then](const Acknowledged& told) { then(told.answer.status); });
}

void AgentClient::confirm(const std::string& session, const std::string& pull_id, const Then& then) {
    auto command = std::make_unique<ports::Acknowledge>();
    command->lane = ports::Lane::control;
    command->session_id = session;
    command->pull_id = uuid_of(pull_id);
    auto seen = call_of<Acknowledged>(session);
    seen.pull_id = pull_id;
    ask<ports::Acknowledge, Acknowledged>(
        std::move(command), std::move(seen), 200,
        [](Acknowledged& told, const ports::AcknowledgeReply& reply) { told.untold = reply.untold; },
        [then](const Acknowledged& told) { then(told.answer.status); });
}

void AgentClient::end(const std::string& session, const EndWish& wish, const Then& then) {
    auto command = std::make_unique<ports::ReportTurn>();
    command->session_id = session;
    command->edge = ports::TurnEdge::end;
    command->reason = "answered";
    command->pull_id = uuid_of(wish.pull_id);
    command->acknowledged = named_of(wish.acknowledged, wish.names_leases);
    if (wish.names_all) command->leases = named_of(wish.held, true);
    command->only_named = wish.only_named;
    auto seen = call_of<TurnEnded>(session);
    seen.pull_id = wish.pull_id;
    seen.acknowledged = names_of(wish.acknowledged, wish.names_leases);
    if (wish.names_all) seen.leases = names_of(wish.held, true);
    seen.only_named = wish.only_named;
    ask<ports::ReportTurn, TurnEnded>(
        std::move(command), std::move(seen), 201,
        [](TurnEnded& told, const ports::ReportReply& reply) { told.stale = reply.stale; },
        [then](const TurnEnded& told) { then(told.answer.status); });
}

void AgentClient::heartbeat(const std::string& session, const std::string& pull_id,
                            const std::vector<PulledItem>& leases, std::int64_t lease_s, const Then& then) {
    auto command = std::make_unique<ports::Heartbeat>();
    command->lane = ports::Lane::control;
    command->session_id = session;
    command->lease = base::seconds(lease_s);
    command->pull_id = uuid_of(pull_id);
    command->leases = named_of(leases, true);
    auto seen = call_of<Heartbeat>(session);
    seen.pull_id = pull_id;
    seen.leases = names_of(leases, true);
    ask<ports::Heartbeat, Heartbeat>(
        std::move(command), std::move(seen), 200,
        [](Heartbeat& told, const ports::HeartbeatReply& reply) { told.renewed = reply.renewed; },
        [then](const Heartbeat& told) { then(told.answer.status); });
}

void AgentClient::tool(const std::string& session, const PulledItem* item, const std::string& tool, bool is_external,
                       const std::string& status, const std::string& pull_id, const Then& then) {
    auto command = std::make_unique<ports::ReportToolCall>();
    command->session_id = session;
    command->status = status_of(status);
    command->tool_name = tool;
    command->call_id = tool;
    command->payload = payload_of(tool, status);
    command->pull_id = uuid_of(pull_id);
    auto seen = call_of<ToolCalled>(session);
    seen.user = user_;
    seen.tool = tool;
    seen.external = is_external;
    seen.status = status;
    seen.pull_id = pull_id;
    if (item != nullptr) {
        command->handling = item->handle;
        seen.handling.push_back({item->id, std::nullopt, std::nullopt});
    }
    ask<ports::ReportToolCall, ToolCalled>(std::move(command), std::move(seen), 201, {},
                                           [then](const ToolCalled& told) { then(told.answer.status); });
}

void AgentClient::post(const std::string& session, const Then& then) {
    MessagePosted seen;
    seen.caller = token_name_;
    seen.user = user_;
    seen.session = session;
    seen.role = "assistant";
    seen.mark = stage_.recorder.mark('s');
    seen.text = seen.mark + " says " + runtime_;
    auto command = std::make_unique<ports::PostMessage>();
    command->session_id = session;
    command->role = model::MessageRole::assistant;
    command->content = seen.text;
    ask<ports::PostMessage, MessagePosted>(
        std::move(command), std::move(seen), 201,
        [](MessagePosted& told, const model::SessionMessage& made) { told.id = id_text(made.id.uuid); },
        [then](const MessagePosted& told) { then(told.answer.status); });
}

}  // namespace observer::sim
