#include "rules/tool_offer.hpp"

#include <gtest/gtest.h>
#include <string>

namespace belfry::rules {
namespace {

model::ToolContract tool(const std::string& name) {
    model::ToolContract contract;
    contract.name = name;
    contract.description = "does " + name;
    contract.input_schema = model::RawJson::trusted(
        R"({"type":"object","properties":{"operationId":{"type":"string"},"title":{"type":"string"}},)"
        R"("required":["title"],"additionalProperties":false})");
    return contract;
}

std::string names_of(const std::vector<model::ChatTool>& tools) {
    std::string names;
    for (const model::ChatTool& one : tools) names += one.name + ' ';
    return names;
}

TEST(AModel, is_offered_what_its_agent_may_use) {
    std::vector<model::ToolContract> tools{tool("belfry_ack"), tool("make"), tool("say"), tool("sleep"), tool("talk")};
    tools[1].capabilities = {model::AgentCapability::task_read, model::AgentCapability::task_write};
    tools[4].wake_reasons = {model::WakeReason::user_initiated};
    model::Agent agent;
    agent.capabilities = {"task_read"};
    using enum model::WakeReason;
    EXPECT_EQ(names_of(tools_for_model(tools, agent, timer, false)), "sleep ");
    EXPECT_EQ(names_of(tools_for_model(tools, agent, timer, true)), "belfry_ack sleep ");
    EXPECT_EQ(names_of(tools_for_model(tools, agent, user_initiated, false)), "sleep talk ");
    agent.capabilities = {"task_read", "task_write"};
    EXPECT_EQ(names_of(tools_for_model(tools, agent, timer, false)), "make sleep ");
}

TEST(AModel, does_not_name_its_calls) {
    const std::vector<model::ToolContract> tools{tool("make")};
    const auto offered = tools_for_model(tools, {}, model::WakeReason::manual, false);
    ASSERT_EQ(offered.size(), 1U);
    EXPECT_EQ(offered[0].description, "does make");
    EXPECT_EQ(offered[0].parameters.bytes(), R"({"type":"object","properties":{"title":{"type":"string"}},)"
                                             R"("required":["title"],"additionalProperties":false})");
}

TEST(AModel, is_told_of_tools_of_others_with_their_schemas) {
    std::vector<model::ChatTool> offered;
    std::vector<model::ToolInfo> tools(2);
    tools[0].name = "mail";
    tools[0].description = "sends";
    tools[0].schema = model::RawJson::trusted(R"({"type":"object"})");
    tools[1].name = "plain";
    offer_outside_tools(offered, tools);
    ASSERT_EQ(offered.size(), 2U);
    EXPECT_EQ(offered[0], (model::ChatTool{"mail", "sends", model::RawJson::trusted(R"({"type":"object"})")}));
    EXPECT_EQ(offered[1].parameters, model::ChatTool{}.parameters);  // what models take has a type
}

}  // namespace
}  // namespace belfry::rules
