#include "rules/journal_sight.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

const std::vector<std::string> gym{"gym"};
const std::set<std::string> seen{"squats"};

model::DayPlan plan() {
    model::DayPlan plan;
    plan.blocks = {{"b1", "work", {10}, {20}, "secret", "report"},
                   {"b2", "gym", {30}, {40}, "", "squats"},
                   {"a2", "work", {30}, {40}, "", ""},
                   {"b3", "gym", {50}, {60}, "", "report"}};
    plan.pinned_task_ids = {"report", "squats", "letter"};
    return plan;
}

TEST(JournalSight, of_a_plan_only_allowed_blocks_and_tasks_are_shown) {
    model::DayPlan shown = plan();
    hide_unseen(shown, gym, seen);
    ASSERT_EQ(shown.blocks.size(), 2U);
    EXPECT_EQ(shown.blocks[0].task_id, "squats");
    EXPECT_EQ(shown.blocks[1].task_id, "");
    EXPECT_EQ(shown.pinned_task_ids, std::vector<std::string>{"squats"});
}

TEST(JournalSight, a_plan_that_comes_back_as_it_was_shown_is_as_it_was) {
    const model::DayPlan before = plan();
    model::DayPlan after = before;
    hide_unseen(after, gym, seen);
    keep_unseen(before, after, gym, seen);
    EXPECT_EQ(after, before);
}

TEST(JournalSight, what_was_seen_may_go_and_the_rest_stays) {
    const model::DayPlan before = plan();
    model::DayPlan after;
    after.blocks = {{"new", "gym", {5}, {6}, "", ""}};
    keep_unseen(before, after, gym, seen);
    ASSERT_EQ(after.blocks.size(), 3U);
    EXPECT_EQ(after.blocks[0].id, "new");
    EXPECT_EQ(after.blocks[1], before.blocks[0]);
    EXPECT_EQ(after.pinned_task_ids, (std::vector<std::string>{"report", "letter"}));
}

}  // namespace
}  // namespace belfry::rules
