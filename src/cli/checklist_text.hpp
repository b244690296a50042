#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "client/journal.hpp"

namespace belfry::cli {

struct ChecklistNow {
    client::RecordNow list;
    std::vector<client::RecordNow> items;  // in their order
};

// The checklists of a task with their items, in their order.
base::Result<std::vector<ChecklistNow>> find_checklists(client::Journal& journal, std::string_view task_id);

// For a person, printable as it is; empty where there are none.
std::string checklists_text(const std::vector<ChecklistNow>& lists);

}  // namespace belfry::cli
