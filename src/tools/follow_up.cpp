#include "tools/follow_up.hpp"

#include "tools/wish_of.hpp"

namespace belfry::tools {

using model::JournalRecord;
using model::Task;

base::Result<JournalRecord> make_like(Bench& bench, const JournalRecord& task, std::string title) {
    TRY_ASSIGN(std::vector<std::string> labels, bench.labels(std::get<Task>(task.body).label_ids));
    WishOf<Task> wish;
    wish.set(&Task::title, std::move(title)).set(&Task::label_ids, std::move(labels));
    return bench.make({}, wish.category(task.category_id));
}

base::Result<JournalRecord> make_plain(Bench& bench, std::string category, std::string title) {
    WishOf<Task> wish;
    return bench.make({}, wish.set(&Task::title, std::move(title)).category(std::move(category)));
}

base::Result<std::vector<std::string>> carry_over(Bench& bench, const std::vector<ListedItems>& open,
                                                  const JournalRecord& to_task) {
    std::vector<std::string> ids;
    for (const ListedItems& list : open) {
        const std::string& title = std::get<model::Checklist>(list.checklist.body).title;
        TRY_ASSIGN(const JournalRecord checklist, make_checklist(bench, to_task.id, title));
        TRY_ASSIGN(const Records moved, move_items(bench, list.items, checklist));
        for (const JournalRecord& item : moved) ids.push_back(item.id);
    }
    return ids;
}

base::Result<JournalRecord> close_task(Bench& bench, const std::string& id, std::string_view as) {
    const bool is_rejected = as == "rejected" || as == "REJECTED";
    WishOf<Task> wish;
    return bench.change(id,
                        wish.set(&Task::status, is_rejected ? model::TaskStatus::rejected : model::TaskStatus::done));
}

}  // namespace belfry::tools
