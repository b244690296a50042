#pragma once

#include <string>

#include "base/result.hpp"
#include "model/tool.hpp"
#include "tools/arguments.hpp"
#include "tools/bench.hpp"
#include "tools/wish_of.hpp"

namespace belfry::tools {

// The fields of a task that these arguments name: title, text, status, priority, dueDate, estimateMinutes, language,
// labelIds, categoryId. Null takes one away, where there may be none.
[[nodiscard]] WishOf<model::Task> task_wish(const Arguments& arguments);

// Changes the fields of the task `taskId` that these arguments name, and says what it is like then.
base::Result<std::string> change_task(Bench& bench, const Arguments& arguments);

// What is agreed on about a tool that makes or changes one task, and nothing else.
[[nodiscard]] model::ToolContract task_contract(std::string name, std::string description);

// The category that something new goes into: the one that is named, or the only one that the agent has.
base::Result<std::string> category_for_new(const Bench& bench, const Arguments& arguments);

}  // namespace belfry::tools
