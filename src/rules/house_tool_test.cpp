#include "rules/house_tool.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

std::string field_of(HouseTool tool, std::string_view arguments) {
    const auto action = read_action(tool, {arguments});
    return action.ok() ? "none" : action.error().field;
}

TEST(AHouseTool, has_a_name_that_leads_back_to_it) {
    for (const auto tool : {HouseTool::notify_user, HouseTool::emit_event, HouseTool::say, HouseTool::set_state,
                            HouseTool::sleep, HouseTool::acknowledge}) {
        EXPECT_EQ(parse_house_tool(house_tool_name(tool)), tool);
    }
    EXPECT_EQ(parse_house_tool("rm"), std::nullopt);
}

TEST(AHouseTool, reads_its_arguments) {
    const auto told = read_action(HouseTool::notify_user, {R"({"text":"Run!","title":"Coach","priority":"high"})"});
    ASSERT_TRUE(told.ok()) << told.error().message;
    EXPECT_EQ(std::get<NotifyUser>(*told).text, "Coach: Run!");
    EXPECT_EQ(std::get<NotifyUser>(*told).priority, model::Priority::high);
    const auto event = read_action(HouseTool::emit_event, {R"({"type":"a.b","severity":"","payload":{"n":1}})"});
    ASSERT_TRUE(event.ok()) << event.error().message;
    EXPECT_EQ(std::get<EmitEvent>(*event).severity, std::nullopt);
    EXPECT_EQ(std::get<EmitEvent>(*event).payload.bytes(), R"({"n":1})");
    const auto asleep = read_action(HouseTool::sleep, {R"({"until":"2026-11-16T07:00:00Z"})"});
    ASSERT_TRUE(asleep.ok());
    EXPECT_EQ(base::format_timestamp(std::get<SleepUntil>(*asleep).until), "2026-11-16T07:00:00Z");
    const auto named = read_action(HouseTool::acknowledge, {R"({"handles":["n1","n2"]})"});
    EXPECT_EQ(std::get<AcknowledgeHandles>(*named).handles, (std::vector<std::string>{"n1", "n2"}));
}

TEST(AHouseTool, refuses_what_is_wrong_and_names_it) {
    EXPECT_EQ(field_of(HouseTool::notify_user, "{}"), "text");
    EXPECT_EQ(field_of(HouseTool::notify_user, R"({"text":""})"), "text");
    EXPECT_EQ(field_of(HouseTool::notify_user, R"({"text":7})"), "text");
    EXPECT_EQ(field_of(HouseTool::notify_user, R"({"text":"x","loud":true})"), "loud");
    EXPECT_EQ(field_of(HouseTool::notify_user, R"({"text":"x","priority":"loud"})"), "priority");
    EXPECT_EQ(field_of(HouseTool::notify_user, R"({"text":")" + std::string(3000, 'x') + R"("})"), "text");
    EXPECT_EQ(field_of(HouseTool::emit_event, R"({"type":"no dots"})"), "type");
    EXPECT_EQ(field_of(HouseTool::emit_event, R"({"type":"a.b","payload":[]})"), "payload");
    EXPECT_EQ(field_of(HouseTool::emit_event, R"({"type":"a.b","severity":"bad"})"), "severity");
    EXPECT_EQ(field_of(HouseTool::set_state, "{}"), "goal");
    EXPECT_EQ(field_of(HouseTool::set_state, R"({"open_loops":[1]})"), "open_loops");
    EXPECT_EQ(field_of(HouseTool::sleep, R"({"until":"tomorrow"})"), "until");
    EXPECT_EQ(field_of(HouseTool::acknowledge, R"({"handles":[]})"), "handles");
}

TEST(AHouseTool, takes_lists_up_to_their_limit) {
    const auto outcome = [](std::size_t count) {
        std::string handles = R"("n0")";
        for (std::size_t i = 1; i < count; ++i) handles += R"(,"n)" + std::to_string(i) + '"';
        const std::string arguments = R"({"handles":[)" + handles + "]}";
        const auto action = read_action(HouseTool::acknowledge, {arguments});
        return action.ok() ? "ok" : std::string(base::code_name(action.error().code)) + ' ' + action.error().field;
    };
    EXPECT_EQ(outcome(100), "ok");
    EXPECT_EQ(outcome(101), "too_large handles");
}

TEST(AHouseTool, is_told_what_was_wrong_with_arguments_that_are_none) {
    const auto action = read_action(HouseTool::say, {R"({"belfry.problem":"no JSON"})"});
    ASSERT_FALSE(action.ok());
    EXPECT_EQ(action.error().message, "no JSON");
}

TEST(Slots, change_where_they_are_named) {
    model::AgentSlots slots;
    slots.primary_goal = "run";
    slots.open_loop_ids = {"a"};
    slots.preferences = {{"tone", "dry"}, {"zone", "Berlin"}};
    const auto wish = read_action(HouseTool::set_state, {R"({"goal":"","preferences":{"tone":"","pace":"slow"}})"});
    const model::AgentSlots changed = with_changes(slots, std::get<SetState>(*wish));
    EXPECT_EQ(changed.primary_goal, "");
    EXPECT_EQ(changed.open_loop_ids, slots.open_loop_ids);
    EXPECT_EQ(changed.preferences, (std::map<std::string, std::string>{{"pace", "slow"}, {"zone", "Berlin"}}));
}

TEST(AHouseTool, is_given_what_says_something) {
    EXPECT_EQ(given_arguments({R"({"text":"x","title":"","priority":null,"a\"b":""})"}).bytes(), R"({"text":"x"})");
    EXPECT_EQ(given_arguments({R"({"a\"b":[],"goal":" "})"}).bytes(), R"({"a\"b":[],"goal":" "})");
    EXPECT_TRUE(read_action(HouseTool::say, {R"({"text":"x","operationId":"o"})"}).ok());
}

}  // namespace
}  // namespace belfry::rules
