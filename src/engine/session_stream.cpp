#include "engine/session_stream.hpp"

#include "model/session_stream.hpp"

namespace belfry::engine {
namespace {

// `{"type":…` and the members that follow it.
class Entry {
public:
    explicit Entry(std::string_view type) : type_(type), writer_(body_) { writer_.begin_object().field("type", type); }

    Entry& id(std::string_view name, const base::Uuid& uuid) {
        writer_.field(name, base::format_uuid(uuid));
        return *this;
    }
    Entry& text(std::string_view name, std::string_view value) {
        writer_.field(name, value);
        return *this;
    }
    Entry& number(std::string_view name, std::int64_t value) {
        writer_.field(name, static_cast<long long>(value));
        return *this;
    }
    Entry& nothing(std::string_view name) {
        writer_.name(name).null();
        return *this;
    }

    base::Result<void> put(const std::string& session_id, const std::string& user_id, Unit& unit,
                           model::Severity severity = model::Severity::info) {
        writer_.end_object();
        TRY_ASSIGN(const model::StreamId stream, session_stream(session_id, user_id, unit));
        unit.streams.append(unit.store, stream, {severity, type_, user_id, session_id}, body_);
        return {};
    }
    base::Result<void> put(const model::Session& session, Unit& unit) { return put(session.id, session.user_id, unit); }

private:
    std::string_view type_;
    std::string body_;
    model::JsonWriter writer_;
};

}  // namespace

base::Result<model::StreamId> session_stream(const std::string& session_id, const std::string& user_id, Unit& unit) {
    return unit.streams.named(unit.store, model::session_stream_name(session_id), user_id,
                              model::RetentionClass::delivery);
}

base::Result<void> tell_node(const model::Session& session, const model::ContextNode& node, Unit& unit) {
    Entry entry("node");
    entry.id("id", node.id.uuid);
    node.parent ? entry.id("parent_id", node.parent->uuid) : entry.nothing("parent_id");
    return entry.put(session, unit);
}

base::Result<void> tell_message(const model::Session& session, const model::SessionMessage& message, Unit& unit) {
    Entry entry("message");
    entry.id("id", message.id.uuid).id("node_id", message.node.uuid).number("ordinal", message.ordinal);
    return entry.text("role", model::message_role_name(message.role)).put(session, unit);
}

base::Result<void> tell_system_message(const model::Session& session, const model::SystemMessage& message, Unit& unit) {
    Entry entry("message");
    entry.id("id", message.id.uuid).id("node_id", session.head.uuid).number("ordinal", message.ordinal);
    entry.text("role", "system").id("notification_id", message.notification_id);
    return entry.put(session.id, session.user_id, unit,
                     model::parse_severity(message.severity).value_or(model::Severity::info));
}

base::Result<void> tell_rewritten(const model::Session& session, const model::NodeId& node,
                                  const base::Uuid& notification, Rewritten how, Unit& unit) {
    Entry entry(how == Rewritten::changed ? "message_changed" : "message_removed");
    return entry.id("node_id", node.uuid).id("notification_id", notification).put(session, unit);
}

base::Result<void> tell_turn(const model::Session& session, TurnNews news, Unit& unit) {
    Entry entry(news == TurnNews::began ? "turn_began" : "turn_ended");
    return entry.number("turn", session.progress.turn).put(session, unit);
}

base::Result<void> tell_handed_over(const model::Session& session, const ports::PullReply& reply, Unit& unit) {
    Entry entry("handed_over");
    entry.id("pull_id", reply.pull_id).number("notifications", static_cast<std::int64_t>(reply.items.size()));
    return entry.number("messages", static_cast<std::int64_t>(reply.user_messages.size())).put(session, unit);
}

base::Result<void> tell_interaction(const model::Interaction& interaction, InteractionNews news, Unit& unit) {
    Entry entry(news == InteractionNews::asked ? "interaction" : "interaction_state");
    entry.id("id", interaction.id.uuid).text("kind", model::interaction_kind_name(interaction.kind));
    const auto state = news == InteractionNews::asked ? model::InteractionState::pending : interaction.state;
    entry.text("state", model::interaction_state_name(state));
    return entry.put(interaction.session_id, interaction.user_id, unit);
}

base::Result<void> tell_session_changed(const model::Session& session, Unit& unit) {
    return Entry("session_changed").put(session, unit);
}

base::Result<void> tell_session_deleted(const model::Session& session, Unit& unit) {
    return Entry(model::session_deleted_type).put(session, unit);
}

}  // namespace belfry::engine
