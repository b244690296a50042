#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/raw_json.hpp"
#include "model/tool.hpp"
#include "tools/arguments.hpp"
#include "tools/bench.hpp"
#include "tools/wish_of.hpp"

// What the tools of day plans have in common. Of a plan an agent sees, and changes, what is of its categories.
namespace belfry::tools {

// The plan of a day as the agent sees it.
struct PlannedDay {
    model::DayPlan plan;
    bool is_there = false;  // else the plan is one without anything
};
base::Result<PlannedDay> find_day_plan(Bench& bench, const Arguments& arguments);

// Makes the plan like this, or changes the one that is there.
base::Result<model::DayPlan> put_day_plan(Bench& bench, const PlannedDay& day, WishOf<model::DayPlan> wish);

// A block as these arguments have it. Where it is one of the plan, what they do not name stays; without a category it
// is the only one that the agent has. It begins on the plan's day, wherever on earth, and ends within 24 hours.
base::Result<model::PlanBlock> read_block(Bench& bench, const Arguments& arguments, std::string_view plan_date,
                                          const model::PlanBlock* before);

// `{"planDate":…,"note":…,"blocks":[…],"pinnedTaskIds":[…]}`
void append_day_plan(model::JsonWriter& writer, const model::DayPlan& plan);
// A whole answer with one member: `{"dayPlan":{…}}`
[[nodiscard]] std::string day_plan_answer(const model::DayPlan& plan);

// Of a tool that changes a plan.
[[nodiscard]] model::ToolContract day_plan_contract(std::string name, std::string description);

}  // namespace belfry::tools
