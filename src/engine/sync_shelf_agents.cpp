#include <utility>

#include "engine/rule_changes.hpp"
#include "engine/sync_shelf.hpp"
#include "rules/agent_tombstone.hpp"
#include "rules/sync_bodies.hpp"

// How agents, and what wakes them, are put where they belong.
namespace belfry::engine {
namespace {

using model::AgentLifecycle;
using model::AgentRecord;
using model::SyncRecord;

bool is_destroyed(const AgentRecord* agent) {
    return agent != nullptr && agent->agent.lifecycle == AgentLifecycle::destroyed;
}

}  // namespace

// Devices are told of in any order: what belongs to an agent may come before it.
base::Result<AgentRecord> SyncShelf::agent_of(const std::string& id, const std::string& user_id, Unit& unit) {
    TRY_ASSIGN(const AgentRecord* const there, parts_.agents.find(id, unit));
    if (there != nullptr) return *there;
    AgentRecord record;
    record.agent.id = id;
    record.agent.user_id = user_id;
    record.agent.display_name = id;
    record.agent.created_at = unit.now;
    record.state.agent_id = id;
    record.runtime.agent_id = id;
    record.runtime.updated_at = unit.now;
    return record;
}

base::Result<AgentRecord*> SyncShelf::place_agent(const std::string& id, const std::string& user_id, Unit& unit) {
    TRY_ASSIGN(AgentRecord* const there, parts_.agents.find(id, unit));
    if (there != nullptr) return there;
    TRY_ASSIGN(AgentRecord made, agent_of(id, user_id, unit));
    return &parts_.agents.put_synced(std::move(made));
}

base::Result<SyncShelf::Tokens> SyncShelf::put_agent(const SyncRecord& record, Unit& unit) {
    TRY_ASSIGN(AgentRecord now, agent_of(record.id, record.user_id, unit));
    TRY(rules::read_agent_body(record.body.view(), now.agent));
    now.agent.updated_at = unit.now;
    now.state.id = now.agent.state_id;
    const AgentRecord& put = parts_.agents.put_synced(std::move(now));
    parts_.wakes.agent_changed(put);
    return agent_tokens(put.agent);
}

base::Result<SyncShelf::Tokens> SyncShelf::put_state(const SyncRecord& record, Unit& unit) {
    TRY_ASSIGN(const AgentRecord* const there, parts_.agents.find(record.id, unit));
    if (there == nullptr && rules::is_agent_tombstone(record)) {
        TRY(put_plain(record, unit));
        return Tokens{};
    }
    TRY_ASSIGN(AgentRecord now, agent_of(record.id, record.user_id, unit));
    const AgentLifecycle before = now.agent.lifecycle;
    TRY(rules::read_agent_state_body(record.body.view(), now.agent, now.state));
    now.state.agent_id = record.id;
    ++now.state.revision;
    now.state.updated_at = unit.now;
    // Somebody says that it may work again: what failed before does not count any more.
    const bool may_again = before == AgentLifecycle::dormant && now.agent.lifecycle == AgentLifecycle::active;
    if (may_again) now.runtime.failure_streak = 0;
    const bool dies = before != AgentLifecycle::destroyed && is_destroyed(&now);
    if (dies) now.next_timer_at.reset();
    if (dies && there != nullptr) destroyed_.push_back({record.id, now.agent.destroyed_at.value_or(unit.now)});
    AgentRecord& put = parts_.agents.put_synced(std::move(now));
    Tokens tokens = agent_state_tokens(put);
    if (dies) {
        TRY(bury_rules(put.agent, parts_.changes, unit));
        TRY(parts_.timers.agent_destroyed(put.agent.id, unit));
        TRY(parts_.wakes.agent_destroyed(put, model::house_principal(), unit));
        return tokens;
    }
    parts_.wakes.agent_changed(put);
    parts_.wakes.sleep_changed(put);
    return tokens;
}

// One that is deleted, or whose agent is destroyed, wakes nobody: it is kept to be told on.
base::Result<void> SyncShelf::put_rule(const SyncRecord& record, Unit& unit) {
    model::WakeSubscription rule;
    TRY(rules::read_subscription_body(record.body.view(), rule));
    rule.id = {base::parse_uuid(record.id).value_or(base::Uuid{})};
    rule.updated_at = unit.now;
    TRY_ASSIGN(const AgentRecord* const agent, place_agent(rule.agent_id, record.user_id, unit));
    if (rules::is_deleted(record.body.view()) || is_destroyed(agent)) {
        TRY(put_plain(record, unit));
        TRY(unit.store.agents().remove_subscription(rule.id));
        return parts_.wakes.unsubscribed(rule.id, unit);
    }
    TRY(unit.store.agents().put_subscription(rule));
    return parts_.wakes.subscribed(rule, agent->agent.user_id, unit);
}

base::Result<void> SyncShelf::put_timer(const SyncRecord& record, Unit& unit) {
    model::AgentTimer timer;
    const model::TimerId id{base::parse_uuid(record.id).value_or(base::Uuid{})};
    TRY_ASSIGN(const auto there, unit.store.timers().find(id));
    if (there) timer = *there;
    TRY(rules::read_timer_body(record.body.view(), timer));
    timer.id = id;
    timer.user_id = record.user_id;
    if (rules::is_deleted(record.body.view())) {
        TRY(put_plain(record, unit));
        return parts_.timers.take_removal(id, unit);
    }
    TRY_ASSIGN(AgentRecord* const agent, place_agent(timer.agent_id, record.user_id, unit));
    (void)agent;
    return parts_.timers.take(std::move(timer), there ? &*there : nullptr, unit);
}

}  // namespace belfry::engine
