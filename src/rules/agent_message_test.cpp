#include "rules/agent_message.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "model/value_json.hpp"
#include "rules/wake_key.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::ActionType;
using model::AgentMessage;
using model::AgentMessageKind;
using model::ToolStatus;

const std::string a_hash(64, 'a');

model::Agent an_agent() {
    model::Agent agent;
    agent.id = "fixer";
    agent.allowed_category_ids = {"gym", "work"};
    return agent;
}

AgentMessage an_action() {
    AgentMessage draft;
    draft.kind = AgentMessageKind::action;
    draft.action.emplace().tool_name = "mail";
    draft.metadata.operation_id = "op";
    draft.content = model::RawJson::trusted(R"({"b":1.0,"a":[1]})");
    return draft;
}

AgentMessage a_result() {
    AgentMessage draft;
    draft.kind = AgentMessageKind::tool_result;
    draft.tool_result.emplace();
    draft.metadata.operation_id = "op";
    draft.metadata.status = ToolStatus::success;
    return draft;
}

// What is wrong with it, as "field: message"; empty: nothing.
std::string fault(AgentMessage draft, const std::function<void(AgentMessage&)>& change) {
    change(draft);
    const auto checked = check_message(draft, an_agent());
    return checked.ok() ? "" : checked.error().field + ": " + checked.error().message;
}

TEST(AnAction, is_filled_in_with_its_hash_and_the_agents_scope) {
    AgentMessage draft = an_action();
    ASSERT_TRUE(check_message(draft, an_agent()).ok());
    EXPECT_EQ(draft.action->arguments_hash, arguments_hash(model::value_from({R"({"a":[1],"b":1})"})));
    EXPECT_EQ(draft.action->scope_snapshot, an_agent().allowed_category_ids);
    EXPECT_GT(draft.tokens_approx, 0);
}

TEST(AnAction, is_refused_by_the_field_that_is_wrong) {
    const auto of = [](const auto& change) { return fault(an_action(), change); };
    EXPECT_EQ(of([](AgentMessage&) {}), "");
    EXPECT_EQ(of([](AgentMessage& one) { one.action.reset(); }), "action: must be given for an action");
    EXPECT_EQ(of([](AgentMessage& one) { one.action->tool_name.clear(); }),
              "action.tool_name: must be given for a tool_call");
    EXPECT_EQ(of([](AgentMessage& one) { one.action->type = ActionType::ask_user; }),
              "action.tool_name: belongs to a tool_call, and this is a ask_user");
    EXPECT_EQ(of([](AgentMessage& one) { one.action->tool_name.assign(201, 'x'); }),
              "action.tool_name: is longer than 200 bytes");
    EXPECT_EQ(of([](AgentMessage& one) { one.metadata.operation_id.clear(); }), "action.operation_id: must be given");
    EXPECT_EQ(of([](AgentMessage& one) { one.metadata.operation_id.assign(201, 'x'); }),
              "action.operation_id: is longer than 200 bytes");
    EXPECT_EQ(of([](AgentMessage& one) { one.action->arguments_hash = "abc"; }),
              "action.arguments_hash: must be 64 hexadecimal digits");
    EXPECT_EQ(of([](AgentMessage& one) { one.action->arguments_hash = a_hash; }),
              "action.arguments_hash: is not the hash of the content, which is its arguments");
    EXPECT_EQ(of([](AgentMessage& one) { one.action->scope_snapshot = {"home"}; }),
              "action.scope_snapshot: has a category that this agent may not work in");
    EXPECT_EQ(of([](AgentMessage& one) { one.tool_result.emplace(); }),
              "tool_result: belongs to a message of the kind tool_result");
    EXPECT_EQ(of([](AgentMessage& one) {
                  one.action->arguments_hash = a_hash;
                  one.content = {};
              }),
              "")
        << "who keeps the arguments to himself gives their hash";
}

