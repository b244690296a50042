#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/journal.hpp"

// A day plan holds blocks of many categories and names tasks of many. Somebody who is allowed some of them sees, and
// changes, only those; whichever they are, he sees that there is a plan.
namespace belfry::rules {

// All tasks that a plan names, in its blocks and pinned.
[[nodiscard]] std::vector<std::string> tasks_of(const model::DayPlan& plan);

// What he may not see goes: blocks of other categories, and the names of tasks that are not among `seen_tasks`.
void hide_unseen(model::DayPlan& plan, std::span<const std::string> categories,
                 const std::set<std::string>& seen_tasks);

// What is the plan's own, its note and the members of others, is for those who are allowed its category.
void hide_own_part(model::JournalRecord& plan, std::span<const std::string> categories);

// What he was not shown is not his to leave out: it is in the changed plan as it was before.
void keep_unseen(const model::DayPlan& before, model::DayPlan& after, std::span<const std::string> categories,
                 const std::set<std::string>& seen_tasks);

}  // namespace belfry::rules
