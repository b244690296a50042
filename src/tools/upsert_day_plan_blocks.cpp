#include <algorithm>

#include "tools/catalogue.hpp"
#include "tools/day_plans.hpp"

namespace belfry::tools {
namespace {

using Blocks = std::vector<model::PlanBlock>;

base::Result<void> drop(Blocks& blocks, const std::vector<std::string>& ids) {
    for (const std::string& id : ids) {
        if (std::erase_if(blocks, [&](const model::PlanBlock& block) { return block.id == id; }) > 0) continue;
        return base::error(base::Code::not_found, "there is no block " + id + " of your categories", "deletes",
                           "out_of_scope");
    }
    return {};
}

base::Result<void> put(Bench& bench, const Arguments& arguments, std::string_view plan_date, Blocks& blocks) {
    const std::string id = arguments.text("id");
    const auto at = id.empty() ? blocks.end() : std::ranges::find(blocks, id, &model::PlanBlock::id);
    TRY_ASSIGN(model::PlanBlock block, read_block(bench, arguments, plan_date, at == blocks.end() ? nullptr : &*at));
    if (at == blocks.end()) blocks.push_back(std::move(block));
    else *at = std::move(block);
    return {};
}

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    const std::vector<Arguments> upserts = arguments.objects("upserts");
    const std::vector<std::string> deletes = arguments.texts("deletes");
    if (upserts.empty() && deletes.empty()) return arguments.wrong("upserts", "must be given, or deletes");
    for (const Arguments& one : upserts) {
        const bool is_both = one.has("id") && std::ranges::find(deletes, one.text("id")) != deletes.end();
        if (is_both) return one.wrong("id", "must not be among deletes, too");
    }
    TRY_ASSIGN(const PlannedDay day, find_day_plan(bench, arguments));
    Blocks blocks = day.plan.blocks;
    TRY(drop(blocks, deletes));
    for (const Arguments& one : upserts) TRY(put(bench, one, day.plan.plan_date, blocks));
    WishOf<model::DayPlan> wish;
    TRY_ASSIGN(const model::DayPlan plan,
               put_day_plan(bench, day, wish.set(&model::DayPlan::blocks, std::move(blocks))));
    return day_plan_answer(plan);
}

}  // namespace

Tool upsert_day_plan_blocks() {
    model::ToolContract contract = day_plan_contract(
        "upsert_day_plan_blocks",
        "Adds blocks to the plan of a day, changes those whose id is given, and takes away those of deletes. Other "
        "blocks stay. To take any away it has to be previewed.");
    contract.high_risk_with = {"deletes"};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
