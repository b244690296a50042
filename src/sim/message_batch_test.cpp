#include <functional>
#include <string>
#include <vector>

#include "ports/commands/agent_messages.hpp"
#include "sim/changes_world_test.hpp"

// Messages that a worker appends together, and why a batch of them is rejected.
namespace belfry::sim {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;

class MessageBatches : public Changes {
protected:
    MessageBatches() {
        make_agent("fixer");
        wake_now("fixer", "r");
        wake_ = claim("fixer")->wake;
    }

    base::Result<ports::AppendedMessages> append(std::vector<AgentMessage> drafts) {
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = wake_.id;
        command->fence = wake_.fence;
        command->drafts = std::move(drafts);
        return try_to(std::move(command));
    }
    static AgentMessage thought(const std::string& text) {
        AgentMessage draft;
        draft.kind = AgentMessageKind::thought;
        draft.content = model::RawJson::trusted('"' + text + '"');
        return draft;
    }
    static AgentMessage action(const std::string& operation) {
        AgentMessage draft;
        draft.kind = AgentMessageKind::action;
        draft.action.emplace().tool_name = "mail";
        draft.metadata.operation_id = operation;
        return draft;
    }
    static AgentMessage summary(const base::Uuid& start, const base::Uuid& end) {
        AgentMessage draft = thought("both");
        draft.kind = AgentMessageKind::summary;
        draft.summary_start_message_id = start;
        draft.summary_end_message_id = end;
        return draft;
    }

    model::Wake wake_;
};

TEST_F(MessageBatches, name_the_message_that_does_not_fit_and_record_none) {
    const auto recorded = append({action("op"), thought("one")});
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    AgentMessage heavy = thought("two");
    heavy.tokens_approx = -1;
    AgentMessage result;
    result.kind = AgentMessageKind::tool_result;
    result.tool_result.emplace();
    result.metadata.status = model::ToolStatus::success;
    result.metadata.action_ref_id = recorded->messages[0].id;
    result.metadata.operation_id = "another";
    base::Uuid nobody;
    nobody.bytes[0] = 9;
    const std::vector<std::pair<AgentMessage, std::string>> wrong{
        {heavy, "messages[1].tokens_approx"},
        {result, "messages[1].tool_result.operation_id"},
        {summary(recorded->messages[1].id, nobody), "messages[1].summary_end_message_id"},
    };
    for (const auto& [draft, field] : wrong) {
        const auto rejected = append({thought("before it"), draft});
        ASSERT_FALSE(rejected.ok()) << field;
        EXPECT_EQ(rejected.error().field, field);
        EXPECT_EQ(rejected.error().code, base::Code::invalid) << field;
    }
    ASSERT_TRUE(store_->begin().ok());
    const auto all = store_->agent_messages().newest(wake_.thread_id, 100);
    store_->rollback();
    ASSERT_TRUE(all.ok());
    EXPECT_EQ(all->size(), 2U);
}

}  // namespace
}  // namespace belfry::sim
