#include <optional>

#include "store/agent_message_table.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;
using Numbers = std::vector<int>;

base::Uuid uuid(int number) {
    base::Uuid id;
    id.bytes[14] = static_cast<std::uint8_t>(number >> 8);
    id.bytes[15] = static_cast<std::uint8_t>(number & 0xFF);
    return id;
}

AgentMessage message(int number, const std::string& thread = "a:run:k", std::int64_t at = 0) {
    AgentMessage made;
    made.id = uuid(number);
    made.agent_id = "a";
    made.thread_id = thread;
    made.kind = AgentMessageKind::thought;
    made.position = number;
    made.created_at = base::Timestamp{at == 0 ? number : at};
    made.content = model::RawJson::trusted('"' + std::to_string(number) + '"');
    return made;
}

AgentMessage action(int number, const std::string& operation) {
    AgentMessage made = message(number);
    made.kind = AgentMessageKind::action;
    made.metadata.operation_id = operation;
    made.action = model::ActionEnvelope{model::ActionType::tool_call, "mail", "hash", {"gym", "o\"dd"}};
    return made;
}

AgentMessage result(int number, const AgentMessage& of) {
    AgentMessage made = message(number);
    made.kind = AgentMessageKind::tool_result;
    made.metadata.operation_id = of.metadata.operation_id;
    made.metadata.action_ref_id = of.id;
    made.metadata.status = model::ToolStatus::partial;
    made.metadata.error_code = "half";
    made.metadata.error_message = "the other half";
    made.metadata.extension = model::RawJson::trusted(R"({"acme.x":1})");
    made.tool_result = model::ResultEnvelope{{"task-1"}, {"id:task-1"}};
    return made;
}

Numbers numbers(const base::Result<std::vector<AgentMessage>>& messages) {
    EXPECT_OK(messages);
    Numbers found;
    if (messages.ok()) {
        for (const AgentMessage& one : *messages) found.push_back(static_cast<int>(one.position));
    }
    return found;
}

class AgentMessages : public StoreSuite {
protected:
    void SetUp() override {
        StoreSuite::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        scribe_.emplace(world());
        scribe_->open();
        scribe_->begin();
    }
    SqlStore& store() { return scribe_->store(); }
    ports::AgentMessageTable& table() { return store().agent_messages(); }
    void add(const std::vector<AgentMessage>& messages) { EXPECT_OK(table().add(messages)); }
    std::unique_ptr<ports::Reading> seen() {
        scribe_->commit();
        return world().reading();
    }

private:
    std::optional<Scribe> scribe_;
};
BELFRY_ON_BOTH_DATABASES(AgentMessages);

TEST_P(AgentMessages, come_back_as_they_were) {
    AgentMessage large = message(1);
    large.content_entry_id = uuid(500);
    large.content = model::RawJson::trusted('"' + std::string(5000, 'x') + '"');
    large.trigger_source_id = "r";
    large.tokens_approx = 7;
    const AgentMessage act = action(2, "op");
    const AgentMessage done = result(3, act);
    AgentMessage summary = message(4);
    summary.kind = AgentMessageKind::summary;
    summary.prev_message_id = uuid(3);
    summary.summary_start_message_id = uuid(1);
    summary.summary_end_message_id = uuid(2);
    summary.summary_depth = 2;
    add({large, act, done, summary});
    EXPECT_EQ(*table().last_position(), 4);
    for (const AgentMessage& wanted : {large, act, done, summary}) {
        const auto found = table().find(std::span(&wanted.id, 1));
        ASSERT_OK(found);
        ASSERT_EQ(found->size(), 1U);
        EXPECT_EQ(found->front(), wanted);
    }
    EXPECT_EQ(table().find_action("a", "op")->value(), act);
    EXPECT_FALSE(*table().find_action("b", "op"));
    EXPECT_EQ(table().result_of(act.id)->value(), done);
    EXPECT_FALSE(*table().result_of(done.id));
    const auto reading = seen();
    EXPECT_EQ(reading->agent_messages().find(large.id)->value(), large);
    large.content = {};
    ports::AgentMessageFilter of_agent;
    of_agent.agent_id = "a";
    of_agent.limit = 10;
    EXPECT_EQ(reading->agent_messages().list(of_agent)->back(), large) << "what lies apart is not in lists";
}

