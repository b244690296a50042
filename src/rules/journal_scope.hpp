#pragma once

#include <set>
#include <span>
#include <string>

#include "base/result.hpp"
#include "model/journal.hpp"

// Categories are boundaries: an agent works in those that it is allowed.
namespace belfry::rules {

// What a change touches: the category before and after it. A day plan is its person's: of it the categories of the
// blocks that are different now count, and its own only where anything else of it is different. To make the plan of a
// day in the category that nobody has to name touches none. `before` is null of a record that is made.
[[nodiscard]] std::set<std::string> touched_categories(const model::JournalRecord* before,
                                                       const model::JournalRecord& after);

// Whether an agent with these categories may touch all of those; none allowed: nothing.
base::Result<void> check_scope(std::span<const std::string> allowed, const std::set<std::string>& touched);

}  // namespace belfry::rules
