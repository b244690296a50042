#include "rules/tool_policy.hpp"

#include <gtest/gtest.h>

#include "rules/agent.hpp"
#include "rules/tool_question.hpp"

namespace belfry::rules {
namespace {

using model::ToolPolicy;

model::Agent agent_with(std::map<std::string, ToolPolicy> policies) {
    model::Agent agent;
    agent.tool_policies = std::move(policies);
    return agent;
}

ToolPolicy of(const model::Agent& agent, std::string_view tool, const model::ToolContract* contract = nullptr,
              std::string_view arguments = "{}") {
    return policy_of(agent, tool, contract, {arguments});
}

TEST(ToolPolicies, where_nothing_is_said_a_call_is_done) {
    EXPECT_EQ(of(agent_with({}), "create_task"), ToolPolicy::run);
    EXPECT_EQ(of(agent_with({{"other", ToolPolicy::ask}}), "create_task"), ToolPolicy::run);
}

TEST(ToolPolicies, a_tools_own_name_goes_before_the_star) {
    const model::Agent agent = agent_with({{"*", ToolPolicy::propose}, {"create_task", ToolPolicy::ask}});
    EXPECT_EQ(of(agent, "create_task"), ToolPolicy::ask);
    EXPECT_EQ(of(agent, "notify_user"), ToolPolicy::propose);
    EXPECT_EQ(of(agent_with({{"*", ToolPolicy::propose}, {"create_task", ToolPolicy::run}}), "create_task"),
              ToolPolicy::run);
}

TEST(ToolPolicies, nobody_is_asked_about_what_changes_nothing_or_is_the_agents_own_matter) {
    const model::Agent agent = agent_with({{"*", ToolPolicy::ask}, {"say", ToolPolicy::propose}});
    for (const char* tool : {"say", "set_state", "sleep", "belfry_ack", "notify_self"}) {
        EXPECT_EQ(of(agent, tool), ToolPolicy::run) << tool;
    }
    for (const char* tool : {"notify_user", "emit_event"}) EXPECT_EQ(of(agent, tool), ToolPolicy::ask) << tool;
    model::ToolContract contract;
    EXPECT_EQ(of(agent, "x", &contract), ToolPolicy::ask);
    EXPECT_EQ(of(agent, "x", &contract, R"({"previewOnly":true})"), ToolPolicy::run);
    EXPECT_EQ(of(agent, "x", &contract, R"({"previewOnly":false})"), ToolPolicy::ask);
    contract.idempotency = model::ToolIdempotency::read_only;
    EXPECT_EQ(of(agent, "x", &contract), ToolPolicy::run);
}

TEST(ToolPolicies, name_tools_and_are_not_endless) {
    for (const char* name : {"", "a\"b", "a\\b", "a\nb"}) {
        model::Agent agent = agent_with({{name, ToolPolicy::ask}});
        const auto checked = check_agent(agent);
        ASSERT_FALSE(checked.ok()) << name;
        EXPECT_EQ(checked.error().field, "tool_policies");
    }
    model::Agent longest = agent_with({{std::string(200, 'x'), ToolPolicy::ask}, {"*", ToolPolicy::run}});
    EXPECT_TRUE(check_agent(longest).ok());
    model::Agent too_long = agent_with({{std::string(201, 'x'), ToolPolicy::ask}});
    EXPECT_EQ(check_agent(too_long).error().code, base::Code::too_large);
    std::map<std::string, ToolPolicy> many;
    for (int i = 0; i < 1001; ++i) many.emplace("t" + std::to_string(i), ToolPolicy::ask);
    model::Agent too_many = agent_with(many);
    EXPECT_EQ(check_agent(too_many).error().code, base::Code::too_large);
    many.erase("t0");
    model::Agent enough = agent_with(many);
    EXPECT_TRUE(check_agent(enough).ok());
}

TEST(ToolQuestions, have_the_id_of_their_operation) {
    EXPECT_EQ(question_id("coach", "o1"), question_id("coach", "o1"));
    EXPECT_NE(question_id("coach", "o1"), question_id("coach", "o2"));
    EXPECT_NE(question_id("coach", "o1"), question_id("other", "o1"));
    EXPECT_NE(question_id("a", "b\nc"), question_id("a\nb", "c\n"));
    EXPECT_EQ(base::format_uuid(question_id("coach", "o1").uuid).at(14), '8');
}

TEST(ToolQuestions, tell_what_is_to_be_done_as_far_as_there_is_room) {
    model::Agent agent;
    agent.display_name = "Coach";
    model::Wake wake;
    wake.session_id = "s";
    wake.user_id = "ada";
    wake.run_id = 7;
    model::PlannedAction action;
    action.tool_name = "create_task";
    action.arguments = model::RawJson::trusted(R"({"title":"Run"})");
    model::Interaction asked = question_of({}, agent, wake, action);
    EXPECT_EQ(asked.message, "Coach wants to use create_task");
    EXPECT_EQ(asked.run_id, 7);
    EXPECT_EQ(asked.arguments->bytes(), R"({"title":"Run"})");
    action.arguments = model::RawJson::trusted("{\"text\":\"" + std::string(1 << 20, 'x') + "\"}");
    EXPECT_FALSE(question_of({}, agent, wake, action).arguments);
}

}  // namespace
}  // namespace belfry::rules
