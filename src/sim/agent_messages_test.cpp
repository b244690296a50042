#include "ports/commands/agent_messages.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/message_limits.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/client_messages.hpp"
#include "ports/commands/sessions.hpp"
#include "ports/commands/wakes.hpp"
#include "rules/wake_key.hpp"
#include "sim/engine_world_test.hpp"

// What agents remember, through the real engine and the real store, in time that the test gives.
namespace belfry::sim {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;
using model::ToolStatus;
using model::WakeState;

base::Uuid uuid(int number) {
    base::Uuid id;
    id.bytes[0] = 9;
    id.bytes[15] = static_cast<std::uint8_t>(number);
    return id;
}

AgentMessage thought(const std::string& text, int id = 0) {
    AgentMessage draft;
    draft.kind = AgentMessageKind::thought;
    draft.content = model::RawJson::trusted('"' + text + '"');
    if (id != 0) draft.id = uuid(id);
    return draft;
}
AgentMessage action(const std::string& operation, const std::string& tool = "mail", int id = 0) {
    AgentMessage draft;
    draft.kind = AgentMessageKind::action;
    draft.action.emplace().tool_name = tool;
    draft.metadata.operation_id = operation;
    draft.content = model::RawJson::trusted(R"({"to":"ada"})");
    if (id != 0) draft.id = uuid(id);
    return draft;
}
AgentMessage result(const std::string& operation, ToolStatus status = ToolStatus::success) {
    AgentMessage draft;
    draft.kind = AgentMessageKind::tool_result;
    draft.tool_result.emplace();
    draft.metadata.operation_id = operation;
    draft.metadata.status = status;
    if (status == ToolStatus::error) draft.metadata.error_code = "no_network";
    return draft;
}

class AgentMemory : public EngineWorld {
protected:
    AgentMemory() { open(); }

    void make_agent(const std::string& id = "fixer") {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = "ada";
        command->draft.allowed_category_ids = {"gym"};
        ask(std::move(command));
    }
    void wake(const std::string& request = "r", const std::string& input = "{}", const std::string& agent = "fixer") {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = agent;
        command->request_id = request;
        command->input = model::RawJson::trusted(input);
        ask(std::move(command));
    }
    std::optional<ports::WakeGrant> claim(const std::string& agent = "fixer",
                                          std::optional<std::size_t> context = std::nullopt) {
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {agent};
        command->holder = "w";
        command->context_messages = context;
        return ask(std::move(command)).grant;
    }
    model::Wake claimed(const std::string& request = "r") {
        wake(request);
        const auto grant = claim();
        EXPECT_TRUE(grant);
        return grant ? grant->wake : model::Wake{};
    }
    template <class C>
    base::Result<typename C::Reply> try_to(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }
    base::Result<ports::AppendedMessages> append(const model::Wake& wake, std::vector<AgentMessage> drafts) {
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->drafts = std::move(drafts);
        return try_to(std::move(command));
    }
    base::Result<ports::StoredPlan> plan(const model::Wake& wake, const std::vector<std::string>& tools,
                                         std::int64_t round = 1) {
        auto command = std::make_unique<ports::StorePlan>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->round = round;
        for (const std::string& tool : tools) command->actions.emplace_back().tool_name = tool;
        return try_to(std::move(command));
    }
    base::Result<model::Wake> end(const model::Wake& wake, std::optional<model::RunError> error = {}) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->error = std::move(error);
        return try_to(std::move(command));
    }
    std::vector<AgentMessage> thread(const std::string& id, std::size_t limit = 100) {
        EXPECT_TRUE(store_->begin().ok());
        auto found = store_->agent_messages().newest(id, limit);
        store_->rollback();
        EXPECT_TRUE(found.ok());
        std::ranges::reverse(*found);
        return *found;
    }
    model::AgentRecord agent(const std::string& id = "fixer") {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->agents().find(std::span(&id, 1));
        store_->rollback();
        return found.ok() && !found->empty() ? found->front() : model::AgentRecord{};
    }
    model::Wake stored(model::WakeId id) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->wakes().find(id);
        store_->rollback();
        return found.ok() && *found ? **found : model::Wake{};
    }
    static std::string refusal(const base::Error& error) {
        return error.field + " " + error.reason + ": " + error.message;
    }
    void say(const std::string& text) {
        auto command = std::make_unique<ports::SendClientMessage>();
        command->message.session_id = "s";
        command->message.message_type = "user_input";
        command->message.timestamp = now_;
        command->message.payload = model::RawJson::trusted(R"({"text":")" + text + R"("})");
        ask(std::move(command));
    }
};