TEST_P(AgentMessages, are_read_newest_first_a_page_after_the_other) {
    std::vector<AgentMessage> all;
    for (int i = 1; i <= 9; ++i) all.push_back(message(i, i % 2 == 0 ? "a:session:s" : "a:run:k", (i + 2) / 3));
    all.push_back(message(10));
    all.back().agent_id = "b";
    add(all);
    EXPECT_EQ(numbers(table().newest("a:session:s", 2)), (Numbers{8, 6}));
    const auto reading = seen();
    ports::AgentMessageFilter filter;
    filter.agent_id = "a";
    filter.limit = 4;
    EXPECT_EQ(numbers(reading->agent_messages().list(filter)), (Numbers{9, 8, 7, 6}));
    filter.after = uuid(6);
    EXPECT_EQ(numbers(reading->agent_messages().list(filter)), (Numbers{5, 4, 3, 2}));
    filter.thread_id = "a:session:s";
    EXPECT_EQ(numbers(reading->agent_messages().list(filter)), (Numbers{4, 2}));
    filter.agent_id = "b";
    EXPECT_EQ(numbers(reading->agent_messages().list(filter)), (Numbers{})) << "a thread is its agent's";
    filter.after = uuid(77);
    EXPECT_EQ(numbers(reading->agent_messages().list(filter)), (Numbers{}));
}

TEST_P(AgentMessages, are_found_by_what_they_have_changed) {
    model::AgentRecord agent;
    agent.agent.id = agent.state.agent_id = agent.runtime.agent_id = "a";
    agent.agent.user_id = "ada";
    EXPECT_OK(store().agents().put(std::span(&agent, 1)));
    add({message(1), message(2), message(3)});
    EXPECT_OK(table().link(std::vector<model::AgentLink>{
        {model::AgentRelation::tool_effect, uuid(1), "task", "ada", base::Timestamp{1}},
        {model::AgentRelation::tool_effect, uuid(3), "task", "ada", base::Timestamp{3}},
        {model::AgentRelation::message_prev, uuid(2), "task", "ada", base::Timestamp{2}}}));
    const auto reading = seen();
    ports::AgentMessageFilter filter;
    filter.agent_id = "a";
    filter.changed_entity_id = "task";
    filter.limit = 10;
    EXPECT_EQ(numbers(reading->agent_messages().list(filter)), (Numbers{3, 1}));
    filter.after = uuid(3);
    EXPECT_EQ(numbers(reading->agent_messages().list(filter)), (Numbers{1}));
    filter.thread_id = "a:session:s";
    EXPECT_EQ(numbers(reading->agent_messages().list(filter)), (Numbers{}));
}

TEST_P(AgentMessages, have_one_action_an_operation_and_one_result_an_action) {
    const AgentMessage act = action(1, "op");
    add({act, result(2, act)});
    EXPECT_FALSE(table().add(std::vector{result(3, act)}).ok()) << "the last guard, whatever the engine does";
}

TEST_P(AgentMessages, have_plans_by_rounds) {
    model::AgentPlan plan;
    plan.run_key = "k";
    plan.agent_id = "a";
    plan.wake_id = 7;
    plan.created_at = base::Timestamp{5};
    plan.actions = {{1, model::ActionType::tool_call, "mail", "op1", "h1", model::RawJson::trusted(R"({"x":[1,{}]})")},
                    {2, model::ActionType::ask_user, "", "op2", "h2", {}}};
    model::AgentPlan next = plan;
    next.round = 2;
    next.given = {uuid(1), uuid(2)};
    EXPECT_OK(table().add_plan(next));
    EXPECT_OK(table().add_plan(plan));
    EXPECT_EQ(*table().plans("k"), (std::vector{plan, next}));
    EXPECT_TRUE(table().plans("other")->empty());
    AgentMessage act = action(1, "op1");
    add({act, result(2, act)});
    const auto reading = seen();
    const auto now = reading->agent_messages().plans("k");
    ASSERT_OK(now);
    EXPECT_EQ(now->at(0).plan, plan);
    EXPECT_TRUE(now->at(0).progress[0].result);
    EXPECT_FALSE(now->at(0).progress[1].action);
}

}  // namespace
}  // namespace belfry::store::testing
