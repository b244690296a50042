#include "rules/tool_call.hpp"

#include <gtest/gtest.h>
#include <string>

namespace belfry::rules {
namespace {

model::ToolContract contract() {
    model::ToolContract made;
    made.name = "mend";
    made.capabilities = {model::AgentCapability::task_read, model::AgentCapability::task_write};
    made.input_schema = model::RawJson::trusted(
        R"({"type":"object","properties":{"taskId":{"type":"string"}},"required":["taskId"],"additionalProperties":false})");
    return made;
}

model::Agent agent(std::vector<std::string> capabilities) {
    model::Agent made;
    made.capabilities = std::move(capabilities);
    return made;
}

// `not_permitted: mend needs …`, or nothing.
std::string fault(const model::ToolContract& tool, const model::Agent& caller, std::string_view arguments,
                  model::WakeReason reason = model::WakeReason::manual) {
    const auto may = check_call(tool, caller, reason, {arguments});
    return may.ok() ? "" : may.error().reason + ": " + may.error().message;
}

TEST(ToolCall, arguments_fit_the_schema) {
    const model::Agent able = agent({"task_read", "task_write"});
    EXPECT_EQ(fault(contract(), able, R"({"taskId":"t"})"), "");
    EXPECT_EQ(fault(contract(), able, "{}"), "invalid_arguments: taskId must be given");
    EXPECT_EQ(fault(contract(), able, R"({"taskId":1})"), "invalid_arguments: taskId must be of type string");
    EXPECT_EQ(fault(contract(), able, "[]"), "invalid_arguments: must be of type object");
}

TEST(ToolCall, the_agent_has_all_that_the_tool_needs) {
    const std::string call = R"({"taskId":"t"})";
    EXPECT_EQ(fault(contract(), agent({"task_read"}), call), "not_permitted: mend needs the capability task_write");
    EXPECT_EQ(fault(contract(), agent({"task_write"}), call), "not_permitted: mend needs the capability task_read");
    EXPECT_EQ(fault(contract(), agent({}), "{}"), "invalid_arguments: taskId must be given") << "arguments come first";
    model::ToolContract free = contract();
    free.capabilities.clear();
    EXPECT_EQ(fault(free, agent({}), call), "");
}

TEST(ToolCall, a_tool_may_be_for_some_runs_only) {
    const model::Agent able = agent({"task_read", "task_write"});
    model::ToolContract picky = contract();
    picky.wake_reasons = {model::WakeReason::timer, model::WakeReason::user_initiated};
    EXPECT_EQ(fault(picky, able, R"({"taskId":"t"})", model::WakeReason::timer), "");
    EXPECT_EQ(fault(picky, able, R"({"taskId":"t"})", model::WakeReason::user_initiated), "");
    EXPECT_EQ(fault(picky, able, R"({"taskId":"t"})", model::WakeReason::manual),
              "not_permitted: mend is not for a run that was begun by manual");
}

TEST(ToolCall, some_arguments_make_it_one_of_high_risk) {
    model::ToolContract tool = contract();
    tool.high_risk_with = {"categoryId", "deletes", "move"};
    const auto is_risky = [&](std::string_view arguments) { return is_high_risk(tool, {arguments}); };
    EXPECT_FALSE(is_risky("{}"));
    EXPECT_FALSE(is_risky(R"({"categoryId":null,"deletes":[],"move":false,"taskId":"t"})"));
    EXPECT_TRUE(is_risky(R"({"categoryId":"gym"})"));
    EXPECT_TRUE(is_risky(R"({"deletes":["a"]})"));
    EXPECT_TRUE(is_risky(R"({"move":true})"));
    tool.risk = model::ToolRisk::high;
    EXPECT_TRUE(is_risky("{}"));
}

TEST(ToolCall, a_preview_is_asked_for_by_its_argument) {
    EXPECT_TRUE(is_preview({R"({"previewOnly":true})"}));
    EXPECT_FALSE(is_preview({R"({"previewOnly":false})"}));
    EXPECT_FALSE(is_preview({R"({"previewToken":"x"})"}));
}

TEST(ToolCall, a_kind_of_agents_has_its_profile_in_order) {
    EXPECT_EQ(profile_of("gym_coach"),
              (std::vector<std::string>{"category_read", "memory_read", "rating_read", "task_read", "time_write"}));
    EXPECT_EQ(profile_of("gardener"), std::vector<std::string>{"memory_read"});
}

}  // namespace
}  // namespace belfry::rules