TEST(AResult, is_refused_by_the_field_that_is_wrong) {
    const auto of = [](const auto& change) { return fault(a_result(), change); };
    EXPECT_EQ(of([](AgentMessage&) {}), "");
    EXPECT_EQ(of([](AgentMessage& one) { one.tool_result.reset(); }), "tool_result: must be given for a tool_result");
    EXPECT_EQ(of([](AgentMessage& one) { one.metadata.operation_id.clear(); }),
              "tool_result.action_ref_id: must be given, or operation_id: which action does it answer?");
    EXPECT_EQ(of([](AgentMessage& one) { one.metadata.status.reset(); }),
              "tool_result.status: must be success, error or partial");
    EXPECT_EQ(of([](AgentMessage& one) { one.metadata.status = ToolStatus::error; }),
              "tool_result.error_code: must be given with the status error");
    EXPECT_EQ(of([](AgentMessage& one) { one.metadata.error_code = "x"; }),
              "tool_result.error_code: does not go with the status success");
    EXPECT_EQ(of([](AgentMessage& one) { one.metadata.error_message = "x"; }),
              "tool_result.error_message: needs an error_code");
    EXPECT_EQ(of([](AgentMessage& one) { one.metadata.error_message.assign(4097, 'x'); }),
              "tool_result.error_message: is longer than 4096 bytes");
    EXPECT_EQ(of([](AgentMessage& one) { one.tool_result->changed_entity_ids.assign(101, "e"); }),
              "tool_result.changed_entity_ids: has more than 100 entries");
    EXPECT_EQ(of([](AgentMessage& one) { one.tool_result->changed_entity_ids = {""}; }),
              "tool_result.changed_entity_ids: must not have an empty entry");
    EXPECT_EQ(of([](AgentMessage& one) {
                  one.tool_result->changed_tokens = {"gym"};
              }).substr(0, std::string("tool_result.changed_tokens").size()),
              "tool_result.changed_tokens");
    EXPECT_EQ(of([](AgentMessage& one) { one.tool_result->changed_tokens = {"key:agentChanged", "sub:a/b"}; }), "");
    EXPECT_EQ(of([](AgentMessage& one) {
                  one.metadata.status = ToolStatus::partial;
                  one.metadata.error_code = "half";
              }),
              "");
}

TEST(AMessage, keeps_extensions_that_have_a_namespace_and_refuses_others) {
    AgentMessage draft;
    draft.kind = AgentMessageKind::thought;
    draft.metadata.extension = model::RawJson::trusted(R"({"acme.colour":"red"})");
    ASSERT_TRUE(check_message(draft, an_agent()).ok());
    EXPECT_EQ(draft.metadata.extension.bytes(), R"({"acme.colour":"red"})");
    EXPECT_EQ(fault(draft, [](AgentMessage& one) { one.metadata.extension = model::RawJson::trusted(R"({"c":1})"); }),
              "metadata.extension: \"c\" has no namespace: names of an extension look like acme.colour");
}

TEST(AMessage, has_a_span_only_as_a_summary) {
    AgentMessage draft;
    draft.kind = AgentMessageKind::summary;
    EXPECT_EQ(fault(draft, [](AgentMessage&) {}), "summary_start_message_id: must be given for a summary");
    EXPECT_EQ(fault(draft, [](AgentMessage& one) { one.summary_start_message_id.emplace(); }),
              "summary_end_message_id: must be given for a summary");
    draft.kind = AgentMessageKind::thought;
    EXPECT_EQ(fault(draft, [](AgentMessage& one) { one.summary_end_message_id.emplace(); }),
              "summary_end_message_id: belongs to a summary");
    EXPECT_EQ(fault(draft, [](AgentMessage& one) { one.summary_depth = 1; }), "summary_depth: belongs to a summary");
}

TEST(AMessage, has_so_many_bytes_and_no_more) {
    AgentMessage draft;
    draft.content = model::RawJson::trusted('"' + std::string(limits::agent_message_bytes_max - 2, 'x') + '"');
    EXPECT_EQ(fault(draft, [](AgentMessage&) {}), "");
    EXPECT_EQ(fault(draft,
                    [](AgentMessage& one) {
                        one.content =
                            model::RawJson::trusted('"' + std::string(limits::agent_message_bytes_max - 1, 'x') + '"');
                    }),
              "content: is longer than 262144 bytes");
}

TEST(AMessage, has_so_many_tokens_and_no_more) {
    const AgentMessage draft;
    const auto tokens = [&draft](std::int64_t count) {
        return fault(draft, [count](AgentMessage& one) { one.tokens_approx = count; });
    };
    EXPECT_EQ(tokens(limits::agent_message_tokens_max), "");
    EXPECT_EQ(tokens(limits::agent_message_tokens_max + 1), "tokens_approx: must lie between 0 and 100000000");
    EXPECT_EQ(tokens(-1), "tokens_approx: must lie between 0 and 100000000");
}

TEST(APlan, gives_each_action_an_operation_of_its_own_that_stays) {
    std::vector<model::PlannedAction> actions(3);
    for (model::PlannedAction& action : actions) action.tool_name = "mail";
    std::vector<model::PlannedAction> again = actions;
    ASSERT_TRUE(check_plan(actions, "key", 2).ok());
    ASSERT_TRUE(check_plan(again, "key", 2).ok());
    EXPECT_EQ(actions, again);
    EXPECT_EQ(actions[0].ordinal, 3);
    EXPECT_EQ(actions[0].operation_id, operation_id("key", 3, "mail"));
    std::set<std::string> operations;
    for (const model::PlannedAction& action : actions) operations.insert(action.operation_id);
    EXPECT_EQ(operations.size(), 3U) << "two intended identical actions are two";
}

TEST(APlan, is_refused_by_the_field_that_is_wrong) {
    std::vector<model::PlannedAction> actions;
    EXPECT_EQ(check_plan(actions, "key", 0).error().field, "actions");
    actions.resize(2);
    actions[0].tool_name = "mail";
    EXPECT_EQ(check_plan(actions, "key", 0).error().field, "actions[1].tool_name");
    actions[1].type = ActionType::ask_user;
    EXPECT_TRUE(check_plan(actions, "key", 0).ok());
    actions.resize(limits::plan_actions_max + 1, actions[0]);
    EXPECT_EQ(check_plan(actions, "key", 0).error().message, "has more than 100 entries");
}

