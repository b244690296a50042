#include "tools/catalogue.hpp"
#include "tools/day_plans.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const PlannedDay day, find_day_plan(bench, arguments));
    std::vector<model::PlanBlock> blocks;
    for (const Arguments& one : arguments.objects("blocks")) {
        TRY_ASSIGN(model::PlanBlock block, read_block(bench, one, day.plan.plan_date, nullptr));
        blocks.push_back(std::move(block));
    }
    WishOf<model::DayPlan> wish;
    TRY_ASSIGN(const model::DayPlan plan,
               put_day_plan(bench, day, wish.set(&model::DayPlan::blocks, std::move(blocks))));
    return day_plan_answer(plan);
}

}  // namespace

Tool replan_day_blocks() {
    model::ToolContract contract = day_plan_contract(
        "replan_day_blocks", "Plans a day anew: these blocks take the place of all that it has of your categories.");
    contract.risk = model::ToolRisk::high;
    return {std::move(contract), run};
}

}  // namespace belfry::tools
