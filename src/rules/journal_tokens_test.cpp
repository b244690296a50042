#include "rules/journal_tokens.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rules/journal_parent.hpp"
#include "rules/wake_key.hpp"

namespace belfry::rules {
namespace {

using model::JournalRecord;
using Strings = std::vector<std::string>;

JournalRecord record_of(model::JournalBody body, std::string id = "r", std::string category = "gym") {
    JournalRecord record;
    record.id = std::move(id);
    record.category_id = std::move(category);
    record.body = std::move(body);
    return record;
}

Strings texts(const std::vector<model::ChangeToken>& tokens) {
    Strings texts;
    for (const model::ChangeToken& token : tokens) texts.push_back(to_text(token));
    return texts;
}

TEST(JournalTokens, of_each_kind_are_its_key_its_subtypes_and_its_ids) {
    const auto made = [](model::JournalBody body) { return texts(change_tokens(nullptr, record_of(std::move(body)))); };
    EXPECT_EQ(texts(change_tokens(nullptr, record_of(model::Category{}, "gym"))),
              (Strings{"key:CATEGORY", "sub:category/gym", "id:gym"}));
    EXPECT_EQ(made(model::Label{}), (Strings{"key:LABEL", "sub:category/gym", "id:r"}));
    model::Task task;
    task.status = model::TaskStatus::in_progress;
    task.priority = model::TaskPriority::p0;
    EXPECT_EQ(made(task),
              (Strings{"key:TASK", "sub:task.status/in_progress", "sub:task.priority/p0", "sub:category/gym", "id:r"}));
    EXPECT_EQ(made(model::Checklist{"t", "x", 0}), (Strings{"key:CHECKLIST", "sub:category/gym", "id:r", "id:t"}));
    EXPECT_EQ(made(model::ChecklistItem{"c", "x", false, 0}),
              (Strings{"key:CHECKLIST_ITEM", "sub:category/gym", "id:r", "id:c"}));
    EXPECT_EQ(made(model::TimeEntry{}), (Strings{"key:TIME_ENTRY", "sub:category/gym", "id:r"}));
    EXPECT_EQ(made(model::DayPlan{}), (Strings{"key:DAY_PLAN", "sub:category/gym", "id:r"}));
    EXPECT_EQ(made(model::Rating{model::RatingTarget::session, "te", 3, ""}),
              (Strings{"key:RATING", "sub:rating.target/session", "sub:category/gym", "id:r", "id:te"}));
    EXPECT_EQ(made(model::Rating{model::RatingTarget::day, "2026-11-16", 3, ""}),
              (Strings{"key:RATING", "sub:rating.target/day", "sub:category/gym", "id:r"}));
}

TEST(JournalTokens, of_entries_are_by_their_type) {
    model::Entry entry;
    const auto made = [&](model::EntryType type) {
        entry.type = type;
        return texts(change_tokens(nullptr, record_of(entry)));
    };
    EXPECT_EQ(made(model::EntryType::text),
              (Strings{"key:TEXT_ENTRY", "sub:entry.type/text", "sub:category/gym", "id:r"}));
    EXPECT_EQ(made(model::EntryType::audio).front(), "key:AUDIO");
    EXPECT_EQ(made(model::EntryType::ai_response).front(), "key:AI_RESPONSE");
    entry.workout_type = "running";
    EXPECT_EQ(made(model::EntryType::workout), (Strings{"key:WORKOUT", "sub:entry.type/workout",
                                                        "sub:workout.type/running", "sub:category/gym", "id:r"}));
}

TEST(JournalTokens, of_a_move_name_where_it_was_and_where_it_is) {
    const JournalRecord before = record_of(model::ChecklistItem{"c-1", "x", false, 0}, "i", "home");
    const JournalRecord after = record_of(model::ChecklistItem{"c-2", "x", false, 0}, "i", "work");
    EXPECT_EQ(texts(change_tokens(&before, after)),
              (Strings{"key:CHECKLIST_ITEM", "sub:category/home", "sub:category/work", "id:i", "id:c-1", "id:c-2"}));
}

TEST(JournalTokens, of_a_link_name_its_relation_and_both_its_ends) {
    model::Link link;
    link.relation = "blocked_by";
    link.from_id = "a";
    link.to_id = "b";
    EXPECT_EQ(texts(change_tokens(link)), (Strings{"key:LINK", "sub:link.relation/blocked_by", "id:a", "id:b"}));
}

TEST(JournalTokens, what_does_not_fit_is_left_out) {
    const JournalRecord record = record_of(model::Label{}, std::string(200, 'x'), std::string(195, 'c'));
    EXPECT_EQ(texts(change_tokens(nullptr, record)), Strings{"key:LABEL"});
}

TEST(JournalTokens, each_is_there_once_whatever_a_record_was_before) {
    EXPECT_TRUE(rc::check([] {
        const auto some = [] { return *rc::gen::element<std::string>("a", "b", ""); };
        const JournalRecord before = record_of(model::Checklist{some(), "x", 0}, "r", some());
        const JournalRecord after = record_of(model::Checklist{some(), "x", 0}, "r", some());
        Strings tokens = texts(change_tokens(&before, after));
        std::ranges::sort(tokens);
        RC_ASSERT(std::ranges::adjacent_find(tokens) == tokens.end());
        for (const std::string& token : texts(change_tokens(nullptr, after))) {
            RC_ASSERT(std::ranges::binary_search(tokens, token));
        }
    }));
}

TEST(LinkKey, is_what_it_always_was_and_each_part_counts) {
    EXPECT_EQ(link_key("blocked_by", "a", "b"), "8ff672bf8fbd87364799602e66d2b1be4b05108c8666978070cfde9b9ce97085");
    const Strings keys{link_key("r", "a", "b"), link_key("r", "b", "a"), link_key("ra", "", "b"),
                       link_key("r", "ab", ""), link_key("q", "a", "b")};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]);
    }
}

TEST(JournalParent, says_who_follows_it) {
    using enum model::JournalKind;
    for (const auto kind : {checklist, checklist_item}) EXPECT_TRUE(moves_with_parent(kind) && goes_with_parent(kind));
    EXPECT_TRUE(moves_with_parent(time_entry));
    EXPECT_FALSE(goes_with_parent(time_entry));
    for (const auto kind : {category, label, entry, task, day_plan, rating}) {
        EXPECT_FALSE(moves_with_parent(kind) || goes_with_parent(kind));
    }
}

}  // namespace
}  // namespace belfry::rules