TEST_F(AgentMemory, is_a_chain_whose_head_the_agent_knows) {
    make_agent();
    const model::Wake wake = claimed();
    const auto first = append(wake, {thought("one"), thought("two")});
    ASSERT_TRUE(first.ok()) << refusal(first.error());
    EXPECT_EQ(first->added, 2U);
    const auto second = append(wake, {thought("three")});
    ASSERT_TRUE(second.ok());
    const auto chain = thread(wake.thread_id);
    ASSERT_EQ(chain.size(), 3U);
    EXPECT_FALSE(chain[0].prev_message_id);
    EXPECT_EQ(chain[1].prev_message_id, chain[0].id);
    EXPECT_EQ(chain[2].prev_message_id, chain[1].id);
    EXPECT_EQ(agent().state.recent_head_message_id, chain[2].id);
    EXPECT_EQ(agent().runtime.hot_message_count, 3);
    EXPECT_EQ(chain[2].trigger_source_id, "r");
    EXPECT_GT(chain[2].tokens_approx, 0);
}

TEST_F(AgentMemory, is_a_chain_in_each_thread) {
    make_agent();
    const model::Wake first = claimed("r1");
    ASSERT_TRUE(append(first, {thought("one")}).ok());
    ASSERT_TRUE(end(first).ok());
    const model::Wake second = claimed("r2");
    const auto two = append(second, {thought("two")});
    ASSERT_TRUE(two.ok());
    EXPECT_NE(first.thread_id, second.thread_id);
    EXPECT_FALSE(two->messages[0].prev_message_id);
    EXPECT_EQ(agent().state.recent_head_message_id, two->messages[0].id);
}

TEST_F(AgentMemory, keeps_its_order_when_the_clock_goes_back) {
    make_agent();
    const model::Wake wake = claimed();
    ASSERT_TRUE(append(wake, {thought("one")}).ok());
    now_ = now_ - base::seconds(5);
    ASSERT_TRUE(append(wake, {thought("two"), thought("three")}).ok());
    const auto chain = thread(wake.thread_id);
    ASSERT_EQ(chain.size(), 3U);
    EXPECT_GT(chain[1].created_at, chain[0].created_at);
    EXPECT_GT(chain[2].created_at, chain[1].created_at) << "each has a time of its own";
    EXPECT_LT(chain[2].created_at, chain[0].created_at + base::milliseconds(1));
}

TEST_F(AgentMemory, takes_a_message_once_under_its_id) {
    make_agent();
    const model::Wake wake = claimed();
    ASSERT_EQ(append(wake, {thought("one", 1)})->added, 1U);
    const auto again = append(wake, {thought("one", 1), thought("two", 2), thought("two", 2)});
    ASSERT_TRUE(again.ok()) << refusal(again.error());
    EXPECT_EQ(again->added, 1U);
    EXPECT_EQ(again->messages.size(), 3U);
    const auto other = append(wake, {thought("three", 3), thought("not one", 1)});
    ASSERT_FALSE(other.ok());
    EXPECT_EQ(refusal(other.error()), "messages[1].id taken: another message has this id");
    EXPECT_EQ(thread(wake.thread_id).size(), 2U) << "all of them or none";
}

