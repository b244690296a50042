#include "rules/journal_parent.hpp"

namespace belfry::rules {

using model::JournalKind;

JournalParent parent_of(const model::JournalBody& body) {
    if (const auto* checklist = std::get_if<model::Checklist>(&body)) return {JournalKind::task, checklist->task_id};
    if (const auto* item = std::get_if<model::ChecklistItem>(&body)) {
        return {JournalKind::checklist, item->checklist_id};
    }
    if (const auto* time = std::get_if<model::TimeEntry>(&body)) return {JournalKind::task, time->task_id};
    if (const auto* rating = std::get_if<model::Rating>(&body)) return {JournalKind::time_entry, rating->target_id};
    return {};
}

bool moves_with_parent(JournalKind kind) {
    return goes_with_parent(kind) || kind == JournalKind::time_entry;
}

bool goes_with_parent(JournalKind kind) {
    return kind == JournalKind::checklist || kind == JournalKind::checklist_item;
}

}  // namespace belfry::rules
