#include "rules/effect_id.hpp"
#include "sim/tools_world_test.hpp"

// What a run makes has its ids from its operations, so that two devices that both run it have made the same.
namespace belfry::sim {
namespace {

class EffectIds : public ToolsWorld {
protected:
    static std::string made(const std::string& operation, std::uint64_t ordinal) {
        return base::format_uuid(rules::made_record_id("ada", "coach", operation, ordinal));
    }
    base::Result<ports::AppendedMessages> append(std::vector<model::AgentMessage> drafts) {
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = held().id;
        command->fence = held().fence;
        command->drafts = std::move(drafts);
        return try_to(std::move(command));
    }
    static model::AgentMessage thought(const std::string& text) {
        model::AgentMessage draft;
        draft.kind = model::AgentMessageKind::thought;
        draft.content = model::RawJson::trusted('"' + text + '"');
        return draft;
    }
};

TEST_F(EffectIds, an_action_and_its_result_have_theirs_from_the_operation) {
    const Called called = call("create_task", R"({"title":"Run","categoryId":"gym"})", "first");
    said(called);
    EXPECT_EQ(called->action.id, rules::action_message_id("coach", "first"));
    EXPECT_EQ(called->result->id, rules::result_message_id("coach", "first"));
    const auto planned = plan({{"create_task", model::RawJson::trusted(R"({"title":"a","categoryId":"gym"})")}});
    const Called second = call_planned(planned[0].operation_id);
    EXPECT_EQ(second->action.id, rules::action_message_id("coach", planned[0].operation_id));
}

TEST_F(EffectIds, so_have_those_that_a_worker_tells_of) {
    const auto planned = plan({{"mail", model::RawJson::trusted("{}")}});
    model::AgentMessage result;
    result.kind = model::AgentMessageKind::tool_result;
    result.metadata.operation_id = planned[0].operation_id;
    result.metadata.status = model::ToolStatus::success;
    result.tool_result.emplace();
    const auto told = append({thought("hm"), result});
    ASSERT_TRUE(told.ok()) << told.error().message;
    EXPECT_EQ(told->messages[1].id, rules::result_message_id("coach", planned[0].operation_id));
    EXPECT_EQ(told->messages[1].metadata.action_ref_id, rules::action_message_id("coach", planned[0].operation_id));
    EXPECT_EQ(base::format_uuid(told->messages[0].id).at(14), '7') << "a thought is of no operation";
}

TEST_F(EffectIds, one_that_somebody_has_taken_is_not_given_twice) {
    model::AgentMessage taker = thought("mine");
    taker.id = rules::action_message_id("coach", "o");
    ASSERT_TRUE(append({taker}).ok());
    const Called called = call("create_task", R"({"title":"Run","categoryId":"gym"})", "o");
    said(called);
    EXPECT_NE(called->action.id, taker.id);
    EXPECT_EQ(called->result->metadata.action_ref_id, called->action.id);
}

TEST_F(EffectIds, records_that_a_tool_makes_are_counted_within_their_operation) {
    const auto first = said(call("create_task", R"({"title":"Run","categoryId":"gym"})", "a"));
    EXPECT_EQ(text_in(first, "task.taskId"), made("a", 0));
    const std::string task = made("a", 0);
    const auto list = said(call(
        "create_checklist", R"({"taskId":")" + task + R"(","title":"x","items":[{"title":"y"},{"title":"z"}]})", "b"));
    for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(record(made("b", i)).id, made("b", i)) << i;
    EXPECT_EQ(text_in(list, "checklist.checklistId"), made("b", 0));
    EXPECT_EQ(body<model::ChecklistItem>(made("b", 1)).title, "y");
    EXPECT_EQ(body<model::ChecklistItem>(made("b", 2)).title, "z");
}

TEST_F(EffectIds, blocks_of_a_day_are_counted_as_well) {
    said(call("upsert_day_plan_blocks",
              R"({"planDate":"2027-01-16","upserts":[)"
              R"({"startTime":"2027-01-16T10:00:00Z","endTime":"2027-01-16T11:00:00Z","categoryId":"gym"},)"
              R"({"startTime":"2027-01-16T12:00:00Z","endTime":"2027-01-16T13:00:00Z","categoryId":"gym"}]})",
              "p"));
    const auto plan = body<model::DayPlan>(model::day_plan_id("2027-01-16"));
    ASSERT_EQ(plan.blocks.size(), 2U);
    EXPECT_EQ(plan.blocks[0].id, made("p", 0));
    EXPECT_EQ(plan.blocks[1].id, made("p", 1));
}

TEST_F(EffectIds, what_was_previewed_is_made_under_the_operation_that_does_it) {
    add_task("t", "gym");
    add_checklist("l", "t");
    add_item("i", "l");
    const std::string arguments = R"({"taskId":"t","followUpTitle":"More"})";
    const std::string token = text_in(
        said(call("conclude_task_with_rollover", with(arguments, R"("previewOnly":true)"), "see")), "previewToken");
    said(call("conclude_task_with_rollover", with(arguments, R"("previewToken":")" + token + '"'), "do"));
    EXPECT_EQ(body<model::Task>(made("do", 0)).title, "More");
    const JournalLook all = look();
    EXPECT_FALSE(all.records.contains({"ada", made("see", 0)}));
}

TEST_F(EffectIds, a_word_to_the_person_has_one_and_a_second_call_of_it_another) {
    const auto told = said(call("notify_user", R"({"text":"hello"})", "n"));
    EXPECT_EQ(text_in(told, "notification_id"), base::format_uuid(rules::told_notification_id("coach", "n")));
    EXPECT_NE(text_in(said(call("notify_user", R"({"text":"hello"})", "m")), "notification_id"),
              text_in(told, "notification_id"));
}

TEST_F(EffectIds, long_content_lies_under_an_id_that_comes_of_its_message) {
    const auto told = append({thought(std::string(5'000, 'x'))});
    ASSERT_TRUE(told.ok()) << told.error().message;
    EXPECT_EQ(told->messages[0].content_entry_id, rules::message_content_id(told->messages[0].id));
}

}  // namespace
}  // namespace belfry::sim
