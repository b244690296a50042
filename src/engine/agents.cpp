#include "engine/agents.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "engine/agent_tombstone.hpp"
#include "engine/memory_settings.hpp"
#include "engine/rule_changes.hpp"
#include "engine/workflow_settings.hpp"
#include "rules/agent.hpp"
#include "rules/may.hpp"
#include "rules/tool_call.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::AgentLifecycle;

// Whoever may change an agent is its person, or acts for him.
const model::ChangeOrigin by_user{model::ChangeOrigin::Kind::user, {}};

// The agent with the sleep by which this device goes after a correction of its clock, as readers see it.
base::Result<model::AgentRecord> shown(model::AgentRecord agent, Unit& unit) {
    auto* const store = dynamic_cast<ports::ClockStore*>(&unit.store);
    std::optional<base::Timestamp>& sleep = agent.state.sleep_until;
    if (store == nullptr || !sleep) return agent;
    TRY_ASSIGN(sleep, store->clock().moved_sleep(agent.agent.id, *sleep));
    return agent;
}

base::Error no_such_agent() {
    return base::error(Code::not_found, "there is no such agent", "agent_id");
}

// A model agent lets Belfry call an address with a key of its own environment: whose these are says so.
base::Result<void> may_ask_models(const model::Principal& who, const model::Agent& agent) {
    const bool asks_to_work = agent.workflow == model::WorkflowKind::model;
    const bool asks_to_fold = agent.memory.summarizer == model::Summarizer::model || !agent.memory.base_url.empty();
    if ((!asks_to_work && !asks_to_fold) || rules::may_manage_tools(who).ok()) return {};
    return base::error(Code::forbidden, "a model agent needs role admin, or service without bounds",
                       asks_to_work ? "workflow.kind" : "memory.summarizer");
}

// Whether a second creation asks for what is there.
bool is_same_wish(const model::Agent& there, const model::Agent& wanted) {
    return there.kind == wanted.kind && there.display_name == wanted.display_name && there.mode == wanted.mode &&
           there.allowed_category_ids == wanted.allowed_category_ids && there.capabilities == wanted.capabilities &&
           there.tool_policies == wanted.tool_policies && there.config == wanted.config &&
           there.memory == wanted.memory && there.workflow == wanted.workflow &&
           there.workflow_settings == wanted.workflow_settings;
}

void put(model::Agent& agent, const ports::AgentPatch& patch) {
    if (patch.kind) agent.kind = *patch.kind;
    if (patch.display_name) agent.display_name = *patch.display_name;
    if (patch.mode) agent.mode = *patch.mode;
    if (patch.dormant) agent.lifecycle = *patch.dormant ? AgentLifecycle::dormant : AgentLifecycle::active;
    if (patch.allowed_category_ids) agent.allowed_category_ids = *patch.allowed_category_ids;
    if (patch.capabilities) agent.capabilities = *patch.capabilities;
    if (patch.tool_policies) agent.tool_policies = *patch.tool_policies;
    if (patch.config) agent.config = *patch.config;
    if (patch.memory) agent.memory = *patch.memory;
    if (patch.workflow) agent.workflow = *patch.workflow;
    if (patch.workflow_settings) agent.workflow_settings = *patch.workflow_settings;
}

base::Result<void> put(model::AgentState& state, const ports::AgentStatePatch& patch) {
    if (patch.revision && *patch.revision != state.revision) {
        return base::error(Code::conflict, "the state has revision " + std::to_string(state.revision) + " by now",
                           "revision", "stale_revision");
    }
    if (patch.slots) TRY(rules::check_slots(*patch.slots));
    if (patch.slots) state.slots = *patch.slots;
    if (patch.sleep_until) state.sleep_until = *patch.sleep_until;
    if (patch.next_wake_at) state.next_wake_at = *patch.next_wake_at;
    return {};
}

}  // namespace

std::vector<std::type_index> Agents::handles() const {
    return {typeid(ports::CreateAgent),  typeid(ports::ChangeAgent),         typeid(ports::ChangeOwnState),
            typeid(ports::DestroyAgent), typeid(ports::PutWakeSubscription), typeid(ports::DeleteWakeSubscription)};
}

base::Result<void> Agents::rebuild(Unit&) {
    dropped();
    return {};
}

void Agents::committed(Effects&) {
    book_.clear();
}

base::Result<void> Agents::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::CreateAgent*>(&command)) return create(*wish, unit);
    if (auto* wish = dynamic_cast<ports::ChangeAgent*>(&command)) return change(*wish, unit);
    if (auto* wish = dynamic_cast<ports::ChangeOwnState*>(&command)) return change_own(*wish, unit);
    if (auto* wish = dynamic_cast<ports::DestroyAgent*>(&command)) return destroy(*wish, unit);
    if (auto* wish = dynamic_cast<ports::PutWakeSubscription*>(&command)) return subscribe(*wish, unit);
    return unsubscribe(static_cast<ports::DeleteWakeSubscription&>(command), unit);
}

