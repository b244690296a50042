#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/checklists.hpp"

// A task that goes on where another one ends.
namespace belfry::tools {

inline constexpr std::string_view follow_up_relation = "follow_up";  // from the earlier to the later

// In the category of this task and with its labels, as far as there still are such.
[[nodiscard]] base::Result<model::JournalRecord> make_like(Bench& bench, const model::JournalRecord& task,
                                                           std::string title);
[[nodiscard]] base::Result<model::JournalRecord> make_plain(Bench& bench, std::string category, std::string title);
// Into checklists of the same titles, which are made there. The ids of the items.
base::Result<std::vector<std::string>> carry_over(Bench& bench, const std::vector<ListedItems>& open,
                                                  const model::JournalRecord& to_task);
// `done` or `rejected`, in small letters or large ones.
base::Result<model::JournalRecord> close_task(Bench& bench, const std::string& id, std::string_view as);

}  // namespace belfry::tools
