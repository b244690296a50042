#include "rules/change_sight.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

const std::vector<std::string> gym{"gym"};

model::Change change(std::string kind, std::string id, const std::vector<std::string>& tokens) {
    model::Change change;
    change.unit.kind = std::move(kind);
    change.unit.id = std::move(id);
    for (const std::string& token : tokens) change.tokens.push_back(*model::ChangeToken::parse(token));
    return change;
}

std::string told(const model::Change& of, const std::set<std::string>& seen = {},
                 const std::vector<std::string>& allowed = gym) {
    const auto part = told_part(of, allowed, seen);
    if (!part) return "nothing";
    std::string text;
    for (const model::ChangeToken& token : part->tokens) text += model::to_text(token) + " ";
    return text;
}

TEST(ChangeSight, a_record_of_an_allowed_category_is_told_of_and_others_are_not) {
    const auto task = change("task", "t", {"key:TASK", "sub:task.status/open", "sub:category/gym", "id:t"});
    EXPECT_EQ(told(task), "key:TASK sub:task.status/open sub:category/gym id:t ");
    EXPECT_TRUE(named_by(task).empty()) << "no record is read";
    EXPECT_FALSE(may_be_told(task, std::vector<std::string>{"work"}));
    EXPECT_EQ(told(task, {}, {"work"}), "nothing");
    EXPECT_EQ(told(task, {}, {}), "nothing");
    EXPECT_EQ(told(change("task", "t", {"key:TASK", "id:t"})), "nothing") << "its category is not known";
}

TEST(ChangeSight, what_moves_does_not_tell_the_other_category) {
    const std::vector<std::string> tokens{"key:TASK", "sub:task.status/done", "sub:category/work", "sub:category/gym",
                                          "id:t"};
    EXPECT_EQ(told(change("task", "t", tokens)), "key:TASK sub:task.status/done sub:category/gym id:t ");
    EXPECT_EQ(told(change("task", "t", tokens), {}, {"work"}), "key:TASK sub:category/work id:t ")
        << "it has left: what it is now is not told";
}

TEST(ChangeSight, what_it_belongs_to_is_told_where_it_is_seen) {
    const auto time = change("time_entry", "e", {"key:TIME_ENTRY", "sub:category/gym", "id:e", "id:t"});
    EXPECT_EQ(named_by(time), std::vector<std::string>{"t"});
    EXPECT_EQ(told(time, {"t"}), "key:TIME_ENTRY sub:category/gym id:e id:t ");
    EXPECT_EQ(told(time), "key:TIME_ENTRY sub:category/gym id:e ");
    const auto rating =
        change("rating", "rating:session:e", {"key:RATING", "sub:category/gym", "id:rating:session:e", "id:e"});
    EXPECT_EQ(told(rating), "nothing") << "its own id has the other";
    EXPECT_NE(told(rating, {"e"}), "nothing");
}

TEST(ChangeSight, a_link_is_told_of_where_both_its_ends_are_seen) {
    const auto link = change("link", "hash", {"key:LINK", "sub:link.relation/parent", "id:a", "id:b"});
    EXPECT_EQ(named_by(link), (std::vector<std::string>{"a", "b"}));
    EXPECT_NE(told(link, {"a", "b"}), "nothing");
    EXPECT_EQ(told(link, {"a"}), "nothing");
    EXPECT_EQ(told(link, {"b"}), "nothing");
    EXPECT_FALSE(may_be_told(link, {}));
    EXPECT_EQ(told(change("link", "hash", {"key:LINK", "id:a"}), {"a"}), "nothing") << "the other end has no token";
}

TEST(ChangeSight, other_changes_are_told_as_they_are) {
    const auto agent = change("agent", "coach", {"key:agentChanged", "id:coach", "id:other"});
    EXPECT_TRUE(may_be_told(agent, {}));
    EXPECT_EQ(told(agent, {}, {}), "key:agentChanged id:coach id:other ");
    EXPECT_TRUE(named_by(agent).empty());
}

}  // namespace
}  // namespace belfry::rules
