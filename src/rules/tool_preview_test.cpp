#include "rules/tool_preview.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace belfry::rules {
namespace {

model::JournalRecord task(const std::string& id, std::int64_t revision) {
    model::JournalRecord record;
    record.id = id;
    record.revision = revision;
    model::Task body;
    body.title = "Title of " + id;
    record.body = body;
    return record;
}

std::string token(std::string_view arguments, const std::vector<TrialChange>& changes, std::string_view tool = "mend") {
    return preview_token("coach", tool, {arguments}, changes);
}

TEST(ToolPreview, a_change_is_told_by_what_happens_to_a_record_of_which_kind) {
    model::JournalRecord gone = task("gone", 3);
    gone.deleted_at = base::Timestamp{1};
    model::JournalRecord rating;
    rating.id = "r";
    rating.body = model::Rating{};
    std::string told;
    model::JsonWriter writer(told);
    append_changes(writer, std::vector{trial_change_of(task("t", 2), false), trial_change_of(task("n", 1), true),
                                       trial_change_of(gone, false), trial_change_of(rating, false)});
    EXPECT_EQ(told, R"([{"change":"changed","kind":"task","id":"t","title":"Title of t"},)"
                    R"({"change":"made","kind":"task","title":"Title of n"},)"
                    R"({"change":"deleted","kind":"task","id":"gone","title":"Title of gone"},)"
                    R"({"change":"changed","kind":"rating","id":"r"}])");
}

TEST(ToolPreview, no_more_than_a_hundred_are_told) {
    const std::vector<TrialChange> many(150, trial_change_of(task("t", 2), false));
    std::string told;
    model::JsonWriter writer(told);
    append_changes(writer, many);
    std::size_t count = 0;
    model::JsonWalker walker({told});
    while (walker.next()) ++count;
    EXPECT_EQ(count, 100U);
    // Those that are not told count as well.
    EXPECT_NE(token("{}", many), token("{}", std::vector(149, many.front())));
}

TEST(ToolPreview, a_token_stands_for_the_tool_its_arguments_and_what_would_change) {
    const std::vector<TrialChange> changes{trial_change_of(task("t", 2), false)};
    const std::string first = token(R"({"a":1,"b":"x"})", changes);
    EXPECT_EQ(first.size(), 32U);
    EXPECT_EQ(token(R"({"b":"x","a":1.0})", changes), first) << "the same, spelled otherwise";
    EXPECT_EQ(token(R"({"a":1,"b":"x","previewOnly":true,"operationId":"o"})", changes), first);
    EXPECT_EQ(token(R"({"a":1,"b":"x","previewToken":"z"})", changes), first);
    EXPECT_NE(token(R"({"a":2,"b":"x"})", changes), first);
    EXPECT_NE(token(R"({"a":1})", changes), first);
    EXPECT_NE(token(R"({"a":1,"b":"x"})", changes, "break"), first);
    EXPECT_NE(token(R"({"a":1,"b":"x"})", {}), first);
    EXPECT_NE(token(R"({"a":1,"b":"x"})", {trial_change_of(task("t", 3), false)}), first) << "changed in between";
    EXPECT_NE(token(R"({"a":1,"b":"x"})", {trial_change_of(task("u", 2), false)}), first);
}

TEST(ToolPreview, ids_of_what_would_be_made_do_not_count) {
    TrialChange one = trial_change_of(task("t", 1), true);
    TrialChange other = one;
    other.id = "another";
    EXPECT_EQ(token("{}", {one}), token("{}", {other}));
    other.title = "Another";
    EXPECT_NE(token("{}", {one}), token("{}", {other}));
}

TEST(ToolPreview, an_agent_cannot_use_the_token_of_another_agent) {
    const std::vector<TrialChange> changes{trial_change_of(task("t", 2), false)};
    EXPECT_NE(preview_token("coach", "mend", {"{}"}, changes), preview_token("planner", "mend", {"{}"}, changes));
}

TEST(ToolPreview, the_result_has_no_ids_of_records_that_do_not_exist_yet) {
    const std::vector<TrialChange> changes{trial_change_of(task("old", 2), false),
                                           trial_change_of(task("n-1", 1), true),
                                           trial_change_of(task("n-2", 1), true)};
    EXPECT_EQ(without_new_ids(R"({"a":"n-1","b":["n-2","n-1"],"c":"old","d":"n-1 in a text"})", {"{}"}, changes),
              R"({"a":"new-1","b":["new-2","new-1"],"c":"old","d":"n-1 in a text"})");
    EXPECT_EQ(without_new_ids(R"({"a":"n-1","b":"n-2"})", {R"({"taskId":"n-1"})"}, changes),
              R"({"a":"n-1","b":"new-2"})")
        << "the caller chose this id";
}

}  // namespace
}  // namespace belfry::rules
