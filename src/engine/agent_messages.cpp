#include "engine/agent_messages.hpp"

#include <utility>

#include "base/message_limits.hpp"
#include "engine/fold_pointers.hpp"
#include "engine/message_batch.hpp"
#include "rules/agent_message.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;

// Where in the request it stands.
base::Error at_draft(base::Error error, std::size_t index) {
    const std::string place = "messages[" + std::to_string(index) + "]";
    error.field = error.field.empty() ? place : place + "." + error.field;
    return error;
}

base::Result<void> check_count(std::size_t count) {
    if (count == 0) return base::error(Code::invalid, "must not be empty", "messages");
    if (count <= limits::agent_messages_batch_max) return {};
    return base::error(Code::too_large,
                       "has more than " + std::to_string(limits::agent_messages_batch_max) + " entries", "messages");
}

}  // namespace

std::vector<std::type_index> AgentMessages::handles() const {
    return {typeid(ports::AppendAgentMessages), typeid(ports::StorePlan)};
}

base::Result<void> AgentMessages::rebuild(Unit&) {
    dropped();
    return {};
}

base::Result<void> AgentMessages::apply(ports::Command& command, Unit& unit) {
    if (auto* wish = dynamic_cast<ports::AppendAgentMessages*>(&command)) return append(*wish, unit);
    return store_plan(static_cast<ports::StorePlan&>(command), unit);
}

base::Result<void> AgentMessages::append(ports::AppendAgentMessages& command, Unit& unit) {
    TRY_ASSIGN(Wakes::Found wake, wakes_.claimed(command.principal, command.id, command.fence, unit));
    auto may = wake.ok() ? check_count(command.drafts.size()) : base::Result<void>(wake.error());
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY_ASSIGN(model::AgentRecord* const agent, agents_.find(wake->agent_id, unit));
    ASSERT(agent != nullptr);
    MessageBatch batch(*agent, *wake);
    for (std::size_t i = 0; i < command.drafts.size(); ++i) {
        // What its person says comes from him.
        if (command.drafts[i].kind == model::AgentMessageKind::user) {
            command.refuse(at_draft(base::error(Code::forbidden, "a worker does not speak for its person", "kind"), i));
            return {};
        }
        TRY_ASSIGN(auto taken, batch.take(command.drafts[i], unit));
        if (taken.ok()) continue;
        command.refuse(at_draft(std::move(taken).error(), i));
        return {};
    }
    TRY_ASSIGN(const model::ChangeOrigin origin, wakes_.origin_of(*wake, unit));
    TRY(log_.append(*agent, wake->thread_id, batch.staged(), origin, unit));
    for (const model::AgentMessage& message : batch.staged()) {
        if (message.kind != model::AgentMessageKind::summary) continue;
        TRY(place_own_summary(message, *agent, unit));
        log_.note_summary(agent->agent.id);
    }
    command.settle(ports::AppendedMessages{batch.taken(), batch.staged().size()});
    return {};
}

base::Result<void> AgentMessages::store_plan(ports::StorePlan& command, Unit& unit) {
    TRY_ASSIGN(Wakes::Found wake, wakes_.claimed(command.principal, command.id, command.fence, unit));
    if (!wake.ok()) {
        command.refuse(std::move(wake).error());
        return {};
    }
    TRY_ASSIGN(std::vector<model::AgentPlan> rounds, unit.store.agent_messages().plans(wake->run_key));
    const auto stored = static_cast<std::int64_t>(rounds.size());
    if (command.round <= stored) {
        model::AgentPlan& there = rounds[static_cast<std::size_t>(command.round - 1)];
        TRY_ASSIGN(model::PlanNow now, AgentLog::progress_of(std::move(there), unit));
        command.settle(ports::StoredPlan{std::move(now), false});
        return {};
    }
    std::int64_t actions_before = 0;
    for (const model::AgentPlan& round : rounds) actions_before += static_cast<std::int64_t>(round.actions.size());
    model::AgentPlan plan{wake->run_key, command.round, wake->agent_id, wake->id, unit.now, command.actions};
    auto may = rules::check_plan(plan.actions, plan.run_key, actions_before);
    if (may.ok() && command.round != stored + 1) {
        may = base::error(Code::conflict, "the next round of this run is " + std::to_string(stored + 1), "round",
                          "round");
    }
    if (!may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY(make_way(plan, unit));
    TRY_ASSIGN(plan.given, wakes_.given_to(*wake, unit));
    TRY(unit.store.agent_messages().add_plan(plan));
    TRY_ASSIGN(model::PlanNow now, AgentLog::progress_of(std::move(plan), unit));
    command.settle(ports::StoredPlan{std::move(now), true});
    return {};
}

base::Result<void> AgentMessages::make_way(model::AgentPlan& plan, Unit& unit) {
    for (model::PlannedAction& action : plan.actions) {
        TRY_ASSIGN(const auto there, unit.store.agent_messages().find_action(plan.agent_id, action.operation_id));
        const bool is_another = there && (there->action->tool_name != action.tool_name ||
                                          there->action->arguments_hash != action.arguments_hash);
        if (is_another) action.operation_id = rules::other_operation_id(action.operation_id, action.arguments_hash);
    }
    return {};
}

}  // namespace belfry::engine
