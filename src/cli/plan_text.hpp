#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/local_clock.hpp"
#include "model/journal.hpp"

namespace belfry::cli {

// The blocks of a plan as the interface takes them.
std::string blocks_json(const std::vector<model::PlanBlock>& blocks);

// A plan for a person, printable as it is. `tasks`: those of it that could be read, by their ids.
std::string plan_text(const model::DayPlan& plan, const std::map<std::string, model::JournalRecord>& tasks,
                      const LocalClock& clock, bool colours);

}  // namespace belfry::cli
