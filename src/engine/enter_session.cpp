#include "engine/enter_session.hpp"

#include "base/limits.hpp"
#include "rules/admit.hpp"
#include "rules/awareness.hpp"
#include "rules/may.hpp"
#include "rules/may_wake.hpp"

namespace belfry::engine {

using base::Code;
namespace limits = base::limits;

base::Result<std::string> agent_in_session(const model::Principal& who, const model::Session& session, Unit& unit) {
    if (rules::may_use_agent(who, session.agent_id).ok()) return session.agent_id;
    TRY_ASSIGN(const std::vector<model::AgentRecord> agents, unit.store.agents().find(who.bounds.agents));
    for (const model::AgentRecord& agent : agents) {
        if (rules::works_in(agent, session)) return agent.agent.id;
    }
    return std::string();
}

base::Result<model::RunId> run_in_session(const model::Principal& who, const model::Session& session, Unit& unit) {
    TRY_ASSIGN(const std::vector<model::AgentRecord> agents, unit.store.agents().find(who.bounds.agents));
    for (const model::AgentRecord& agent : agents) {
        if (rules::works_in(agent, session)) return agent.runtime.active_run_id;
    }
    return model::RunId{0};
}

base::Result<base::Result<void>> check_use(SessionBook& book, const model::Principal& who,
                                           const std::string& session_id, const std::string& user_id, Unit& unit) {
    TRY_ASSIGN(const model::Session* const session, book.find(session_id, unit));
    std::string agent;
    if (session != nullptr) {
        TRY_ASSIGN(agent, agent_in_session(who, *session, unit));
    }
    return rules::may_use_session(who, session_id, user_id, agent);
}

base::Result<base::Result<model::Session*>> enter_session(SessionBook& book, const std::string& owner,
                                                          const model::Principal& who, const std::string& id,
                                                          Unit& unit) {
    using Entered = base::Result<model::Session*>;
    if (id.empty() || id.size() > limits::scope_id_bytes_max) {
        return Entered(base::error(
            Code::invalid, "a session's id has 1 to " + std::to_string(limits::scope_id_bytes_max) + " bytes", "id"));
    }
    if (auto checked = rules::check_scope_id(id, "id"); !checked.ok()) return Entered(std::move(checked).error());
    TRY_ASSIGN(model::Session * session, book.find(id, unit));
    const std::string user = session != nullptr ? session->user_id : rules::default_user(who, owner);
    std::string agent = who.bounds.agents.size() == 1 ? who.bounds.agents.front() : std::string();
    if (session != nullptr) {
        TRY_ASSIGN(agent, agent_in_session(who, *session, unit));
    }
    if (auto allowed = rules::may_use_session(who, id, user, agent); !allowed.ok()) {
        return Entered(std::move(allowed).error());
    }
    if (session != nullptr && session->deleted_at) return Entered(base::error(Code::gone, "this session was deleted"));
    if (session == nullptr) {
        if (auto may = rules::may_make_session(who, id, agent); !may.ok()) return Entered(std::move(may).error());
        TRY_ASSIGN(session, book.find_or_make(id, user, !rules::proves_user(who), unit));
        session->agent_id = agent;
    } else if (session->user_is_default && rules::proves_user(who)) {
        session->user_is_default = false;
        book.touch(*session);
    }
    return Entered(session);
}

base::Result<base::Result<void>> check_addressing(SessionBook& book, const model::Principal& who,
                                                  const std::string& session_id, Unit& unit) {
    using May = base::Result<void>;
    if (session_id.empty() || !rules::is_confined(who)) return May{};
    TRY_ASSIGN(const model::Session* const session, book.find(session_id, unit));
    if (session != nullptr && rules::may_use_agent(who, session->agent_id).ok()) return May{};
    return May(base::error(Code::forbidden, "this token is bound to agents, and the session belongs to none of them",
                           "session_id"));
}

base::Result<base::Result<void>> check_naming(SessionBook& book, const model::Principal& who,
                                              const std::string& session_id, const std::string& user_id, Unit& unit) {
    using May = base::Result<void>;
    if (session_id.empty() || user_id.empty()) return May{};
    auto may = rules::may_name_user(who);
    if (may.ok()) return may;
    TRY_ASSIGN(const model::Session* const session, book.find(session_id, unit));
    const bool names_nobody_else = session != nullptr && (!session->user_is_default || session->user_id == user_id);
    return names_nobody_else ? May{} : std::move(may);
}

base::Result<void> name_user(SessionBook& book, const model::Principal& who, const std::string& session_id,
                             const std::string& user_id, Unit& unit) {
    if (session_id.empty() || user_id.empty() || !rules::may_name_user(who).ok()) return {};
    TRY_ASSIGN(model::Session* const session, book.find(session_id, unit));
    if (session == nullptr || session->deleted_at || !session->user_is_default) return {};
    TRY_ASSIGN(const std::string agent, agent_in_session(who, *session, unit));
    if (!rules::may_use_session(who, session_id, session->user_id, agent).ok()) return {};
    rules::set_user(*session, user_id);
    session->user_is_default = false;
    book.touch(*session);
    return {};
}

}  // namespace belfry::engine
