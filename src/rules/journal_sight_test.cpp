#include "rules/journal_sight.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

const std::vector<std::string> gym{"gym"};
const std::set<std::string> seen{"squats"};

model::JournalBody plan() {
    model::DayPlan plan;
    plan.blocks = {{"b1", "work", {10}, {20}, "secret", "report"},
                   {"b2", "gym", {30}, {40}, "", "squats"},
                   {"a2", "work", {30}, {40}, "", ""},
                   {"b3", "gym", {50}, {60}, "", "report"}};
    plan.pinned_task_ids = {"report", "squats", "letter"};
    return plan;
}

TEST(JournalSight, of_a_plan_only_allowed_blocks_and_tasks_are_shown) {
    model::JournalBody body = plan();
    hide_unseen(body, gym, seen);
    const auto& shown = std::get<model::DayPlan>(body);
    ASSERT_EQ(shown.blocks.size(), 2U);
    EXPECT_EQ(shown.blocks[0].task_id, "squats");
    EXPECT_EQ(shown.blocks[1].task_id, "");
    EXPECT_EQ(shown.pinned_task_ids, std::vector<std::string>{"squats"});
}

TEST(JournalSight, a_plan_that_comes_back_as_it_was_shown_is_as_it_was) {
    const model::JournalBody before = plan();
    model::JournalBody after = before;
    hide_unseen(after, gym, seen);
    keep_unseen(before, after, gym, seen);
    EXPECT_EQ(after, before);
}

TEST(JournalSight, what_was_seen_may_go_and_the_rest_stays) {
    const model::JournalBody whole = plan();
    const auto& before = std::get<model::DayPlan>(whole);
    model::JournalBody changed = model::DayPlan{};
    auto& after = std::get<model::DayPlan>(changed);
    after.blocks = {{"new", "gym", {5}, {6}, "", ""}};
    keep_unseen(whole, changed, gym, seen);
    ASSERT_EQ(after.blocks.size(), 3U);
    EXPECT_EQ(after.blocks[0].id, "new");
    EXPECT_EQ(after.blocks[1], before.blocks[0]);
    EXPECT_EQ(after.pinned_task_ids, (std::vector<std::string>{"report", "letter"}));
}

TEST(JournalSight, nothing_names_what_is_not_seen) {
    const std::vector<model::JournalBody> bodies{
        model::Checklist{"report", "Steps", 0}, model::ChecklistItem{"report", "One", false, 0},
        model::TimeEntry{"report", "", {}, {}, "report"}, model::Checklist{"squats", "Steps", 0}};
    std::vector<model::JournalBody> shown = bodies;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        hide_unseen(shown[i], gym, seen);
        const bool is_seen = i == 3;
        EXPECT_EQ(named_by(shown[i]), is_seen ? std::vector<std::string>{"squats"} : std::vector<std::string>{}) << i;
        keep_unseen(bodies[i], shown[i], gym, seen);
        EXPECT_EQ(shown[i], bodies[i]) << "what comes back as it was shown is as it was";
    }
    model::JournalBody other = model::TimeEntry{"squats", "", {}, {}, ""};
    keep_unseen(model::TimeEntry{"report", "", {}, {}, ""}, other, gym, seen);
    EXPECT_EQ(named_by(other), std::vector<std::string>{"squats"}) << "it may get another";
}

TEST(JournalSight, a_rating_is_not_seen_where_its_session_is_not) {
    EXPECT_TRUE(is_hidden(model::Rating{model::RatingTarget::session, "report", 3, ""}, seen));
    EXPECT_FALSE(is_hidden(model::Rating{model::RatingTarget::session, "squats", 3, ""}, seen));
    EXPECT_FALSE(is_hidden(model::Rating{model::RatingTarget::day, "2026-11-16", 3, ""}, seen));
    EXPECT_FALSE(is_hidden(model::Task{}, seen));
}

TEST(JournalSight, the_id_of_a_block_that_is_not_seen_is_taken) {
    model::DayPlan wish;
    wish.blocks = {{"b2", "gym", {5}, {6}, "", ""}};
    EXPECT_FALSE(takes_unseen_block(plan(), wish, gym));
    wish.blocks = {{"a2", "gym", {5}, {6}, "", ""}};
    EXPECT_TRUE(takes_unseen_block(plan(), wish, gym));
}

TEST(JournalSight, what_is_a_plans_own_is_for_those_who_are_allowed_its_category) {
    model::JournalRecord record;
    record.category_id = "work";
    record.extension = model::RawJson::trusted(R"({"acme.n":1})");
    model::DayPlan day;
    day.note = "secret";
    record.body = day;
    model::JournalRecord shown = record;
    hide_own_part(shown, gym);
    EXPECT_EQ(std::get<model::DayPlan>(shown.body).note, "");
    EXPECT_EQ(shown.extension, model::RawJson{});
    shown = record;
    hide_own_part(shown, std::vector<std::string>{"gym", "work"});
    EXPECT_EQ(shown, record);
}

}  // namespace
}  // namespace belfry::rules
