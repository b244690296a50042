#include <set>
#include <span>
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

base::Result<model::AgentRecord> find_agent(ports::Reading& reading, const model::Principal& who,
                                            const std::string& id) {
    TRY_ASSIGN(std::optional<model::AgentRecord> found, reading.agents().find(id));
    if (!found || !rules::may_set_for(who, found->agent.user_id).ok()) {
        return base::error(Code::not_found, "there is no such agent", "agent_id");
    }
    return std::move(*found);
}

// An agent whose wake waits is `queued`. Nothing of it is stored with the agent: the wakes say it.
base::Result<void> mark_queued(ports::Reading& reading, std::span<model::AgentRecord> agents) {
    if (agents.empty()) return {};
    TRY_ASSIGN(const std::set<std::string> queued,
               reading.agents().queued(agents.front().agent.id, agents.back().agent.id));
    for (model::AgentRecord& one : agents) {
        const bool is_idle = one.runtime.run_status == model::AgentRunStatus::idle;
        if (is_idle && queued.contains(one.agent.id)) one.runtime.run_status = model::AgentRunStatus::queued;
    }
    return {};
}

base::Result<model::Wake> find_wake(ports::Reading& reading, const model::Principal& who, model::WakeId id) {
    TRY_ASSIGN(std::optional<model::Wake> found, reading.agents().wake(id));
    if (!found || !rules::may_use_session(who, found->session_id, found->user_id, found->agent_id).ok()) {
        return base::error(Code::not_found, "there is no such wake", "id");
    }
    return std::move(*found);
}

std::size_t bytes_of(const model::AgentRecord& one) {
    std::size_t bytes = one.agent.config.extension.bytes().size() + one.agent.workflow_settings.bytes().size() +
                        one.state.slots.extension.bytes().size();
    for (const auto& [key, value] : one.state.slots.preferences) bytes += key.size() + value.size();
    return bytes;
}

List<model::AgentRecord> list_agents(ports::Reading& reading, const model::Principal& who, ports::AgentFilter& filter) {
    TRY(rules::may_see_of(who, filter.user_id));
    TRY_ASSIGN(std::vector<model::AgentRecord> page,
               read_page<model::AgentRecord>(
                   filter.limit,
                   [&](std::size_t wanted, const std::vector<model::AgentRecord>& before) {
                       filter.limit = wanted;
                       if (!before.empty()) filter.after = before.back().agent.id;
                       return reading.agents().list(filter);
                   },
                   bytes_of));
    TRY(mark_queued(reading, page));
    return page;
}

List<model::WakeSubscription> list_subscriptions(ports::Reading& reading, const model::Principal& who,
                                                 const std::string& agent_id, const model::SubscriptionId& after,
                                                 std::size_t limit) {
    TRY(find_agent(reading, who, agent_id));
    TRY_ASSIGN(std::vector<model::WakeSubscription> found, reading.agents().subscriptions(agent_id));
    std::erase_if(found, [&](const model::WakeSubscription& one) { return one.id <= after; });
    if (found.size() > limit) found.erase(found.begin() + static_cast<std::ptrdiff_t>(limit), found.end());
    return found;
}

List<model::Wake> list_wakes(ports::Reading& reading, const model::Principal& who, ports::WakeFilter& filter) {
    TRY(rules::may_see_wakes(who, filter.user_id, filter.agent_id));
    return read_page<model::Wake>(
        filter.limit,
        [&](std::size_t wanted, const std::vector<model::Wake>& before) {
            filter.limit = wanted;
            if (!before.empty()) filter.after = before.back().id;
            return reading.agents().wakes(filter);
        },
        [](const model::Wake& one) { return one.input.bytes().size(); });
}

List<model::WakeSignal> list_signals(ports::Reading& reading, const model::Principal& who, model::WakeId id,
                                     std::int64_t after, std::size_t limit) {
    TRY(find_wake(reading, who, id));
    return read_page<model::WakeSignal>(
        limit,
        [&](std::size_t wanted, const std::vector<model::WakeSignal>& before) {
            return reading.agents().signals(id, before.empty() ? after : before.back().ordinal, wanted);
        },
        [](const model::WakeSignal& one) { return one.body.bytes().size(); });
}

}  // namespace

void Answers::agent(const model::Principal& who, std::string_view id,
                    std::function<void(base::Result<model::AgentRecord>)> done) {
    ask<model::AgentRecord>(
        beside_,
        [who, id = std::string(id)](ports::Reading& reading) -> base::Result<model::AgentRecord> {
            TRY_ASSIGN(model::AgentRecord agent, find_agent(reading, who, id));
            TRY(mark_queued(reading, std::span(&agent, 1)));
            return agent;
        },
        std::move(done));
}

void Answers::agents(const model::Principal& who, ports::AgentFilter filter,
                     std::function<void(List<model::AgentRecord>)> done) {
    ask<std::vector<model::AgentRecord>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable {
            return list_agents(reading, who, filter);
        },
        std::move(done));
}

void Answers::wake_subscriptions(const model::Principal& who, std::string_view agent_id,
                                 const model::SubscriptionId& after, std::size_t limit,
                                 std::function<void(List<model::WakeSubscription>)> done) {
    ask<std::vector<model::WakeSubscription>>(
        beside_,
        [who, agent_id = std::string(agent_id), after, limit](ports::Reading& reading) {
            return list_subscriptions(reading, who, agent_id, after, limit);
        },
        std::move(done));
}

void Answers::wake(const model::Principal& who, model::WakeId id, std::function<void(base::Result<model::Wake>)> done) {
    ask<model::Wake>(
        beside_, [who, id](ports::Reading& reading) { return find_wake(reading, who, id); }, std::move(done));
}

void Answers::wakes(const model::Principal& who, ports::WakeFilter filter,
                    std::function<void(List<model::Wake>)> done) {
    ask<std::vector<model::Wake>>(
        beside_,
        [who, filter = std::move(filter)](ports::Reading& reading) mutable { return list_wakes(reading, who, filter); },
        std::move(done));
}

void Answers::wake_signals(const model::Principal& who, model::WakeId id, std::int64_t after, std::size_t limit,
                           std::function<void(List<model::WakeSignal>)> done) {
    ask<std::vector<model::WakeSignal>>(
        beside_,
        [who, id, after, limit](ports::Reading& reading) { return list_signals(reading, who, id, after, limit); },
        std::move(done));
}

}  // namespace belfry::view
