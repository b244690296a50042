#include <algorithm>

#include "tools/catalogue.hpp"
#include "tools/day_plans.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(const PlannedDay day, find_day_plan(bench, arguments));
    const bool is_unpin = arguments.flag("unpin");
    std::vector<std::string> pins = day.plan.pinned_task_ids;
    for (const std::string& id : arguments.texts("taskIds")) {
        const auto at = std::ranges::find(pins, id);
        const bool is_pinned = at != pins.end();
        // A task that was deleted is still taken off.
        if (!is_pinned) TRY(bench.find(model::JournalKind::task, id, "taskIds"));
        if (is_unpin && is_pinned) pins.erase(at);
        if (!is_unpin && !is_pinned) pins.push_back(id);
    }
    if (pins == day.plan.pinned_task_ids) return day_plan_answer(day.plan);
    WishOf<model::DayPlan> wish;
    TRY_ASSIGN(const model::DayPlan plan,
               put_day_plan(bench, day, wish.set(&model::DayPlan::pinned_task_ids, std::move(pins))));
    return day_plan_answer(plan);
}

}  // namespace

Tool pin_day_plan_tasks() {
    return {
        day_plan_contract("pin_day_plan_tasks", "Pins tasks to a day, below those that are pinned, or unpins them."),
        run};
}

}  // namespace belfry::tools
