#include "ports/commands/agent_messages.hpp"

#include <gtest/gtest.h>

#include "net/test_talk.hpp"

namespace belfry::net::test {
namespace {

const std::string an_id = "018f0000-0000-7000-8000-000000000001";

class AgentMessages : public Talk {
protected:
    Got append(const std::string& message, int wake = 7) {
        return ask("POST", "/v1/wakes/" + std::to_string(wake) + "/messages",
                   R"({"fence":2,"messages":[)" + message + "]}");
    }
    std::string refused(const std::string& message) { return refusal(append(message)); }
    std::string refused_plan(const std::string& body) { return refusal(ask("POST", "/v1/wakes/7/plan", body)); }
};

TEST_F(AgentMessages, are_read_with_every_field) {
    const Got got = append(
        R"({"id":")" + an_id +
        R"(","kind":"action","content":{"to":"ada"},"trigger_source_id":"r","tokens_approx":5,)"
        R"("metadata":{"extension":{"acme.x":1}},"action":{"action_type":"tool_call","tool_name":"mail",)"
        R"("operation_id":"op","arguments_hash":"h","scope_snapshot":["gym"]}},)"
        R"({"kind":"tool_result","tool_result":{"operation_id":"op","status":"error","changed_entity_ids":["e"],)"
        R"("changed_tokens":["id:e"],"error_code":"c","error_message":"m"}},)"
        R"({"kind":"thought","content":"hm","metadata":{"operation_id":"op","status":"partial"}})");
    EXPECT_EQ(got.status, 201) << got.body;
    of_last<ports::AppendAgentMessages>([](const ports::AppendAgentMessages& wish) {
        EXPECT_EQ(wish.id, 7);
        EXPECT_EQ(wish.fence, 2);
        EXPECT_EQ(wish.drafts.size(), 3U);
        const model::AgentMessage& action = wish.drafts.at(0);
        EXPECT_EQ(base::format_uuid(action.id), an_id);
        EXPECT_EQ(action.content.bytes(), R"({"to":"ada"})");
        EXPECT_EQ(action.tokens_approx, 5);
        EXPECT_EQ(action.metadata.operation_id, "op");
        EXPECT_EQ(action.metadata.extension.bytes(), R"({"acme.x":1})");
        EXPECT_EQ(action.action->tool_name, "mail");
        EXPECT_EQ(action.action->scope_snapshot, std::vector<std::string>{"gym"});
        const model::AgentMessage& result = wish.drafts.at(1);
        EXPECT_EQ(result.metadata.status, model::ToolStatus::error);
        EXPECT_EQ(result.metadata.error_message, "m");
        EXPECT_EQ(result.tool_result->changed_tokens, std::vector<std::string>{"id:e"});
        EXPECT_EQ(wish.drafts.at(2).metadata.status, model::ToolStatus::partial);
        return 0;
    });
    EXPECT_EQ(append(R"({"kind":"thought"})", 8).status, 200) << "it was there";
    EXPECT_EQ(refusal(append(R"({"kind":"thought"})", 9)), "409 conflict fence: not yours");
}

TEST_F(AgentMessages, tools_are_called_by_operation_or_by_name) {
    const auto call = [&](const std::string& body, int wake = 7) {
        return ask("POST", "/v1/wakes/" + std::to_string(wake) + "/call", body);
    };
    const Got done = call(R"({"fence":2,"operation_id":"o"})");
    EXPECT_EQ(done.status, 200) << done.body;
    EXPECT_NE(done.body.find(R"("waits_for":null,"is_new":true)"), std::string::npos) << done.body;
    EXPECT_EQ(call(R"({"fence":2,"tool_name":"t","arguments":{"a":1}})").status, 200);
    of_last<ports::CallTool>([](const ports::CallTool& wish) {
        EXPECT_EQ(wish.fence, 2);
        EXPECT_EQ(wish.operation_id, "");
        EXPECT_EQ(wish.call->tool_name, "t");
        EXPECT_EQ(wish.call->arguments.bytes(), R"({"a":1})");
        return 0;
    });
    const Got waits = call(R"({"fence":2,"operation_id":"o"})", 9);
    EXPECT_EQ(waits.status, 202);
    EXPECT_NE(waits.body.find(R"("result":null,"waits_for":{"whom":"person","id":"q"})"), std::string::npos);
    EXPECT_EQ(refusal(call(R"({"fence":2})")), "422 invalid operation_id: must be given");
    EXPECT_EQ(refusal(call(R"({"fence":2,"arguments":{}})")), "422 invalid tool_name: must be given");
    EXPECT_EQ(refusal(call(R"({"fence":2,"tool":"t"})")).substr(0, 17), "422 invalid tool:");
}

