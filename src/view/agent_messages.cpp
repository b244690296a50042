#include <string>

#include "rules/may.hpp"
#include "view/answers.hpp"
#include "view/ask.hpp"
#include "view/page.hpp"

namespace belfry::view {
namespace {

using base::Code;
template <class T>
using List = base::Result<std::vector<T>>;

base::Error no_such_agent() {
    return base::error(Code::not_found, "there is no such agent", "agent_id");
}

// The session that a thread is of; empty: it is a run's, or any.
std::string session_of(const std::string& agent_id, const std::string& thread_id) {
    const std::string prefix = agent_id + ":session:";
    return thread_id.starts_with(prefix) ? thread_id.substr(prefix.size()) : std::string();
}

base::Result<void> may_read(ports::Reading& reading, const model::Principal& who, const std::string& agent_id,
                            const std::string& thread_id) {
    TRY_ASSIGN(const std::optional<model::AgentRecord> agent, reading.agents().find(agent_id));
    if (!agent) return no_such_agent();
    const std::string session = session_of(agent_id, thread_id);
    const bool may = rules::may_use_session(who, session, agent->agent.user_id, agent_id).ok();
    return may ? base::Result<void>{} : base::Result<void>(no_such_agent());
}

List<model::AgentMessage> list_messages(ports::Reading& reading, const model::Principal& who,
                                        ports::AgentMessageFilter& filter) {
    TRY(may_read(reading, who, filter.agent_id, filter.thread_id));
    return read_page<model::AgentMessage>(
        filter.limit,
        [&](std::size_t wanted, const std::vector<model::AgentMessage>& before) {
            filter.limit = wanted;
            if (!before.empty()) filter.after = before.back().id;
            return reading.agent_messages().list(filter);
        },
        [](const model::AgentMessage& one) {
            return one.content.bytes().size() + one.metadata.extension.bytes().size();
        });
}

base::Result<model::AgentMessage> find_message(ports::Reading& reading, const model::Principal& who,
                                               const std::string& agent_id, const base::Uuid& id) {
    TRY_ASSIGN(std::optional<model::AgentMessage> found, reading.agent_messages().find(id));
    if (!found || found->agent_id != agent_id) {
        TRY(may_read(reading, who, agent_id, {}));
        return base::error(Code::not_found, "this agent has no such message", "id");
    }
    TRY(may_read(reading, who, agent_id, found->thread_id));
    return std::move(*found);
}

List<model::PlanNow> list_plans(ports::Reading& reading, const model::Principal& who, model::WakeId id) {
    TRY_ASSIGN(const std::optional<model::Wake> wake, reading.agents().wake(id));
    if (!wake || !rules::may_use_session(who, wake->session_id, wake->user_id, wake->agent_id).ok()) {
        return base::error(Code::not_found, "there is no such wake", "id");
    }
    return reading.agent_messages().plans(wake->run_key);
}

}  // namespace

void Answers::agent_messages(const model::Principal& who, ports::AgentMessageFilter filter,
                             std::function<void(List<model::AgentMessage>)> done) {
    ask<std::vector<model::AgentMessage>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable {
            return list_messages(reading, who, filter);
        },
        std::move(done));
}

void Answers::agent_message(const model::Principal& who, std::string_view agent_id, const base::Uuid& id,
                            std::function<void(base::Result<model::AgentMessage>)> done) {
    ask<model::AgentMessage>(
        beside_,
        [who, agent_id = std::string(agent_id), id](ports::Reading& reading) {
            return find_message(reading, who, agent_id, id);
        },
        std::move(done));
}

void Answers::wake_plans(const model::Principal& who, model::WakeId id,
                         std::function<void(List<model::PlanNow>)> done) {
    ask<std::vector<model::PlanNow>>(
        beside_, [who, id](ports::Reading& reading) { return list_plans(reading, who, id); }, std::move(done));
}

}  // namespace belfry::view
