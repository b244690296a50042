#include "rules/journal_facts.hpp"

#include <gtest/gtest.h>

#include "rules/journal_scope.hpp"
#include "rules/wake_facts.hpp"

namespace belfry::rules {
namespace {

model::WakeSubscription of_changes() {
    model::WakeSubscription subscription;
    subscription.tokens = {"key:TASK"};
    return subscription;
}

bool holds(std::string_view predicate, const JournalFacts& facts) {
    const auto read = Predicate::parse(predicate, roots_of(of_changes()));
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    return read.ok() && read->holds(facts);
}

model::JournalRecord task() {
    model::JournalRecord record;
    record.id = "t-1";
    record.category_id = "gym";
    record.revision = 3;
    model::Task body;
    body.title = "Run";
    body.label_ids = {"l-1"};
    body.due_date = "2026-11-20";
    record.body = body;
    return record;
}

TEST(JournalFacts, are_the_record_by_the_name_of_its_kind_in_both_spellings) {
    const model::JournalRecord record = task();
    const JournalFacts facts(record, {});
    EXPECT_TRUE(holds(R"(task.category_id == "gym")", facts));
    EXPECT_TRUE(holds(R"(task.categoryId == "gym" and task.dueDate == task.due_date)", facts));
    EXPECT_TRUE(holds(R"(task.labelIds contains "l-1" and task.status == "open" and task.revision == 3)", facts));
    EXPECT_TRUE(holds("task.deleted_at == null and task.deletedAt == null", facts));
    EXPECT_TRUE(holds("checklist == null and not exists entry.text", facts)) << "it is a task and nothing else";
}

TEST(JournalFacts, a_tombstone_says_when_it_went) {
    model::JournalRecord record = task();
    record.deleted_at = base::Timestamp{1'800'000'000'000'000};
    EXPECT_TRUE(holds(R"(task.deleted_at != null and task.title == "Run")", JournalFacts(record, {})));
}

TEST(JournalFacts, blocks_have_both_spellings_and_what_others_named_has_its_own) {
    model::JournalRecord record = task();
    model::DayPlan plan;
    plan.blocks = {{"b", "work", {}, {}, "", "t-9"}};
    record.body = plan;
    record.extension = model::RawJson::trusted(R"({"acme.my_key":1})");
    const JournalFacts facts(record, {});
    EXPECT_TRUE(holds(R"(day_plan.blocks[0].taskId == "t-9" and day_plan.blocks[0].category_id == "work")", facts));
    EXPECT_TRUE(
        holds(R"(day_plan.extension["acme.my_key"] == 1 and not exists day_plan.extension["acme.myKey"])", facts));
}

TEST(JournalFacts, links_are_seen_from_both_their_ends) {
    const model::JournalRecord record = task();
    model::Link from;
    from.relation = "blocked_by";
    from.from_id = "t-1";
    from.to_id = "t-2";
    model::Link to;
    to.relation = "follow_up";
    to.from_id = "t-3";
    to.to_id = "t-1";
    const std::vector<model::Link> links{from, to};
    const JournalFacts facts(record, links);
    EXPECT_TRUE(holds(R"(linked("blocked_by") and linked("blocked_by", "t-2"))", facts));
    EXPECT_TRUE(holds(R"(linked("follow_up", "t-3") and not linked("follow_up", "t-2"))", facts));
    EXPECT_FALSE(holds(R"(linked("parent") or linked("blocked_by", "t-1"))", facts));
}

TEST(JournalScope, is_where_a_record_was_and_where_it_is) {
    model::JournalRecord before = task();
    model::JournalRecord after = task();
    EXPECT_EQ(touched_categories(nullptr, after), std::set<std::string>{"gym"});
    after.category_id = "work";
    EXPECT_EQ(touched_categories(&before, after), (std::set<std::string>{"gym", "work"}));
    model::DayPlan plan;
    plan.blocks = {{"same", "home", {}, {}, "", ""}, {"moved", "gym", {}, {}, "", ""}};
    before.body = plan;
    plan.blocks[1].category_id = "club";
    after.body = plan;
    after.category_id = "gym";
    EXPECT_EQ(touched_categories(&before, after), (std::set<std::string>{"club", "gym"})) << "blocks that stay are not";
}

TEST(JournalScope, of_a_plan_is_its_own_category_only_where_more_than_its_blocks_and_tasks_is_different) {
    model::JournalRecord before;
    before.category_id = "general";
    model::DayPlan plan;
    plan.plan_date = "2026-11-16";
    plan.blocks = {{"b", "gym", {}, {}, "", ""}};
    before.body = plan;
    model::JournalRecord after = before;
    EXPECT_EQ(touched_categories(nullptr, before), std::set<std::string>{"gym"}) << "it is made with a block";
    EXPECT_EQ(touched_categories(&before, after), std::set<std::string>{});
    plan.blocks.clear();
    plan.pinned_task_ids = {"squats"};
    after.body = plan;
    EXPECT_EQ(touched_categories(&before, after), std::set<std::string>{"gym"});
    EXPECT_EQ(touched_categories(nullptr, after), std::set<std::string>{});
    plan.note = "mine";
    after.body = plan;
    EXPECT_EQ(touched_categories(&before, after), (std::set<std::string>{"general", "gym"}));
    EXPECT_EQ(touched_categories(nullptr, after), std::set<std::string>{"general"});
    after = before;
    after.extension = model::RawJson::trusted(R"({"acme.n":1})");
    EXPECT_EQ(touched_categories(&before, after), std::set<std::string>{"general"});
    after = before;
    after.category_id = "gym";
    EXPECT_EQ(touched_categories(&before, after), (std::set<std::string>{"general", "gym"}));
    EXPECT_EQ(touched_categories(nullptr, after), std::set<std::string>{"gym"});
    EXPECT_FALSE(check_scope({}, {}).ok()) << "who is allowed nothing makes no plan either";
}

TEST(JournalScope, an_agent_touches_what_it_is_allowed_and_nothing_without_that) {
    const std::vector<std::string> allowed{"gym", "work"};
    EXPECT_TRUE(check_scope(allowed, {"gym"}).ok());
    EXPECT_TRUE(check_scope(allowed, {"gym", "work"}).ok());
    const auto refused = check_scope(allowed, {"gym", "home"});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::forbidden);
    EXPECT_EQ(refused.error().reason, "out_of_scope");
    EXPECT_FALSE(check_scope({}, {"gym"}).ok());
}

}  // namespace
}  // namespace belfry::rules
