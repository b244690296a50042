#include "daemon/turn_variables.hpp"

#include "model/value_json.hpp"

namespace belfry::daemon {
namespace {

void append_handed(model::JsonWriter& writer, const std::optional<ports::PullReply>& handed) {
    writer.name("notifications").begin_array();
    if (handed) {
        for (const ports::PulledItem& item : handed->items) {
            const model::Notification& one = item.notification;
            writer.begin_object().field("handle", item.handle).field("text", one.text).field("content", one.content);
            writer.field("priority", model::priority_name(one.priority));
            writer.field("severity", model::severity_name(one.severity));
            writer.name("needs_answer").boolean(item.needs_answer).end_object();
        }
    }
    writer.end_array().name("words").begin_array();
    if (handed) {
        for (const model::SessionMessage& message : handed->user_messages) writer.text(message.content);
    }
    writer.end_array();
}

}  // namespace

model::Value turn_variables(const ports::Turn& turn) {
    const ports::WakeGrant& grant = turn.grant();
    std::string json;
    model::JsonWriter writer(json);
    writer.begin_object().name("agent");
    model::append_agent(writer, grant.agent);
    writer.name("slots");
    model::append_agent_slots(writer, grant.agent.state.slots);
    writer.name("wake");
    model::append_wake(writer, grant.wake);
    writer.name("input").raw(grant.wake.input.bytes()).name("signals").begin_array();
    for (const model::WakeSignal& signal : grant.signals) model::append_wake_signal(writer, signal);
    writer.end_array().name("messages").begin_array();
    if (grant.context) {
        for (const model::AgentMessage& message : grant.context->messages) model::append_agent_message(writer, message);
    }
    writer.end_array();
    append_handed(writer, turn.handed());
    writer.field("now", base::format_timestamp(turn.now())).end_object();
    return model::value_from({json});
}

}  // namespace belfry::daemon
