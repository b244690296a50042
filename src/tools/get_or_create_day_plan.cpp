#include "tools/catalogue.hpp"
#include "tools/day_plans.hpp"

namespace belfry::tools {
namespace {

base::Result<std::string> run(Bench& bench, const Arguments& arguments) {
    TRY_ASSIGN(PlannedDay day, find_day_plan(bench, arguments));
    if (!day.is_there) {
        TRY_ASSIGN(day.plan, put_day_plan(bench, day, {}));
    }
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("dayPlan");
    append_day_plan(writer, day.plan);
    writer.name("created").boolean(!day.is_there).end_object();
    return says;
}

}  // namespace

Tool get_or_create_day_plan() {
    model::ToolContract contract = day_plan_contract(
        "get_or_create_day_plan", "The plan of a day, with the blocks and pinned tasks of your categories.");
    contract.capabilities = {model::AgentCapability::day_plan_read};
    return {std::move(contract), run};
}

}  // namespace belfry::tools
