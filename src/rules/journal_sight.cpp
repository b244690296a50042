#include "rules/journal_sight.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace belfry::rules {
namespace {

bool is_among(std::span<const std::string> all, const std::string& one) {
    return std::ranges::find(all, one) != all.end();
}

}  // namespace

std::vector<std::string> tasks_of(const model::DayPlan& plan) {
    std::vector<std::string> tasks = plan.pinned_task_ids;
    for (const model::PlanBlock& block : plan.blocks) {
        if (!block.task_id.empty()) tasks.push_back(block.task_id);
    }
    return tasks;
}

void hide_unseen(model::DayPlan& plan, std::span<const std::string> categories,
                 const std::set<std::string>& seen_tasks) {
    std::erase_if(plan.blocks, [&](const auto& block) { return !is_among(categories, block.category_id); });
    for (model::PlanBlock& block : plan.blocks) {
        if (!seen_tasks.contains(block.task_id)) block.task_id.clear();
    }
    std::erase_if(plan.pinned_task_ids, [&](const std::string& id) { return !seen_tasks.contains(id); });
}

void hide_own_part(model::JournalRecord& plan, std::span<const std::string> categories) {
    if (is_among(categories, plan.category_id)) return;
    std::get<model::DayPlan>(plan.body).note.clear();
    plan.extension = {};
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

}  // namespace belfry::rules
