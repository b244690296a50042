#include "rules/journal_scope.hpp"

#include <algorithm>

namespace belfry::rules {
namespace {

std::vector<model::PlanBlock> blocks_of(const model::JournalRecord* record) {
    const auto* const plan = record == nullptr ? nullptr : std::get_if<model::DayPlan>(&record->body);
    return plan == nullptr ? std::vector<model::PlanBlock>{} : plan->blocks;
}

// Categories of blocks that are in one of the two and not in the other.
void add_missing(const std::vector<model::PlanBlock>& some, const std::vector<model::PlanBlock>& others,
                 std::set<std::string>& touched) {
    for (const model::PlanBlock& block : some) {
        if (std::ranges::find(others, block) == others.end()) touched.insert(block.category_id);
    }
}

// Whether anything is different that is of the record's own category. Of a day plan its blocks and the tasks that it
// names are not: they have their own.
bool is_own_part_touched(const model::JournalRecord* before, const model::JournalRecord& after) {
    const auto* const plan = std::get_if<model::DayPlan>(&after.body);
    if (plan == nullptr) return true;
    const auto* const old = before == nullptr ? nullptr : std::get_if<model::DayPlan>(&before->body);
    const bool is_made_bare = before == nullptr && after.category_id == model::default_category && plan->note.empty() &&
                              after.extension == model::RawJson{};
    const bool is_kept = before != nullptr && old != nullptr && before->category_id == after.category_id &&
                         before->extension == after.extension && old->plan_date == plan->plan_date &&
                         old->note == plan->note;
    return !is_made_bare && !is_kept;
}

}  // namespace

std::set<std::string> touched_categories(const model::JournalRecord* before, const model::JournalRecord& after) {
    std::set<std::string> touched;
    if (is_own_part_touched(before, after)) {
        touched.insert(after.category_id);
        if (before != nullptr) touched.insert(before->category_id);
    }
    const std::vector<model::PlanBlock> old_blocks = blocks_of(before);
    const std::vector<model::PlanBlock> new_blocks = blocks_of(&after);
    add_missing(old_blocks, new_blocks, touched);
    add_missing(new_blocks, old_blocks, touched);
    return touched;
}

base::Result<void> check_scope(std::span<const std::string> allowed, const std::set<std::string>& touched) {
    if (allowed.empty()) {
        return base::error(base::Code::forbidden, "this agent is allowed no category", "category_id", "out_of_scope");
    }
    for (const std::string& category : touched) {
        if (std::ranges::find(allowed, category) != allowed.end()) continue;
        return base::error(base::Code::forbidden, "this agent is not allowed the category " + category, "category_id",
                           "out_of_scope");
    }
    return {};
}

}  // namespace belfry::rules
