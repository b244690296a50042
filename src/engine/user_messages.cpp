#include "engine/user_messages.hpp"

#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "model/notification_json.hpp"
#include "rules/portion.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;

}  // namespace

base::Result<base::Result<model::SessionMessage>> UserMessages::add(model::Session& session, std::string content,
                                                                    const Describe& describe, Unit& unit) {
    using Added = base::Result<model::SessionMessage>;
    model::SessionMessage message;
    message.id = model::MessageId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    TRY_ASSIGN(const std::int64_t waiting, unit.store.user_messages().count(session.id));
    if (waiting >= static_cast<std::int64_t>(limits::user_messages_waiting_max)) {
        return Added(base::error(base::Code::overloaded, std::to_string(limits::user_messages_waiting_max) +
                                                             " messages wait in this session already"));
    }
    TRY(sessions_.open_node(session, session.head, unit));
    message.node = session.head;
    message.session_id = session.id;
    message.ordinal = session.next_message++;
    message.role = model::MessageRole::user;
    message.content = std::move(content);
    message.metadata = describe(message.id);
    message.created_at = unit.now;
    TRY(unit.store.sessions().add_message(message));
    sessions_.touch(session);
    TRY(unit.store.user_messages().wait(message.id));
    TRY(request_turn(session, message.id, unit));
    return Added(std::move(message));
}

base::Result<void> UserMessages::hand_over(ports::PullReply& reply, const model::Session& session, base::Duration lease,
                                           Unit& unit) {
    TRY_ASSIGN(std::vector<model::SessionMessage> due,
               unit.store.user_messages().due(session.id, unit.now, limits::user_messages_pull_max));
    reply.model_tokens += rules::keep_messages_that_fit(due);
    if (due.empty()) return {};
    std::vector<model::MessageId> ids;
    for (const model::SessionMessage& message : due) ids.push_back(message.id);
    reply.user_messages = std::move(due);
    if (!reply.lease_until) reply.lease_until = unit.now + lease;
    return unit.store.user_messages().hand_over(ids, reply.pull_id, unit.now + lease);
}

base::Result<std::int64_t> UserMessages::confirm(const std::string& session_id,
                                                 const std::optional<base::Uuid>& pull_id, Unit& unit) {
    return unit.store.user_messages().confirm(session_id, pull_id);
}

base::Result<void> UserMessages::let_go(const std::string& session_id, Unit& unit) {
    return unit.store.user_messages().let_go(session_id);
}

base::Result<void> UserMessages::renew(const std::string& session_id, base::Duration lease, Unit& unit) {
    return unit.store.user_messages().renew(session_id, unit.now + lease);
}

base::Result<void> UserMessages::after_turn(const model::Session& session, Unit& unit) {
    TRY_ASSIGN(const std::vector<model::SessionMessage> due, unit.store.user_messages().due(session.id, unit.now, 1));
    return due.empty() ? base::Result<void>{} : request_turn(session, due.front().id, unit);
}

// A turn that is under way will come by; it needs no further one.
base::Result<void> UserMessages::request_turn(const model::Session& session, const model::MessageId& id, Unit& unit) {
    if (session.progress.in_turn) return {};
    model::Notification about;  // only as far as whatever runs the agent is told
    about.id = {id.uuid};
    about.scope = {session.user_id, session.id, session.agent_id};
    about.priority = model::Priority::high;
    std::string body;
    model::append_turn_requested_json(body, about, "user_input");
    TRY_ASSIGN(const model::StreamId stream, unit.streams.named(unit.store, "agent:" + session.user_id, session.user_id,
                                                                model::RetentionClass::delivery));
    const model::Facets facets{model::Severity::info, "turn_requested", session.user_id, session.id};
    unit.streams.append(unit.store, stream, facets, body);
    return {};
}

}  // namespace belfry::engine