TEST_F(AgentMemory, is_written_only_by_whoever_holds_the_wake) {
    make_agent();
    const model::Wake lost = claimed();
    pass(base::seconds(61));
    pass(base::seconds(11));
    const auto now = claim();
    ASSERT_TRUE(now);
    EXPECT_EQ(append(lost, {thought("late")}).error().reason, "stale_claim");
    EXPECT_EQ(plan(lost, {"mail"}).error().reason, "stale_claim");
    EXPECT_TRUE(append(now->wake, {thought("mine")}).ok());
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "fixer";
    ask(std::move(destroy));
    EXPECT_EQ(append(now->wake, {thought("after the end")}).error().reason, "stale_claim");
    AgentMessage posing = thought("I am ada");
    posing.kind = AgentMessageKind::user;
    make_agent("b");
    wake("r", "{}", "b");
    EXPECT_EQ(append(claim("b")->wake, {posing}).error().code, base::Code::forbidden);
}

TEST_F(AgentMemory, has_actions_and_results_in_pairs) {
    make_agent();
    const model::Wake wake = claimed();
    const auto early = append(wake, {result("op1")});
    ASSERT_FALSE(early.ok());
    EXPECT_EQ(early.error().field, "messages[0].tool_result.operation_id");
    ASSERT_EQ(append(wake, {action("op1"), result("op1")})->added, 2U);
    const auto pair = thread(wake.thread_id);
    ASSERT_EQ(pair.size(), 2U);
    EXPECT_EQ(pair[1].metadata.action_ref_id, pair[0].id);
    EXPECT_EQ(pair[0].action->scope_snapshot, std::vector<std::string>{"gym"});
    EXPECT_EQ(append(wake, {result("op1")})->added, 0U) << "the same result is there";
    EXPECT_EQ(append(wake, {result("op1", ToolStatus::error)}).error().reason, "answered");
    EXPECT_EQ(append(wake, {action("op1")})->added, 0U) << "the same action is there";
    EXPECT_EQ(append(wake, {action("op1", "phone")}).error().reason, "operation_taken");
    AgentMessage of_thought = result("");
    of_thought.metadata.action_ref_id = append(wake, {thought("hm")})->messages[0].id;
    EXPECT_EQ(append(wake, {of_thought}).error().field, "messages[0].tool_result.action_ref_id");
    ASSERT_TRUE(end(wake).ok());
    const model::Wake next = claimed("r2");
    AgentMessage of_another_thread = result("");
    of_another_thread.metadata.action_ref_id = pair[0].id;
    EXPECT_EQ(append(next, {of_another_thread}).error().message, "must be an action of this thread");
}

TEST_F(AgentMemory, keeps_what_is_large_apart_and_whole) {
    make_agent();
    const model::Wake wake = claimed();
    const std::string text(base::limits::agent_message_inline_bytes_max, 'x');
    const auto added = append(wake, {thought(text)});
    ASSERT_TRUE(added.ok());
    ASSERT_TRUE(added->messages[0].content_entry_id);
    EXPECT_EQ(thread(wake.thread_id)[0].content.bytes(), "{}") << "lists do not carry it";
    ASSERT_TRUE(store_->begin().ok());
    const auto whole = store_->agent_messages().find(std::span(&added->messages[0].id, 1));
    store_->rollback();
    EXPECT_EQ(whole->at(0).content.bytes(), '"' + text + '"');
}

TEST_F(AgentMemory, points_a_summary_at_its_span) {
    make_agent();
    const model::Wake wake = claimed();
    const auto span = append(wake, {thought("one"), thought("two")});
    AgentMessage summary = thought("both");
    summary.kind = AgentMessageKind::summary;
    summary.summary_start_message_id = span->messages[1].id;
    summary.summary_end_message_id = span->messages[0].id;
    EXPECT_EQ(append(wake, {summary}).error().field, "messages[0].summary_end_message_id");
    std::swap(summary.summary_start_message_id, summary.summary_end_message_id);
    const auto added = append(wake, {summary});
    ASSERT_TRUE(added.ok()) << refusal(added.error());
    EXPECT_EQ(agent().state.latest_summary_message_id, added->messages[0].id);
    summary.summary_start_message_id = uuid(77);
    EXPECT_EQ(append(wake, {summary}).error().field, "messages[0].summary_start_message_id");
}

