#pragma once

#include <string>

#include "base/result.hpp"
#include "model/tool.hpp"
#include "tools/bench.hpp"

// What the tools of time have in common.
namespace belfry::tools {

// `{"timeEntry":{"timeEntryId":…,"taskId":…,"startedAt":…,…}}`. A task that the agent may not see is not named.
base::Result<std::string> time_entry_answer(Bench& bench, const model::JournalRecord& record);

// Of a tool that makes or changes one time entry.
[[nodiscard]] model::ToolContract time_contract(std::string name, std::string description);

}  // namespace belfry::tools
