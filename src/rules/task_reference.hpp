#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/journal.hpp"

// Which task somebody means who speaks of one: "the leg day", "buy mi", or its id.
namespace belfry::rules {

// How sure it is that the reference means this task, 0 to 1. Its id is certain. Its title, great and small letters
// alike and whatever stands between the words, is certain too. Anything else is less than that, and more the more words
// of the reference are in the title or begin one there, the fewer the title has beside, and the more they keep their
// order. A task that is closed is meant less often: only by its id it is certain.
[[nodiscard]] double task_confidence(std::string_view reference, const model::JournalRecord& task);

struct RankedTask {
    const model::JournalRecord* task = nullptr;
    double confidence = 0;
};

// The tasks that may be meant, the most likely first, of equal ones the newest. Those that have nothing in common with
// the reference are left out. The pointers are into `tasks`.
[[nodiscard]] std::vector<RankedTask> rank_tasks(std::string_view reference,
                                                 const std::vector<model::JournalRecord>& tasks);

// A task is taken for the one that is meant where it is this sure, and this far ahead of any other.
inline constexpr double resolved_confidence = 0.8;
inline constexpr double resolved_lead = 0.2;

// The task that is meant, of all that were ranked; null: it is not clear which.
[[nodiscard]] const model::JournalRecord* resolved_task(const std::vector<RankedTask>& ranked);

}  // namespace belfry::rules
