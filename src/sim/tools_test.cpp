#include "sim/tools_world_test.hpp"

// How calls of tools are checked, allowed, done once and recorded, whatever the tool.
namespace belfry::sim {
namespace {

using model::ToolStatus;

class Tools : public ToolsWorld {};

TEST_F(Tools, a_call_and_its_result_are_recorded_with_what_was_allowed_and_what_was_changed) {
    const auto called = call("create_task", R"({"title":"Run","categoryId":"gym"})", "first");
    const std::string id = text_in(said(called), "task.taskId");
    const model::AgentMessage& action = called->action;
    EXPECT_EQ(action.kind, model::AgentMessageKind::action);
    EXPECT_EQ(action.metadata.operation_id, "first");
    EXPECT_EQ(action.action->tool_name, "create_task");
    EXPECT_EQ(action.action->scope_snapshot, (Names{"gym", "home"}));
    EXPECT_EQ(action.content.bytes(), R"({"title":"Run","categoryId":"gym"})");
    const model::AgentMessage& result = *called->result;
    EXPECT_EQ(result.metadata.action_ref_id, action.id);
    EXPECT_EQ(result.metadata.status, ToolStatus::success);
    EXPECT_EQ(result.tool_result->changed_entity_ids, Names{id});
    EXPECT_EQ(result.tool_result->changed_tokens,
              (Names{"id:" + id, "key:TASK", "sub:category/gym", "sub:task.priority/p2", "sub:task.status/open"}));
    EXPECT_EQ(record(id).category_id, "gym");
}

}  // namespace
}  // namespace belfry::sim