TEST(APlan, has_so_many_bytes_of_arguments_and_no_more) {
    const auto arguments = [](std::size_t bytes) {
        return model::RawJson::trusted('"' + std::string(bytes - 2, 'x') + '"');
    };
    std::vector<model::PlannedAction> actions(2);
    for (model::PlannedAction& action : actions) action.tool_name = "mail";
    actions[0].arguments = arguments(limits::plan_bytes_max - 100);
    actions[1].arguments = arguments(100);
    EXPECT_TRUE(check_plan(actions, "key", 0).ok());
    actions[1].arguments = arguments(101);
    const auto checked = check_plan(actions, "key", 0);
    ASSERT_FALSE(checked.ok());
    EXPECT_EQ(checked.error().code, base::Code::too_large);
    EXPECT_EQ(checked.error().field, "actions");
}

TEST(APlannedAction, is_done_as_it_was_planned) {
    AgentMessage action = an_action();
    action.content = {};
    action.action->arguments_hash = a_hash;
    model::PlannedAction planned;
    planned.tool_name = "mail";
    planned.arguments_hash = a_hash;
    EXPECT_TRUE(check_planned(planned, action).ok());
    const auto field = [&action](model::PlannedAction other) {
        const auto checked = check_planned(other, action);
        if (checked.ok()) return std::string("ok");
        EXPECT_EQ(checked.error().code, base::Code::conflict);
        EXPECT_EQ(checked.error().reason, "not_planned");
        return checked.error().field;
    };
    model::PlannedAction other = planned;
    other.type = ActionType::ask_user;
    EXPECT_EQ(field(other), "action.action_type");
    other = planned;
    other.tool_name = "phone";
    EXPECT_EQ(field(other), "action.tool_name");
    other = planned;
    other.arguments_hash = std::string(64, 'b');
    EXPECT_EQ(field(other), "action.arguments_hash");
}

// Whatever is put together at random: what is taken is a whole envelope, and what is refused is refused by its field.
TEST(Messages, that_are_taken_are_whole) {
    std::mt19937 random(7);
    const auto pick = [&](std::uint32_t count) { return random() % count; };
    const std::vector<std::string> texts{"",
                                         "x",
                                         "key:agentChanged",
                                         a_hash,
                                         std::string(201, 'x'),
                                         "a\x01"
                                         "b"};
    const auto text = [&] { return texts[pick(static_cast<std::uint32_t>(texts.size()))]; };
    std::size_t taken = 0;
    for (int i = 0; i < 200'000; ++i) {
        AgentMessage draft;
        draft.kind = static_cast<AgentMessageKind>(pick(7));
        draft.metadata.operation_id = text();
        if (pick(2) == 0) draft.metadata.status = static_cast<ToolStatus>(pick(3));
        if (pick(4) == 0) draft.metadata.error_code = text();
        if (pick(4) == 0) draft.metadata.action_ref_id.emplace();
        if (pick(2) == 0) {
            draft.action = model::ActionEnvelope{static_cast<ActionType>(pick(4)), text(), pick(2) == 0 ? "" : text(),
                                                 pick(2) == 0 ? std::vector<std::string>{} : std::vector{text()}};
        }
        if (pick(2) == 0) draft.tool_result = model::ResultEnvelope{{text()}, {text()}};
        if (pick(4) == 0) draft.summary_start_message_id.emplace();
        if (pick(4) == 0) draft.summary_end_message_id.emplace();
        const auto checked = check_message(draft, an_agent());
        if (!checked.ok()) {
            ASSERT_FALSE(checked.error().field.empty());
            ASSERT_FALSE(checked.error().message.empty());
            continue;
        }
        ++taken;
        ASSERT_EQ(draft.action.has_value(), draft.kind == AgentMessageKind::action);
        ASSERT_EQ(draft.tool_result.has_value(), draft.kind == AgentMessageKind::tool_result);
        ASSERT_LE(draft.metadata.operation_id.size(), 200U);
        if (draft.action) {
            ASSERT_EQ(draft.action->type == ActionType::tool_call, !draft.action->tool_name.empty());
            ASSERT_EQ(draft.action->arguments_hash.size(), 64U);
            ASSERT_FALSE(draft.metadata.operation_id.empty());
        }
        if (draft.tool_result) {
            ASSERT_TRUE(draft.metadata.status);
            ASSERT_TRUE(draft.metadata.action_ref_id || !draft.metadata.operation_id.empty());
            ASSERT_EQ(*draft.metadata.status == ToolStatus::error && draft.metadata.error_code.empty(), false);
        }
    }
    EXPECT_GT(taken, 1000U);
}

}  // namespace
}  // namespace belfry::rules
