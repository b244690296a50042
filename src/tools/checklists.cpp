#include "tools/checklists.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/journal_limits.hpp"
#include "rules/journal_terms.hpp"
#include "tools/wish_of.hpp"

namespace belfry::tools {
namespace {

using model::Checklist;
using model::ChecklistItem;
using model::JournalKind;
using model::JournalRecord;

constexpr std::size_t children_max = base::limits::journal_followers_max;

template <class T>
std::int64_t position_of(const JournalRecord& record) {
    return std::get<T>(record.body).position;
}

// What belongs to a record, by position, then by age, then by id: each device numbers records for itself, so a number
// would give every device an order of its own.
template <class T>
base::Result<Records> children_of(Bench& bench, JournalKind kind, const std::string& id) {
    TRY_ASSIGN(Records found, bench.newest(kind, {rules::parent_term(id)}, children_max + 1));
    if (found.size() > children_max) {
        return base::error(base::Code::too_large,
                           "more than " + std::to_string(children_max) + " records belong to one that it is about");
    }
    std::ranges::sort(found, {}, [](const JournalRecord& one) {
        return std::tuple(position_of<T>(one), one.created_at, std::string_view(one.id));
    });
    return found;
}

template <class T>
std::int64_t position_behind(const Records& records) {
    return records.empty() ? 0 : position_of<T>(records.back()) + 1;
}

}  // namespace

base::Result<Records> checklists_of(Bench& bench, const std::string& task_id) {
    return children_of<Checklist>(bench, JournalKind::checklist, task_id);
}

base::Result<Records> items_of(Bench& bench, const std::string& checklist_id) {
    return children_of<ChecklistItem>(bench, JournalKind::checklist_item, checklist_id);
}

base::Result<std::vector<ListedItems>> open_items_of(Bench& bench, const std::string& task_id) {
    TRY_ASSIGN(Records checklists, checklists_of(bench, task_id));
    std::vector<ListedItems> open;
    for (JournalRecord& checklist : checklists) {
        TRY_ASSIGN(Records items, items_of(bench, checklist.id));
        std::erase_if(items, [](const JournalRecord& item) { return std::get<ChecklistItem>(item.body).checked; });
        if (!items.empty()) open.push_back({std::move(checklist), std::move(items)});
    }
    return open;
}

base::Result<Records> named_items(Bench& bench, const Arguments& arguments) {
    Records items;
    std::set<std::string> seen;
    for (const std::string& id : arguments.texts("itemIds")) {
        const std::string place = "itemIds[" + std::to_string(items.size()) + ']';
        if (!seen.insert(id).second) return arguments.wrong(place, "stands there twice");
        TRY_ASSIGN(JournalRecord item, bench.find(JournalKind::checklist_item, id, place));
        items.push_back(std::move(item));
    }
    return items;
}

base::Result<JournalRecord> make_checklist(Bench& bench, const std::string& task_id, std::string title) {
    TRY_ASSIGN(const Records others, checklists_of(bench, task_id));
    WishOf<Checklist> wish;
    wish.set(&Checklist::task_id, task_id).set(&Checklist::title, std::move(title));
    return bench.make({}, wish.set(&Checklist::position, position_behind<Checklist>(others)));
}

base::Result<Records> make_items(Bench& bench, const JournalRecord& checklist, std::span<const Arguments> drafts) {
    TRY_ASSIGN(const Records others, items_of(bench, checklist.id));
    std::int64_t position = position_behind<ChecklistItem>(others);
    Records made;
    for (const Arguments& draft : drafts) {
        WishOf<ChecklistItem> wish;
        wish.set(&ChecklistItem::checklist_id, checklist.id).set(&ChecklistItem::title, draft.text("title"));
        wish.set(&ChecklistItem::checked, draft.flag("checked")).set(&ChecklistItem::position, position++);
        TRY_ASSIGN(JournalRecord item, bench.make({}, wish));
        made.push_back(std::move(item));
    }
    return made;
}

base::Result<Records> move_items(Bench& bench, std::span<const JournalRecord> items, const JournalRecord& checklist,
                                 Checks checks) {
    TRY_ASSIGN(const Records others, items_of(bench, checklist.id));
    std::int64_t position = position_behind<ChecklistItem>(others);
    Records moved;
    for (const JournalRecord& item : items) {
        WishOf<ChecklistItem> wish;
        wish.set(&ChecklistItem::checklist_id, checklist.id).set(&ChecklistItem::position, position++);
        if (checks == Checks::taken_away) wish.set(&ChecklistItem::checked, false);
        TRY_ASSIGN(JournalRecord there, bench.change(item.id, wish.category(checklist.category_id)));
        moved.push_back(std::move(there));
    }
    return moved;
}

void append_items(model::JsonWriter& writer, std::span<const JournalRecord> items) {
    writer.begin_array();
    for (const JournalRecord& record : items) {
        const auto& item = std::get<ChecklistItem>(record.body);
        writer.begin_object().field("itemId", record.id).field("title", item.title);
        writer.name("checked").boolean(item.checked).end_object();
    }
    writer.end_array();
}

void append_checklist(model::JsonWriter& writer, const ListedItems& list) {
    const auto& checklist = std::get<Checklist>(list.checklist.body);
    writer.begin_object().field("checklistId", list.checklist.id).field("taskId", checklist.task_id);
    writer.field("title", checklist.title).name("items");
    append_items(writer, list.items);
    writer.end_object();
}

std::string checklist_answer(const ListedItems& list) {
    std::string says;
    model::JsonWriter writer(says);
    writer.begin_object().name("checklist");
    append_checklist(writer, list);
    writer.end_object();
    return says;
}

}  // namespace belfry::tools