base::Result<Agents::Found> Agents::find(const model::Principal& who, const std::string& id, Unit& unit) {
    TRY_ASSIGN(model::AgentRecord* const record, book_.find(id, unit));
    if (record == nullptr || !rules::may_set_for(who, record->agent.user_id).ok()) return Found(no_such_agent());
    if (record->agent.lifecycle == AgentLifecycle::destroyed) {
        return Found(base::error(Code::gone, "this agent was destroyed", "agent_id"));
    }
    return Found(record);
}

base::Result<void> Agents::check_draft(const model::Principal& who, model::Agent& draft) const {
    if (draft.user_id.empty()) draft.user_id = rules::default_user(who, owner_);
    if (draft.display_name.empty()) draft.display_name = draft.id;
    TRY(rules::may_set_for(who, draft.user_id));
    TRY(rules::check_agent(draft));
    TRY(rules::check_allowed_categories(draft));
    TRY(check_workflow(draft));
    TRY(check_memory_settings(draft));
    return may_ask_models(who, draft);
}

base::Result<base::Result<void>> Agents::check_room(const model::Agent& draft, Unit& unit) {
    using Room = base::Result<void>;
    TRY_ASSIGN(const std::int64_t count, unit.store.agents().count(draft.user_id));
    if (count < static_cast<std::int64_t>(limits::agents_per_user_max)) return Room{};
    return Room(
        base::error(Code::too_large, "a user has at most " + std::to_string(limits::agents_per_user_max) + " agents"));
}

model::AgentRecord& Agents::make(model::Agent draft, Unit& unit) {
    draft.state_id = base::make_uuid7(unit.now, unit.random.next(), unit.random.next());
    draft.updated_at = unit.now;
    model::AgentRecord record;
    record.state.id = draft.state_id;
    record.state.agent_id = draft.id;
    record.state.revision = 1;
    record.state.updated_at = unit.now;
    record.runtime.agent_id = draft.id;
    record.runtime.updated_at = unit.now;
    record.agent = std::move(draft);
    return book_.add(std::move(record), by_user);
}

base::Result<void> Agents::create(ports::CreateAgent& command, Unit& unit) {
    model::Agent draft = command.draft;
    if (!command.names_capabilities) draft.capabilities = rules::profile_of(draft.kind);
    auto may = check_draft(command.principal, draft);
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY_ASSIGN(model::AgentRecord* const there, book_.find(draft.id, unit));
    if (there != nullptr) {
        const bool is_same = there->agent.user_id == draft.user_id && is_same_wish(there->agent, draft) &&
                             there->agent.lifecycle != AgentLifecycle::destroyed;
        TRY_ASSIGN(model::AgentRecord now, shown(*there, unit));
        if (is_same) command.settle(ports::CreatedAgent{std::move(now), false});
        else command.refuse(base::error(Code::conflict, "another agent has this id", "id", "taken"));
        return {};
    }
    TRY_ASSIGN(base::Result<void> room, check_not_buried(draft.id, book_, unit));
    if (room.ok()) {
        TRY_ASSIGN(room, check_room(draft, unit));
    }
    if (!room.ok()) {
        command.refuse(std::move(room).error());
        return {};
    }
    draft.lifecycle = AgentLifecycle::created;
    draft.created_at = unit.now;
    command.settle(ports::CreatedAgent{make(std::move(draft), unit), true});
    return {};
}

base::Result<void> Agents::change(ports::ChangeAgent& command, Unit& unit) {
    TRY_ASSIGN(Found found, find(command.principal, command.agent_id, unit));
    if (!found.ok()) {
        command.refuse(std::move(found).error());
        return {};
    }
    model::AgentRecord tried = **found;
    put(tried.agent, command.patch);
    auto done = rules::check_agent(tried.agent);
    if (done.ok() && command.patch.allowed_category_ids) done = rules::check_allowed_categories(tried.agent);
    if (done.ok()) done = check_workflow(tried.agent);
    if (done.ok()) done = check_memory_settings(tried.agent);
    const bool asks_anew =
        command.patch.workflow || command.patch.workflow_settings || command.patch.config || command.patch.memory;
    if (done.ok() && asks_anew) done = may_ask_models(command.principal, tried.agent);
    if (done.ok()) done = put(tried.state, command.state);
    if (!done.ok()) {
        command.refuse(std::move(done).error());
        return {};
    }
    // Somebody says that it may work again: what failed before does not count any more.
    if (command.patch.dormant == false) tried.runtime.failure_streak = 0;
    tried.agent.updated_at = unit.now;
    **found = std::move(tried);
    book_.touch_state(**found, unit.now, by_user);
    wakes_.agent_changed(**found);
    TRY_ASSIGN(model::AgentRecord now, shown(**found, unit));
    command.settle(std::move(now));
    return {};
}

