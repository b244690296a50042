#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/raw_json.hpp"
#include "tools/arguments.hpp"
#include "tools/bench.hpp"

// Checklists of tasks and their items, in the order in which people see them.
namespace belfry::tools {

using Records = std::vector<model::JournalRecord>;

// A checklist, and all or some of its items.
struct ListedItems {
    model::JournalRecord checklist;
    Records items;
};

base::Result<Records> checklists_of(Bench& bench, const std::string& task_id);
base::Result<Records> items_of(Bench& bench, const std::string& checklist_id);
// What is not checked of a task, by checklist; of those that have nothing open, none.
base::Result<std::vector<ListedItems>> open_items_of(Bench& bench, const std::string& task_id);
// The items that the argument `itemIds` names, in its order, each once.
base::Result<Records> named_items(Bench& bench, const Arguments& arguments);

// Behind those that are there.
base::Result<model::JournalRecord> make_checklist(Bench& bench, const std::string& task_id, std::string title);
base::Result<Records> make_items(Bench& bench, const model::JournalRecord& checklist,
                                 std::span<const Arguments> drafts);
enum class Checks { kept, taken_away };
base::Result<Records> move_items(Bench& bench, std::span<const model::JournalRecord> items,
                                 const model::JournalRecord& checklist, Checks checks = Checks::kept);

// `[{"itemId":…,"title":…,"checked":…},…]`
void append_items(model::JsonWriter& writer, std::span<const model::JournalRecord> items);
// `{"checklistId":…,"taskId":…,"title":…,"items":[…]}`
void append_checklist(model::JsonWriter& writer, const ListedItems& list);
// A whole answer with one member: `{"checklist":{…}}`
[[nodiscard]] std::string checklist_answer(const ListedItems& list);

}  // namespace belfry::tools
