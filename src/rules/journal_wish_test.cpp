#include "rules/journal_wish.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rules/journal_check.hpp"
#include "rules/journal_references.hpp"

namespace belfry::rules {
namespace {

using Strings = std::vector<std::string>;
using model::JournalBody;
using model::JournalWish;

// Of a task: title, text, status, priority, due_date, estimate_min, language, label_ids.
constexpr std::uint32_t title = 1U << 0;
constexpr std::uint32_t status = 1U << 2;
constexpr std::uint32_t labels = 1U << 7;

JournalWish wish_of(JournalBody values, std::uint32_t given) {
    JournalWish wish;
    wish.values = std::move(values);
    wish.given = given;
    return wish;
}

TEST(JournalWish, puts_what_it_names_and_leaves_the_rest) {
    model::Task there;
    there.title = "a";
    there.text = "t";
    JournalBody body = there;
    model::Task values;
    values.title = "b";
    values.status = model::TaskStatus::done;
    EXPECT_TRUE(*apply_wish(body, wish_of(values, status), WishFor::change));
    const auto& now = std::get<model::Task>(body);
    EXPECT_EQ(now.title, "a");
    EXPECT_EQ(now.text, "t");
    EXPECT_EQ(now.status, model::TaskStatus::done);
    EXPECT_FALSE(*apply_wish(body, wish_of(values, status), WishFor::change)) << "it is so already";
    EXPECT_TRUE(*apply_wish(body, wish_of(values, title | status), WishFor::change));
    EXPECT_EQ(now.title, "b");
}

TEST(JournalWish, what_stays_as_it_was_made_is_refused_where_it_differs) {
    model::Entry there;
    there.type = model::EntryType::audio;
    there.text = "x";
    JournalBody body = there;
    model::Entry values = there;
    EXPECT_FALSE(*apply_wish(body, wish_of(values, 1U), WishFor::change)) << "the same type is no change";
    values.type = model::EntryType::text;
    values.text = "y";
    const auto refused = apply_wish(body, wish_of(values, 3U), WishFor::change);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().field, "type");
    body = model::Entry{};
    EXPECT_TRUE(*apply_wish(body, wish_of(there, 3U), WishFor::making)) << "a new one may be anything";
    model::DayPlan plan;
    plan.plan_date = "2026-11-16";
    body = plan;
    plan.plan_date = "2026-11-17";
    EXPECT_EQ(apply_wish(body, wish_of(plan, 1U), WishFor::change).error().field, "plan_date");
    body = model::Rating{model::RatingTarget::day, "2026-11-16", 3, ""};
    const model::Rating other{model::RatingTarget::productivity, "2026-11-17", 3, ""};
    EXPECT_EQ(apply_wish(body, wish_of(other, 3U), WishFor::change).error().field, "target");
    EXPECT_EQ(apply_wish(body, wish_of(other, 2U), WishFor::change).error().field, "target_id");
}

TEST(JournalWish, lists_are_kept_each_once_and_blocks_by_their_start) {
    JournalBody body = model::Task{};
    model::Task values;
    values.label_ids = {"b", "a", "b"};
    EXPECT_TRUE(*apply_wish(body, wish_of(values, labels), WishFor::change));
    EXPECT_EQ(std::get<model::Task>(body).label_ids, (Strings{"b", "a"}));
    EXPECT_FALSE(*apply_wish(body, wish_of(values, labels), WishFor::change));
    body = model::DayPlan{};
    model::DayPlan plan;
    plan.blocks = {{"late", "c", base::Timestamp{5}, base::Timestamp{6}, "", ""},
                   {"first", "c", base::Timestamp{1}, base::Timestamp{9}, "", ""},
                   {"second", "c", base::Timestamp{1}, base::Timestamp{2}, "", ""}};
    EXPECT_TRUE(*apply_wish(body, wish_of(plan, 1U << 2), WishFor::change));
    Strings order;
    for (const model::PlanBlock& block : std::get<model::DayPlan>(body).blocks) order.push_back(block.id);
    EXPECT_EQ(order, (Strings{"first", "second", "late"}));
}

TEST(JournalWish, knows_which_fields_it_names) {
    EXPECT_TRUE(is_given(wish_of(model::TimeEntry{}, 1U << 2), "started_at"));
    EXPECT_FALSE(is_given(wish_of(model::TimeEntry{}, 1U << 1), "started_at"));
    EXPECT_FALSE(is_given(wish_of(model::TimeEntry{}, ~0U), "no_such_field"));
}

TEST(JournalWish, the_second_time_it_changes_nothing) {
    EXPECT_TRUE(rc::check([] {
        const auto some = [] { return *rc::gen::element<std::string>("", "a", "b"); };
        model::Task there;
        there.title = some();
        there.due_date = some();
        model::Task values;
        values.title = some();
        values.text = some();
        values.due_date = some();
        values.label_ids = {some(), some()};
        values.estimate_min = *rc::gen::inRange(0, 3);
        const JournalWish wish = wish_of(values, *rc::gen::inRange<std::uint32_t>(0, 256));
        JournalBody body = there;
        const bool is_changed = *apply_wish(body, wish, WishFor::change);
        RC_ASSERT(is_changed == (body != JournalBody(there)));
        const JournalBody once = body;
        RC_ASSERT(!*apply_wish(body, wish, WishFor::change));
        RC_ASSERT(body == once);
    }));
}

TEST(JournalReferences, are_all_that_a_body_names) {
    const auto texts = [](const JournalBody& body) {
        Strings found;
        for (const JournalReference& one : references_of(body)) {
            found.push_back(one.field + "=" + std::string(model::journal_kind_name(one.kind)) + ":" + one.id);
        }
        return found;
    };
    model::Task task;
    task.label_ids = {"l"};
    EXPECT_EQ(texts(task), Strings{"label_ids=label:l"});
    model::TimeEntry time;
    EXPECT_EQ(texts(time), Strings{});
    time.task_id = "t";
    time.source_entry_id = "e";
    EXPECT_EQ(texts(time), (Strings{"task_id=task:t", "source_entry_id=entry:e"}));
    EXPECT_EQ(texts(model::Rating{model::RatingTarget::day, "2026-11-16", 1, ""}), Strings{});
    EXPECT_EQ(texts(model::Rating{model::RatingTarget::session, "te", 1, ""}), Strings{"target_id=time_entry:te"});
    model::DayPlan plan;
    plan.blocks = {{"b", "c", {}, {}, "", "t"}};
    plan.pinned_task_ids = {"p"};
    EXPECT_EQ(texts(plan),
              (Strings{"blocks.category_id=category:c", "blocks.task_id=task:t", "pinned_task_ids=task:p"}));
}

}  // namespace
}  // namespace belfry::rules