TEST_F(AgentMemory, has_what_a_person_and_a_hand_say_as_the_users_words) {
    make_agent();
    wake("r", R"({"text":"look"})");
    const auto by_hand = claim("fixer", 10);
    ASSERT_TRUE(by_hand && by_hand->context);
    ASSERT_EQ(by_hand->context->messages.size(), 1U);
    EXPECT_EQ(by_hand->context->messages[0].kind, AgentMessageKind::user);
    EXPECT_EQ(by_hand->context->messages[0].content.bytes(), R"({"text":"look"})");
    ASSERT_TRUE(end(by_hand->wake).ok());
    auto session = std::make_unique<ports::PutSession>();
    session->session_id = "s";
    session->user_id = "ada";
    session->agent_id = "fixer";
    ask(std::move(session));
    say("hello");
    const auto in_session = claim("fixer", 10);
    ASSERT_TRUE(in_session && in_session->context);
    EXPECT_EQ(in_session->wake.thread_id, "fixer:session:s");
    EXPECT_TRUE(in_session->context->messages.empty()) << "nobody was handed it";
    for (int again = 0; again < 2; ++again) {
        ASSERT_EQ(pull().user_messages.size(), 1U);
        const auto remembered = thread("fixer:session:s");
        ASSERT_EQ(remembered.size(), 1U);
        EXPECT_EQ(remembered[0].content.bytes(), R"("hello")");
        EXPECT_EQ(remembered[0].kind, AgentMessageKind::user);
        EXPECT_EQ(remembered[0].trigger_source_id, in_session->signals.at(0).key);
    }
}

TEST_F(AgentMemory, gives_a_second_attempt_the_plan_and_what_has_come_of_it) {
    make_agent();
    const model::Wake first = claimed();
    const auto planned = plan(first, {"mail", "phone", "mail"});
    ASSERT_TRUE(planned.ok()) << refusal(planned.error());
    EXPECT_TRUE(planned->is_new);
    const auto& actions = planned->plan.plan.actions;
    EXPECT_EQ(actions[1].operation_id, rules::operation_id(first.run_key, 2, "phone"));
    EXPECT_NE(actions[0].operation_id, actions[2].operation_id) << "two of the same are two";
    ASSERT_EQ(append(first, {result(actions[0].operation_id)})->added, 2U) << "with its action";
    AgentMessage begun = action(actions[1].operation_id, "phone");
    begun.content = {};
    ASSERT_TRUE(append(first, {begun}).ok());
    crash();
    pass(base::seconds(61));
    pass(base::seconds(11));
    const auto again = claim("fixer", 10);
    ASSERT_TRUE(again && again->context);
    EXPECT_EQ(again->wake.run_key, first.run_key);
    ASSERT_EQ(again->context->plans.size(), 1U);
    const model::PlanNow& stored = again->context->plans[0];
    EXPECT_EQ(stored.plan.actions, actions);
    EXPECT_TRUE(stored.progress[0].result);
    EXPECT_TRUE(stored.progress[1].action && !stored.progress[1].result) << "begun, and nothing is known of it";
    EXPECT_FALSE(stored.progress[2].action);
    const auto other = plan(again->wake, {"delete everything"});
    ASSERT_TRUE(other.ok());
    EXPECT_FALSE(other->is_new);
    EXPECT_EQ(other->plan.plan.actions, actions) << "the stored one counts";
    const auto more = plan(again->wake, {"mail"}, 2);
    ASSERT_TRUE(more.ok());
    EXPECT_EQ(more->plan.plan.actions[0].ordinal, 4);
    EXPECT_EQ(plan(again->wake, {"mail"}, 4).error().reason, "round");
    EXPECT_EQ(append(again->wake, {action(actions[2].operation_id, "phone")}).error().reason, "not_planned");
}

