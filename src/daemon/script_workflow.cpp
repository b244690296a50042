#include "daemon/script_workflow.hpp"

#include "daemon/turn_variables.hpp"
#include "rules/house_tool.hpp"
#include "text/script.hpp"

namespace belfry::daemon {

bool was_heard(std::span<const model::PlanNow> rounds) {
    for (const model::PlanNow& round : rounds) {
        for (std::size_t i = 0; i < round.plan.actions.size(); ++i) {
            const auto tool = rules::parse_house_tool(round.plan.actions[i].tool_name);
            const auto& result = round.progress[i].result;
            const bool went_well = result && result->metadata.status == model::ToolStatus::success;
            if (tool && rules::is_heard(*tool) && went_well) return true;
        }
    }
    return false;
}

model::RawJson rounds_result(std::span<const model::PlanNow> rounds) {
    long long actions = 0;
    for (const model::PlanNow& round : rounds) actions += static_cast<long long>(round.plan.actions.size());
    std::string result;
    model::JsonWriter(result).begin_object().field("actions", actions).end_object();
    return model::RawJson::trusted(std::move(result));
}

base::Result<ports::TurnEnd> ScriptWorkflow::run(ports::Turn& turn) {
    if (turn.rounds().empty()) {
        const model::Agent& agent = turn.grant().agent.agent;
        TRY_ASSIGN(const text::Script script, text::Script::compile(agent.workflow_settings.view()));
        auto calls = script.calls(turn_variables(turn));
        if (!calls.ok()) return ports::TurnEnd{.error = model::RunError{"template", calls.error().message}};
        std::vector<model::PlannedAction> actions;
        for (text::Script::Call& call : *calls) {
            model::PlannedAction& action = actions.emplace_back();
            action.tool_name = std::move(call.tool);
            action.arguments = std::move(call.arguments);
        }
        if (!actions.empty()) TRY(turn.plan(std::move(actions)));
    }
    TRY(turn.act());
    ports::TurnEnd end;
    end.result = rounds_result(turn.rounds());
    end.all_heard = was_heard(turn.rounds());
    end.all_decided = true;
    return end;
}

}  // namespace belfry::daemon
