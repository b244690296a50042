#include "rules/task_reference.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace belfry::rules {
namespace {

using model::TaskStatus;

model::JournalRecord task(const std::string& id, const std::string& title, TaskStatus status = TaskStatus::open) {
    static std::int64_t number = 0;
    model::JournalRecord record;
    record.id = id;
    record.number = ++number;
    model::Task body;
    body.title = title;
    body.status = status;
    record.body = body;
    return record;
}

double sure(const std::string& reference, const std::string& title, TaskStatus status = TaskStatus::open) {
    return task_confidence(reference, task("t", title, status));
}

std::vector<std::string> ids_of(const std::vector<RankedTask>& ranked) {
    std::vector<std::string> ids;
    for (const RankedTask& one : ranked) ids.push_back(one.task->id);
    return ids;
}

TEST(TaskReference, an_id_and_a_whole_title_are_certain) {
    EXPECT_EQ(task_confidence("t-1", task("t-1", "Buy milk", TaskStatus::done)), 1);
    EXPECT_EQ(sure("Buy milk", "Buy milk"), 1);
    EXPECT_EQ(sure("BUY  mILK!", "Buy milk"), 1) << "letters and what stands between words do not count";
    EXPECT_EQ(sure("äpfel", "Äpfel"), 1);
    EXPECT_EQ(sure("🏃", "🏃"), 1) << "a title without a word";
    EXPECT_EQ(sure("🏃", "🚲"), 0);
}

TEST(TaskReference, what_is_less_than_that_is_less_sure) {
    EXPECT_LT(sure("milk", "Buy milk"), 1);
    EXPECT_GT(sure("buy milk", "Buy milk and bread"), sure("milk", "Buy milk and bread"));
    EXPECT_GT(sure("milk", "Buy milk"), sure("milk", "Buy milk, bread and cheese")) << "less beside it";
    EXPECT_GT(sure("buy milk", "Buy fresh milk"), sure("milk buy", "Buy fresh milk")) << "another order";
    EXPECT_GT(sure("milk", "Fresh milk"), sure("mil", "Fresh milk")) << "a beginning";
    EXPECT_GT(sure("mil", "Fresh milk"), 0);
    EXPECT_EQ(sure("ilk", "Fresh milk"), 0) << "an end is none";
    EXPECT_EQ(sure("m", "Fresh milk"), 0) << "one letter begins too many";
    EXPECT_GT(sure("buy milk", "Buy milk soon"), sure("buy milk today please", "Buy milk soon"))
        << "words that are not there";
    EXPECT_EQ(sure("bread", "Buy milk"), 0);
}

TEST(TaskReference, closed_tasks_are_meant_less_often) {
    for (const TaskStatus closed : {TaskStatus::done, TaskStatus::rejected}) {
        EXPECT_LT(sure("Buy milk", "Buy milk", closed), resolved_confidence);
        EXPECT_LT(sure("milk", "Buy milk", closed), sure("milk", "Buy milk"));
    }
    EXPECT_EQ(sure("Buy milk", "Buy milk", TaskStatus::on_hold), 1);
}

TEST(TaskReference, the_most_likely_comes_first_and_of_equal_ones_the_newest) {
    const std::vector<model::JournalRecord> tasks{task("other", "Call Ada"), task("old", "Leg day"),
                                                  task("closed", "Leg day", TaskStatus::done),
                                                  task("more", "Leg day and squats"), task("new", "Leg day")};
    EXPECT_EQ(ids_of(rank_tasks("leg day", tasks)), (std::vector<std::string>{"new", "old", "more", "closed"}));
}

TEST(TaskReference, it_is_clear_which_one_is_meant_only_well_ahead_of_the_others) {
    const auto resolved = [](const std::vector<model::JournalRecord>& tasks, const std::string& reference) {
        const model::JournalRecord* const found = resolved_task(rank_tasks(reference, tasks));
        return found == nullptr ? std::string{} : found->id;
    };
    EXPECT_EQ(resolved({task("a", "Leg day")}, "leg day"), "a");
    EXPECT_EQ(resolved({task("a", "Leg day"), task("b", "Arm day")}, "leg day"), "a");
    EXPECT_EQ(resolved({task("a", "Leg day"), task("b", "Leg day")}, "leg day"), "") << "two of one title";
    EXPECT_EQ(resolved({task("a", "Leg day"), task("b", "Leg day soon")}, "leg day"), "") << "too close";
    EXPECT_EQ(resolved({task("a", "Leg day and a long walk home")}, "walk leg"), "a");
    EXPECT_EQ(resolved({task("a", "Leg day")}, "leg arm"), "") << "not sure enough";
    EXPECT_EQ(resolved({task("a", "Leg day", TaskStatus::done)}, "leg day"), "");
    EXPECT_EQ(resolved({}, "leg day"), "");
    const auto done = task("a", "Leg day", TaskStatus::done);
    const auto open = task("b", "Leg day");
    EXPECT_EQ(resolved({done, open}, "leg day"), "b");
}

TEST(TaskReference, a_lead_that_is_just_enough_is_enough) {
    const auto a = task("a", "A");
    const auto b = task("b", "B");
    EXPECT_EQ(resolved_task({{&a, 1}, {&b, 0.8}}), &a);
    EXPECT_EQ(resolved_task({{&a, 0.8}, {&b, 0.6}}), &a);
    EXPECT_EQ(resolved_task({{&a, 1}, {&b, 0.81}}), nullptr);
    EXPECT_EQ(resolved_task({{&a, 0.79}}), nullptr);
}

rc::Gen<std::string> some_words() {
    const auto word = rc::gen::element<std::string>("leg", "legs", "day", "Days", "milk", "buy", "a", "ÄPFEL", "äpf");
    return rc::gen::map(rc::gen::resize(5, rc::gen::container<std::vector<std::string>>(word)),
                        [](const std::vector<std::string>& words) {
                            std::string text;
                            for (const std::string& one : words) text += (text.empty() ? "" : " ") + one;
                            return text;
                        });
}

std::vector<model::JournalRecord> some_tasks() {
    std::vector<model::JournalRecord> tasks;
    const auto titles = *rc::gen::resize(8, rc::gen::container<std::vector<std::string>>(some_words()));
    for (const std::string& title : titles) {
        const auto status = *rc::gen::element(TaskStatus::open, TaskStatus::blocked, TaskStatus::done);
        tasks.push_back(task("t-" + std::to_string(tasks.size()), title, status));
    }
    return tasks;
}

TEST(TaskReference, ranks_the_same_in_whatever_order_they_come) {
    EXPECT_TRUE(rc::check([] {
        const std::string reference = *some_words();
        std::vector<model::JournalRecord> tasks = some_tasks();
        const auto ranked = rank_tasks(reference, tasks);
        const auto ids = ids_of(ranked);
        RC_ASSERT(std::ranges::is_sorted(ranked, std::greater{}, &RankedTask::confidence));
        for (const RankedTask& one : ranked) {
            RC_ASSERT(one.confidence > 0);
            RC_ASSERT(one.confidence <= 1);
        }
        const model::JournalRecord* const resolved = resolved_task(ranked);
        const std::string resolved_id = resolved == nullptr ? "" : resolved->id;
        std::ranges::reverse(tasks);
        const auto again = rank_tasks(reference, tasks);
        RC_ASSERT(ids_of(again) == ids);
        const model::JournalRecord* const then = resolved_task(again);
        RC_ASSERT((then == nullptr ? "" : then->id) == resolved_id);
    }));
}

TEST(TaskReference, another_task_never_makes_a_choice_out_of_doubt) {
    EXPECT_TRUE(rc::check([] {
        const std::string reference = *some_words();
        std::vector<model::JournalRecord> tasks = some_tasks();
        RC_PRE(!tasks.empty());
        const model::JournalRecord* const before = resolved_task(rank_tasks(reference, tasks));
        const std::string id = before == nullptr ? "" : before->id;
        tasks.push_back(task("one more", *some_words()));
        const model::JournalRecord* const after = resolved_task(rank_tasks(reference, tasks));
        if (after == nullptr) return;
        const bool is_known = after->id == id || after->id == "one more";
        RC_ASSERT(is_known);
        RC_ASSERT(task_confidence(reference, *after) >= resolved_confidence);
    }));
}

}  // namespace
}  // namespace belfry::rules