TEST_F(AgentMemory, is_forgotten_with_its_person) {
    make_agent();
    const model::Wake wake = claimed();
    const std::string large(base::limits::agent_message_inline_bytes_max, 'x');
    ASSERT_TRUE(append(wake, {thought("one"), thought(large), action("op"), result("op")}).ok());
    ASSERT_TRUE(plan(wake, {"mail"}).ok());
    make_agent("other");
    this->wake("r2", R"({"text":"look"})", "other");
    erase_user("ada");
    for (const char* table : {"agent_messages", "agent_payloads", "links", "agent_plans", "agents"}) {
        const std::string text = std::string("SELECT count(*) FROM ") + table;
        const store::Sql sql{text.c_str()};
        std::int64_t rows = -1;
        ASSERT_TRUE(store_->begin().ok());
        ASSERT_TRUE(store_->database().run(sql, {}, [&](const store::Row& row) { rows = row.number(0); }).ok());
        store_->rollback();
        EXPECT_EQ(rows, 0) << table;
    }
}

class Errands : public AgentMemory {
protected:
    Errands() {
        make_agent();
        auto session = std::make_unique<ports::PutSession>();
        session->session_id = "s";
        session->user_id = "ada";
        session->agent_id = "fixer";
        ask(std::move(session));
        say("hello");
    }
    ports::WakeGrant attempt() {
        pass(base::minutes(16));
        auto grant = claim();
        EXPECT_TRUE(grant);
        return grant ? std::move(*grant) : ports::WakeGrant{};
    }
    std::vector<std::string> told() {
        EXPECT_TRUE(store_->begin().ok());
        std::vector<std::string> texts;
        constexpr store::Sql all{"SELECT human_text FROM notifications"};
        EXPECT_TRUE(
            store_->database().run(all, {}, [&](const store::Row& row) { texts.emplace_back(row.bytes(0)); }).ok());
        store_->rollback();
        return texts;
    }
};

TEST_F(Errands, that_nobody_took_are_no_turn_retried_and_then_the_person_is_told) {
    const auto first = claim();
    ASSERT_TRUE(first);
    const auto after = end(first->wake);
    ASSERT_TRUE(after.ok());
    EXPECT_EQ(after->state, WakeState::queued) << "it is retried";
    EXPECT_EQ(after->error->type, "no_turn");
    EXPECT_TRUE(told().empty());
    for (std::int64_t i = 1; i < base::limits::wake_failures_max; ++i) ASSERT_TRUE(end(attempt().wake).ok());
    EXPECT_EQ(stored(first->wake.id).state, WakeState::no_turn);
    EXPECT_EQ(agent().agent.lifecycle, model::AgentLifecycle::dormant);
    ASSERT_EQ(told().size(), 1U);
    EXPECT_NE(told()[0].find("were not taken"), std::string::npos) << told()[0];
}

TEST_F(Errands, that_were_pulled_are_done_with_the_wake) {
    const auto grant = claim();
    ASSERT_TRUE(grant);
    ASSERT_EQ(pull().user_messages.size(), 1U);
    EXPECT_EQ(end(grant->wake)->state, WakeState::completed);
    pass(base::hours(2));
    EXPECT_TRUE(pull().user_messages.empty()) << "they are with the agent for good";
}

TEST_F(Errands, that_a_failed_attempt_pulled_are_due_to_the_next) {
    const auto grant = claim();
    ASSERT_TRUE(grant);
    ASSERT_EQ(pull(InjectAt::turn_start, base::hours(1)).user_messages.size(), 1U);
    ASSERT_EQ(end(grant->wake, model::RunError{"x", "y"})->state, WakeState::queued);
    const ports::WakeGrant again = attempt();
    EXPECT_EQ(pull().user_messages.size(), 1U);
    EXPECT_EQ(end(again.wake)->state, WakeState::completed);
}

}  // namespace
}  // namespace belfry::sim