TEST_F(AgentMessages, are_refused_by_the_field_that_is_wrong) {
    EXPECT_EQ(refused(R"({"content":1})"), "422 invalid messages[0].kind: must be given");
    EXPECT_EQ(
        refused(R"({"kind":"toolResult"})"),
        "422 invalid messages[0].kind: must be observation, user, thought, action, tool_result, summary or system");
    EXPECT_EQ(refused(R"({"kind":"action","action":{}})"), "422 invalid messages[0].action.action_type: must be given");
    EXPECT_EQ(refused(R"({"kind":"action","action":{"action_type":"call"}})"),
              "422 invalid messages[0].action.action_type: must be tool_call, propose_plan, ask_user or "
              "lifecycle_transition");
    EXPECT_EQ(refused(R"({"kind":"tool_result","tool_result":{"status":"ok"}})"),
              "422 invalid messages[0].tool_result.status: must be success, error or partial");
    EXPECT_EQ(refused(R"({"kind":"tool_result","tool_result":{"action_ref_id":"7"}})"),
              "422 invalid messages[0].tool_result.action_ref_id: must be a UUID");
    EXPECT_EQ(refused(R"({"kind":"thought","metadata":{"colour":"red"}})"),
              "422 invalid messages[0].metadata.colour: is not known");
    EXPECT_EQ(refused(R"({"kind":"tool_result","tool_result":{"status":"success"},"metadata":{"status":"success"}})"),
              "422 invalid messages[0].metadata: has what stands in tool_result");
    EXPECT_EQ(refused(R"({"kind":"thought","thread_id":"t"})"), "422 invalid messages[0].thread_id: is not known");
    EXPECT_EQ(refusal(ask("POST", "/v1/wakes/7/messages", R"({"messages":[{"kind":"thought"}]})")),
              "422 invalid fence: must be given");
    EXPECT_EQ(refusal(ask("POST", "/v1/wakes/7/messages", R"({"fence":1})")), "422 invalid messages: must be given");
}

TEST_F(AgentMessages, are_listed_by_what_is_asked_for) {
    const Got got = ask("GET", "/v1/agents/a%2Fb/messages?thread=t%3A1&changed=e&after=" + an_id + "&limit=2");
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(house.queries.message_filter.agent_id, "a/b");
    EXPECT_EQ(house.queries.message_filter.thread_id, "t:1");
    EXPECT_EQ(house.queries.message_filter.changed_entity_id, "e");
    EXPECT_EQ(house.queries.message_filter.limit, 3U);
    EXPECT_NE(got.body.find(R"("has_more":true)"), std::string::npos);
    EXPECT_EQ(refusal(ask("GET", "/v1/agents/a/messages?after=1")),
              "422 invalid after: must be the id of a message, a UUID");
    EXPECT_EQ(ask("GET", "/v1/agents/a/messages/" + an_id).status, 200);
    EXPECT_EQ(ask("GET", "/v1/agents/a/messages/none").status, 404);
}

TEST_F(AgentMessages, plans_are_read_and_200_tells_that_the_round_had_one) {
    const std::string body = R"({"fence":2,"round":3,"actions":[{"tool_name":"mail","arguments":{"x":1}},)"
                             R"({"action_type":"ask_user"}]})";
    EXPECT_EQ(ask("POST", "/v1/wakes/7/plan", body).status, 201);
    of_last<ports::StorePlan>([](const ports::StorePlan& wish) {
        EXPECT_EQ(wish.round, 3);
        EXPECT_EQ(wish.actions.at(0).tool_name, "mail");
        EXPECT_EQ(wish.actions.at(0).arguments.bytes(), R"({"x":1})");
        EXPECT_EQ(wish.actions.at(1).type, model::ActionType::ask_user);
        return 0;
    });
    EXPECT_EQ(ask("POST", "/v1/wakes/8/plan", body).status, 200);
    EXPECT_EQ(ask("GET", "/v1/wakes/7/plan").status, 200);
    EXPECT_EQ(refused_plan(R"({"fence":2})"), "422 invalid actions: must be given");
    EXPECT_EQ(refused_plan(R"({"fence":2,"actions":[{"tool":"x"}]})"), "422 invalid actions[0].tool: is not known");
    EXPECT_EQ(refused_plan(R"({"fence":2,"round":0,"actions":[]})"), "422 invalid round: must lie between 1 and 1000");
}

TEST_F(AgentMessages, come_with_a_claim_that_asks_for_them) {
    EXPECT_EQ(refusal(ask("POST", "/v1/wakes/claim", R"({"agents":["a"],"context_messages":201})")),
              "422 invalid context_messages: must lie between 0 and 200");
}

}  // namespace
}  // namespace belfry::net::test
