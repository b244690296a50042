#include "rules/may_wake.hpp"

#include <string>

#include "base/uuid.hpp"
#include "rules/due.hpp"
#include "rules/may.hpp"

namespace belfry::rules {

using model::Role;

namespace {

// Versions 4 and 7 have enough random bits that no other party chooses the same id.
bool is_random_uuid(std::string_view text) {
    const auto uuid = base::parse_uuid(text);
    if (!uuid) return false;
    const int version = uuid->bytes[6] >> 4;
    return version == 4 || version == 7;
}

// True if this is an agent of the principal; an empty id is of no agent.
bool is_own(const model::Principal& who, std::string_view agent_id) {
    return who.works_as.empty() ? may_use_agent(who, agent_id).ok() : agent_id == who.works_as;
}

}  // namespace

base::Result<void> may_work_for(const model::Principal& who, std::string_view user_id, std::string_view agent_id) {
    return may_use_session(who, {}, user_id, agent_id);
}

bool works_in(const model::AgentRecord& agent, const model::Session& session) {
    return agent.runtime.run_status == model::AgentRunStatus::running &&
           agent.runtime.active_session_id == session.id && agent.agent.user_id == session.user_id;
}

bool is_visitor(const model::Principal& who, const model::Session& session) {
    return !session.agent_id.empty() && is_guest(who, session);
}

bool is_guest(const model::Principal& who, const model::Session& session) {
    return !is_own(who, session.agent_id);
}

bool is_for_another(const model::Principal& who, const model::Session& session, const model::Scope& scope) {
    if (scope.agent_id.empty() || is_own(who, scope.agent_id)) return false;
    return is_guest(who, session);
}

std::string only_agent(const model::Principal& who, const model::Session& session) {
    if (!is_guest(who, session)) return {};
    if (!who.works_as.empty()) return who.works_as;
    return who.bounds.agents.size() == 1 ? who.bounds.agents.front() : std::string();
}

bool works_beside(const model::Principal& who, const model::Session& session, base::Timestamp now) {
    if (!is_guest(who, session)) return false;
    if (!session.agent_id.empty()) return true;
    const model::Progress& progress = session.progress;
    const bool runs = (progress.in_turn || progress.turn_pulled) && heard_until(progress, now) > now;
    return runs && !progress.turn_by.empty() && progress.turn_by != who.id;
}

std::vector<std::string> agents_of(const model::Principal& who) {
    return who.works_as.empty() ? who.bounds.agents : std::vector{who.works_as};
}

const std::string& agent_to_wake(const model::Session& session) {
    return session.agent_id.empty() ? session.progress.guest_agent : session.agent_id;
}

std::string agent_at_work(const model::Principal& who, const model::Session& session) {
    return session.agent_id.empty() ? only_agent(who, session)
           : is_guest(who, session) ? std::string()
                                    : session.agent_id;
}

base::Result<void> may_make_session(const model::Principal& who, std::string_view session_id,
                                    std::string_view agent_id) {
    if (!is_confined(who)) return {};
    TRY(may_use_agent(who, agent_id));
    const std::string prefix = std::string(agent_id) + ':';
    // Ids of agents may contain colons: `fixer:ci:x` is a session of the agent `fixer:ci`.
    const bool is_prefixed =
        session_id.starts_with(prefix) && session_id.find(':', prefix.size()) == std::string_view::npos;
    // `agent:ID` and `wake:NUMBER` are sessions that Belfry makes for agents without a conversation.
    const bool is_reserved = agent_id == "agent" || agent_id == "wake";
    if ((is_prefixed && !is_reserved) || is_random_uuid(session_id)) return {};
    return base::error(base::Code::forbidden,
                       "there is no such session, and this token is bound to agents: it makes only sessions whose id "
                       "is \"" +
                           prefix + "\" and a name without a colon, or a random UUID",
                       "session_id");
}

base::Result<void> may_wake(const model::Principal& who, const model::Agent& agent, const WakePlace& place) {
    TRY(may_use_session(who, place.session_id, agent.user_id, agent.id));
    if (!place.session_id.empty()) TRY(may_use_agent(who, place.session_agent));
    if (place.is_named || may_name_user(who).ok()) return {};
    return base::error(base::Code::forbidden, "this token is bound to a session of which nobody has said whose it is",
                       "session_id");
}

base::Result<void> may_name_user(const model::Principal& who) {
    const bool is_a_persons = who.role == Role::admin || who.role == Role::user || !who.bounds.users.empty();
    if (is_a_persons || who.bounds.sessions.empty()) return {};
    return base::error(base::Code::forbidden,
                       "this token is bound to sessions and to no user: it cannot say whose a session is", "user_id");
}

}  // namespace belfry::rules