base::Result<void> Agents::change_own(ports::ChangeOwnState& command, Unit& unit) {
    TRY_ASSIGN(const auto held, wakes_.claimed(command.principal, command.wake_id, command.fence, unit));
    if (!held.ok()) {
        command.refuse(held.error());
        return {};
    }
    TRY_ASSIGN(model::AgentRecord* const record, book_.find(held->agent_id, unit));
    model::AgentState tried = record->state;
    auto done = put(tried, command.state);
    if (!done.ok()) {
        command.refuse(std::move(done).error());
        return {};
    }
    record->state = std::move(tried);
    TRY_ASSIGN(const model::ChangeOrigin origin, wakes_.origin_of(*held, unit));
    book_.touch_state(*record, unit.now, origin);
    wakes_.sleep_changed(*record);
    TRY_ASSIGN(model::AgentRecord now, shown(*record, unit));
    command.settle(std::move(now));
    return {};
}

base::Result<void> Agents::destroy(ports::DestroyAgent& command, Unit& unit) {
    TRY_ASSIGN(Found found, find(command.principal, command.agent_id, unit));
    if (!found.ok()) {
        command.refuse(std::move(found).error());
        return {};
    }
    model::AgentRecord& record = **found;
    record.agent.lifecycle = AgentLifecycle::destroyed;
    record.agent.destroyed_at = unit.now;
    record.agent.updated_at = unit.now;
    record.state.next_wake_at.reset();
    record.next_timer_at.reset();
    book_.touch_state(record, unit.now, by_user);
    TRY(bury_rules(record.agent, log_, unit));
    TRY(timers_.agent_destroyed(record.agent.id, unit));
    TRY(wakes_.agent_destroyed(record, command.principal, unit));
    command.settle(record);
    return {};
}

base::Result<void> Agents::subscribe(ports::PutWakeSubscription& command, Unit& unit) {
    model::WakeSubscription draft = command.draft;
    TRY_ASSIGN(Found found, find(command.principal, draft.agent_id, unit));
    auto may = found.ok() ? rules::check_subscription(draft) : base::Result<void>(found.error());
    if (may.ok() && !rules::takes((*found)->agent.mode, model::WakeReason::subscription)) {
        may = base::error(Code::conflict, "an interactive agent is woken by its person only", "mode", "refused");
    }
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY_ASSIGN(const std::vector<model::WakeSubscription> there, unit.store.agents().subscriptions_of(draft.agent_id));
    const auto same = std::ranges::find_if(there, [&](const auto& one) { return rules::is_same_rule(one, draft); });
    if (same != there.end() && same->active == draft.active) {
        command.settle(*same);
        return {};
    }
    if (same == there.end() && there.size() >= limits::wake_subscriptions_per_agent_max) {
        command.refuse(base::error(
            Code::too_large,
            "an agent has at most " + std::to_string(limits::wake_subscriptions_per_agent_max) + " subscriptions"));
        return {};
    }
    draft.id = same != there.end()
                   ? same->id
                   : model::SubscriptionId{base::make_uuid7(unit.now, unit.random.next(), unit.random.next())};
    draft.created_at = same != there.end() ? same->created_at : unit.now;
    draft.updated_at = unit.now;
    note_rule(same != there.end() ? &*same : nullptr, draft, (*found)->agent.user_id, log_);
    TRY(unit.store.agents().put_subscription(draft));
    TRY(wakes_.subscribed(draft, (*found)->agent.user_id, unit));
    command.settle(std::move(draft));
    return {};
}

base::Result<void> Agents::unsubscribe(ports::DeleteWakeSubscription& command, Unit& unit) {
    TRY_ASSIGN(Found found, find(command.principal, command.agent_id, unit));
    auto may = found.ok() ? base::Result<void>{} : base::Result<void>(found.error());
    std::optional<model::WakeSubscription> there;
    if (may.ok()) {
        TRY_ASSIGN(there, unit.store.agents().find_subscription(command.id));
        if (!there || there->agent_id != command.agent_id) {
            may = base::error(Code::not_found, "this agent has no such subscription", "id");
        }
    }
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY(bury_rule(*there, (*found)->agent.user_id, log_, unit));
    TRY(unit.store.agents().remove_subscription(command.id));
    TRY(wakes_.unsubscribed(command.id, unit));
    command.settle(ports::Nothing{});
    return {};
}

}  // namespace belfry::engine
