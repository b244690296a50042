#include "rules/journal_sight.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "rules/journal_references.hpp"

namespace belfry::rules {
namespace {

bool is_among(std::span<const std::string> all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
}

// The members that name another record, always in the same order. Of a plan there are many, and what a rating names is
// its own name.
std::vector<std::string*> names_in(model::JournalBody& body) {
    if (auto* checklist = std::get_if<model::Checklist>(&body)) return {&checklist->task_id};
    if (auto* item = std::get_if<model::ChecklistItem>(&body)) return {&item->checklist_id};
    if (auto* time = std::get_if<model::TimeEntry>(&body)) return {&time->task_id, &time->source_entry_id};
    return {};
}

void hide_unseen(model::DayPlan& plan, std::span<const std::string> categories,
                 const std::set<std::string>& seen_tasks) {
    std::erase_if(plan.blocks, [&](const auto& block) { return !is_among(categories, block.category_id); });
    for (model::PlanBlock& block : plan.blocks) {
        if (!seen_tasks.contains(block.task_id)) block.task_id.clear();
    }
    std::erase_if(plan.pinned_task_ids, [&](const std::string& id) { return !seen_tasks.contains(id); });
}

void keep_unseen(const model::DayPlan& before, model::DayPlan& after, std::span<const std::string> categories,
                 const std::set<std::string>& seen_tasks) {
    for (const model::PlanBlock& old : before.blocks) {
        const auto now = std::ranges::find(after.blocks, old.id, &model::PlanBlock::id);
        const bool is_seen = is_among(categories, old.category_id);
        if (now == after.blocks.end() && !is_seen) after.blocks.push_back(old);
        const bool lost_its_task = now != after.blocks.end() && is_seen && now->task_id.empty();
        if (lost_its_task && !seen_tasks.contains(old.task_id)) now->task_id = old.task_id;
    }
    // Of two that begin at once, the one that came first before still does.
    std::map<std::string, std::size_t> places;
    for (const model::PlanBlock& block : before.blocks) places.emplace(block.id, places.size());
    for (const model::PlanBlock& block : after.blocks) places.emplace(block.id, places.size());
    std::ranges::sort(after.blocks, {},
                      [&](const auto& block) { return std::pair(block.start_at, places.at(block.id)); });
    std::vector<std::string>& pins = after.pinned_task_ids;
    for (std::size_t place = 0; place < before.pinned_task_ids.size(); ++place) {
        const std::string& pin = before.pinned_task_ids[place];
        if (seen_tasks.contains(pin) || is_among(pins, pin)) continue;
        pins.insert(pins.begin() + static_cast<std::ptrdiff_t>(std::min(place, pins.size())), pin);
    }
}

}  // namespace

std::vector<std::string> named_by(const model::JournalBody& body) {
    std::vector<std::string> ids;
    for (JournalReference& one : references_of(body)) {
        const bool is_for_all = one.kind == model::JournalKind::label || one.kind == model::JournalKind::category;
        if (!is_for_all) ids.push_back(std::move(one.id));
    }
    return ids;
}

bool is_hidden(const model::JournalBody& body, const std::set<std::string>& seen) {
    const auto* const rating = std::get_if<model::Rating>(&body);
    return rating != nullptr && rating->target == model::RatingTarget::session && !seen.contains(rating->target_id);
}

void hide_unseen(model::JournalBody& body, std::span<const std::string> categories, const std::set<std::string>& seen) {
    if (auto* plan = std::get_if<model::DayPlan>(&body)) return hide_unseen(*plan, categories, seen);
    for (std::string* const id : names_in(body)) {
        if (!seen.contains(*id)) id->clear();
    }
}

void hide_own_part(model::JournalRecord& record, std::span<const std::string> categories) {
    auto* const plan = std::get_if<model::DayPlan>(&record.body);
    if (plan == nullptr || is_among(categories, record.category_id)) return;
    plan->note.clear();
    record.extension = {};
}

void keep_unseen(const model::JournalBody& before, model::JournalBody& after, std::span<const std::string> categories,
                 const std::set<std::string>& seen) {
    if (const auto* plan = std::get_if<model::DayPlan>(&before)) {
        return keep_unseen(*plan, std::get<model::DayPlan>(after), categories, seen);
    }
    model::JournalBody old = before;
    const std::vector<std::string*> old_names = names_in(old);
    const std::vector<std::string*> names = names_in(after);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i]->empty() && !seen.contains(*old_names[i])) *names[i] = *old_names[i];
    }
}

bool takes_unseen_block(const model::JournalBody& before, const model::JournalBody& wish,
                        std::span<const std::string> categories) {
    const auto* const old = std::get_if<model::DayPlan>(&before);
    const auto* const plan = std::get_if<model::DayPlan>(&wish);
    if (old == nullptr || plan == nullptr) return false;
    return std::ranges::any_of(old->blocks, [&](const model::PlanBlock& block) {
        return !is_among(categories, block.category_id) &&
               std::ranges::find(plan->blocks, block.id, &model::PlanBlock::id) != plan->blocks.end();
    });
}

}  // namespace belfry::rules
