#include "view/find.hpp"

#include "model/handle.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"

namespace belfry::view {
namespace {

using base::Code;

base::Error no_such_notification() {
    return base::error(Code::not_found, "there is no such notification");
}

// A notification that names an agent is that agent's alone, also when it came to a session in which an agent of the
// caller works. In a session of the caller's own agent, the caller sees everything.
base::Result<void> check_agent_of(ports::Reading& reading, const model::Principal& who, const model::Scope& scope) {
    if (scope.agent_id.empty() || rules::may_use_agent(who, scope.agent_id).ok()) return {};
    if (!scope.session_id.empty()) {
        TRY_ASSIGN(const std::optional<model::Session> session, reading.sessions().find(scope.session_id));
        if (session && !rules::is_for_another(who, *session, scope)) return {};
    }
    return rules::may_use_agent(who, scope.agent_id);
}

base::Result<model::Notification> find_handle(ports::Reading& reading, const model::Principal& who,
                                              const std::string& session_id, std::int64_t handle) {
    if (session_id.empty()) {
        return base::error(Code::invalid, "a handle is known in its session only: name it", "session");
    }
    TRY(may_use_session(reading, who, session_id));
    TRY_ASSIGN(std::optional<model::Notification> found, reading.notifications().find_handle(session_id, handle));
    if (!found) return no_such_notification();
    TRY(check_agent_of(reading, who, found->scope));
    // The session may have become another user's since.
    if (!rules::is_confined(who)) TRY(rules::may_use_session(who, session_id, found->scope.user_id));
    return std::move(*found);
}

base::Result<model::Notification> find_id(ports::Reading& reading, const model::Principal& who,
                                          const std::string& session_id, const base::Uuid& id) {
    TRY_ASSIGN(std::optional<model::Notification> found, reading.notifications().find(model::NotificationId{id}));
    if (!found) return no_such_notification();
    const bool is_elsewhere =
        !session_id.empty() && found->scope.session_id != session_id && found->handed_to != session_id;
    if (is_elsewhere) return no_such_notification();
    TRY(check_agent_of(reading, who, found->scope));
    const bool is_held =
        rules::is_confined(who) && !found->handed_to.empty() && may_use_session(reading, who, found->handed_to).ok();
    if (!is_held) TRY(may_read(reading, who, found->scope));
    return std::move(*found);
}

}  // namespace

base::Result<void> may_use_session(ports::Reading& reading, const model::Principal& who, const std::string& id) {
    TRY_ASSIGN(const std::optional<model::Session> session, reading.sessions().find(id));
    if (!session) return base::error(Code::not_found, "there is no such session", "session");
    return may_use_session(reading, who, *session);
}

base::Result<void> may_use_session(ports::Reading& reading, const model::Principal& who,
                                   const model::Session& session) {
    TRY_ASSIGN(const std::string agent, agent_in_session(reading, who, session));
    return rules::may_use_session(who, session.id, session.user_id, agent);
}

base::Result<std::string> agent_in_session(ports::Reading& reading, const model::Principal& who,
                                           const model::Session& session) {
    if (rules::may_use_agent(who, session.agent_id).ok()) return session.agent_id;
    for (const std::string& id : who.bounds.agents) {
        TRY_ASSIGN(const std::optional<model::AgentRecord> found, reading.agents().find(id));
        if (found && rules::works_in(*found, session)) return id;
    }
    return session.agent_id;
}

base::Result<void> may_read(ports::Reading& reading, const model::Principal& who, const model::Scope& scope) {
    if (!scope.agent_id.empty()) TRY(rules::may_use_agent(who, scope.agent_id));
    if (!scope.session_id.empty()) {
        TRY_ASSIGN(const std::optional<model::Session> session, reading.sessions().find(scope.session_id));
        if (session && session->user_id == scope.user_id) return may_use_session(reading, who, *session);
        if (!session) return rules::may_use_session(who, scope.session_id, scope.user_id, scope.agent_id);
    }
    if (rules::is_confined(who)) return rules::may_use_session(who, {}, scope.user_id, scope.agent_id);
    // A session of another user says nothing about who may read.
    std::string user = scope.user_id;
    TRY(rules::may_see_of(who, user));
    if (user != scope.user_id) return base::error(Code::forbidden, "this is another user's");
    return {};
}

base::Result<void> narrow_to_session(ports::Reading& reading, const model::Principal& who, const std::string& id,
                                     std::string& user_id) {
    TRY_ASSIGN(const std::optional<model::Session> session, reading.sessions().find(id));
    if (!session) return base::error(Code::not_found, "there is no such session", "session");
    TRY(may_use_session(reading, who, *session));
    std::string everyone;
    const bool sees_all = rules::may_see_of(who, everyone).ok() && everyone.empty();
    if (sees_all) return {};
    if (!user_id.empty() && user_id != session->user_id) {
        return base::error(Code::forbidden, "this session is another user's", "user");
    }
    user_id = session->user_id;
    return {};
}

base::Result<model::Notification> find_notification(ports::Reading& reading, const model::Principal& who,
                                                    const std::string& session_id, const std::string& key) {
    if (const auto handle = model::parse_handle(key)) return find_handle(reading, who, session_id, *handle);
    if (const auto id = base::parse_uuid(key)) return find_id(reading, who, session_id, *id);
    return no_such_notification();
}

}  // namespace belfry::view
