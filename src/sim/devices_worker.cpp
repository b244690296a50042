#include "sim/devices_worker.hpp"

#include "ports/commands/agent_messages.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/outside_calls.hpp"
#include "ports/commands/tools.hpp"
#include "ports/commands/wakes.hpp"
#include "rules/effect_id.hpp"
#include "sim/devices_cast.hpp"

namespace belfry::sim {
namespace {

constexpr const char* mail = "mail";

model::PlannedAction action_of(const char* tool, std::string arguments) {
    model::PlannedAction action;
    action.tool_name = tool;
    action.arguments = model::RawJson::trusted(std::move(arguments));
    return action;
}

template <class C>
std::unique_ptr<C> under(const model::Wake& wake) {
    auto command = std::make_unique<C>();
    command->id = wake.id;
    command->fence = wake.fence;
    return command;
}

}  // namespace

void DevicesWorker::register_tools(DeviceNode& device) {
    auto command = std::make_unique<ports::PutTool>();
    command->tool.name = mail;
    command->tool.capabilities = {model::own_capability_of(mail)};
    command->tool.execution.by = model::ToolRunner::worker;
    (void)device.ask(std::move(command));
}

bool DevicesWorker::work(DeviceNode& device) {
    if (!held_) return claim(device);
    if (!held_->is_planned) plan(device);
    else if (held_->done < held_->actions.size()) call(device);
    else if (!held_->has_thought) think(device);
    else end(device);
    return true;
}

bool DevicesWorker::claim(DeviceNode& device) {
    auto command = std::make_unique<ports::ClaimWake>();
    for (const char* const agent : DevicesCast::worker_agents) command->agents.emplace_back(agent);
    command->holder = device.name();
    command->lease = base::minutes(10);
    const auto told = device.ask(std::move(command));
    if (!told || !told->ok() || !(*told)->grant) return false;
    Held held{(*told)->grant->wake, {}, false, 0, false};
    held_ = std::move(held);
    return true;
}

// The same on every device that goes through this run.
void DevicesWorker::plan(DeviceNode& device) {
    auto command = under<ports::StorePlan>(held_->wake);
    const std::string title = title_of(held_->wake);
    command->actions.push_back(action_of("create_task", R"({"title":")" + title + R"(","categoryId":"gym"})"));
    const char kind = held_->wake.run_key.front();
    if (kind < '6') command->actions.push_back(action_of(mail, R"({"to":"bob"})"));
    if (kind > 'a') command->actions.push_back(action_of("notify_user", R"({"text":"done"})"));
    const auto stored = device.ask(std::move(command));
    if (stored && stored->ok()) {
        held_->actions = (*stored)->plan.plan.actions;
        held_->is_planned = true;
    } else if (stored) {
        held_.reset();
    }
}

void DevicesWorker::call(DeviceNode& device) {
    const model::PlannedAction action = held_->actions[held_->done];
    auto command = under<ports::CallTool>(held_->wake);
    command->operation_id = action.operation_id;
    const auto called = device.ask(std::move(command));
    if (!called) return;
    if (!called->ok()) return held_.reset();
    if ((*called)->waits_for) return carry_out(device, action);
    const bool is_done = (*called)->result->metadata.status == model::ToolStatus::success;
    if (is_done && action.tool_name == "create_task") {
        witness_.ran(device.number(), held_->wake.run_key, title_of(held_->wake), (*called)->is_new);
    }
    ++held_->done;
}

// Who carries out mails does not know who has woken whom: he goes by the key that comes along.
void DevicesWorker::carry_out(DeviceNode& device, const model::PlannedAction& action) {
    auto command = std::make_unique<ports::ClaimOutsideCall>();
    command->tools = {mail};
    command->holder = device.name();
    const auto told = device.ask(std::move(command));
    if (!told || !told->ok() || !(*told)->call) return;
    const model::OutsideCall& call = *(*told)->call;
    const base::Uuid key = rules::outside_call_key(call.agent_id, call.operation_id);
    if (call.operation_id == action.operation_id) witness_.mailed(held_->wake.run_key, base::format_uuid(key));
    auto end = std::make_unique<ports::EndOutsideCall>();
    end->id = call.id;
    end->fence = call.fence;
    end->result = model::RawJson::trusted(R"({"sent":true})");
    (void)device.ask(std::move(end));
}

void DevicesWorker::think(DeviceNode& device) {
    auto command = under<ports::AppendAgentMessages>(held_->wake);
    model::AgentMessage thought;
    thought.kind = model::AgentMessageKind::thought;
    // Some are so long that they lie apart.
    const std::size_t length = random_.one_in(10) ? 5'000 : 5 + random_.below(60);
    thought.content = model::RawJson::trusted('"' + std::string(length, 'x') + '"');
    command->drafts.push_back(std::move(thought));
    const auto told = device.ask(std::move(command));
    if (!told) return;
    if (!told->ok()) return held_.reset();
    witness_.remembered(device.number(), (*told)->messages.front().id, held_->wake.agent_id);
    held_->has_thought = true;
}

void DevicesWorker::end(DeviceNode& device) {
    auto command = under<ports::EndWake>(held_->wake);
    if (random_.one_in(6)) command->next_wake_at = std::optional(device.now() + base::minutes(3));
    const auto ended = device.ask(std::move(command));
    if (ended) held_.reset();
}

}  // namespace belfry::sim
