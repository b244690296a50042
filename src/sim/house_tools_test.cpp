#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "ports/commands/agent_messages.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/house_work.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/sessions.hpp"
#include "ports/commands/tools.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/engine_world_test.hpp"

// What agents do whose work is Belfry's, through the real engine and the real store, in time that the test gives.
namespace belfry::sim {
namespace {

using model::ToolStatus;
using model::WakeState;

class HouseWork : public EngineWorld {
protected:
    HouseWork() {
        open();
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = "coach";
        command->draft.user_id = "ada";
        command->draft.workflow = model::WorkflowKind::script;
        command->draft.workflow_settings = model::RawJson::trusted(R"({"steps":[{"do":"say","with":{"text":"x"}}]})");
        ask(std::move(command));
    }

    void wake(const std::string& request = "r") {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = "coach";
        command->request_id = request;
        ask(std::move(command));
    }
    std::optional<ports::WakeGrant> claim() {
        auto command = std::make_unique<ports::ClaimWake>();
        command->workflow = model::WorkflowKind::script;
        command->holder = "belfry";
        command->context_messages = 10;
        return ask(std::move(command)).grant;
    }
    template <class C>
    base::Result<typename C::Reply> try_to(std::unique_ptr<C> command) {
        if (command->principal.id.empty()) command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->ports::template CommandOf<typename C::Reply>::result();
    }
    std::vector<model::PlannedAction> plan(const model::Wake& wake, const std::string& tool,
                                           const std::vector<std::string>& arguments) {
        auto command = std::make_unique<ports::StorePlan>();
        command->id = wake.id;
        command->fence = wake.fence;
        for (const std::string& one : arguments) {
            model::PlannedAction& action = command->actions.emplace_back();
            action.tool_name = tool;
            action.arguments = model::RawJson::trusted(one);
        }
        return ask(std::move(command)).plan.plan.actions;
    }
    base::Result<ports::CalledTool> act(const model::Wake& wake, const std::string& operation_id) {
        auto command = std::make_unique<ports::CallTool>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->operation_id = operation_id;
        return try_to(std::move(command));
    }
    std::size_t told() {
        auto command = std::make_unique<ports::OpenInbox>();
        command->user_id = "ada";
        return ask(std::move(command)).waiting.size();
    }
    // A notification that the agent has to tell its user; in a session, or with a wake that has none.
    model::NotificationId emit(const std::string& text, const std::string& session, base::Duration ttl) {
        auto note = std::make_unique<ports::EmitNotification>();
        note->draft.scope = {"ada", session, "coach"};
        note->draft.address = session.empty() ? model::Address::user : model::Address::session;
        note->draft.target = model::Target::user;
        note->draft.handler = model::Handler::agent;
        note->draft.text = text;
        note->draft.ttl = ttl;
        return ask(std::move(note)).notification.id;
    }
    void pass(int seconds) {
        for (int second = 0; second < seconds; ++second) now_ = now_ + base::seconds(1), tend();
    }
    void return_wakes() { ask(std::make_unique<ports::ReturnWakes>()); }
    void tend() { (void)engine_->tend(now_); }
    model::Wake end(const model::Wake& wake, std::optional<model::RunError> error, bool may_mend) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->error = std::move(error);
        command->may_mend = may_mend;
        auto ended = try_to(std::move(command));
        EXPECT_TRUE(ended.ok());
        return ended.ok() ? *ended : model::Wake{};
    }
};

// A run has planned to tell two notifications and has carried nothing out. Belfry shows one of them when its TTL ends.
TEST_F(HouseWork, what_belfry_has_shown_meanwhile_is_not_told_by_an_interrupted_plan) {
    emit("shown", {}, base::seconds(5));
    const auto open = emit("open", {}, base::seconds(300));
    const auto granted = claim();
    ASSERT_TRUE(granted.has_value());
    ASSERT_EQ(granted->notifications.size(), 2U);
    plan(granted->wake, "notify_user", {R"({"text":"shown, open"})"});
    end(granted->wake, model::RunError{"failed", "the model is gone"}, true);
    pass(12);
    ASSERT_EQ(told(), 1U) << "Belfry has shown one";
    const auto again = claim();
    ASSERT_TRUE(again.has_value());
    EXPECT_NE(again->wake.run_key, granted->wake.run_key) << "with a plan of its own";
    EXPECT_EQ(again->notifications, std::vector{open});
    EXPECT_TRUE(again->context->plans.empty());
}

TEST_F(HouseWork, a_plan_of_which_something_was_done_goes_on_whatever_belfry_has_shown) {
    emit("shown", {}, base::seconds(5));
    emit("open", {}, base::seconds(300));
    const auto granted = claim();
    const auto actions = plan(granted->wake, "set_state", {R"({"goal":"a"})", R"({"goal":"b"})"});
    ASSERT_TRUE(act(granted->wake, actions[0].operation_id).ok());
    end(granted->wake, model::RunError{"failed", "the model is gone"}, true);
    pass(12);
    const auto again = claim();
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->wake.run_key, granted->wake.run_key);
}

// The run in the conversation was given a notification that has a wake of its own.
TEST_F(HouseWork, a_wake_waits_for_the_plan_that_was_made_for_its_notification) {
    auto session = std::make_unique<ports::PutSession>();
    session->session_id = "s";
    session->user_id = "ada";
    session->agent_id = "coach";
    ask(std::move(session));
    const auto here = emit("here", "s", base::seconds(300));
    const auto side = emit("side", {}, base::seconds(300));
    const auto granted = claim();
    ASSERT_TRUE(granted.has_value());
    ASSERT_EQ(granted->wake.session_id, "s");
    auto pull = std::make_unique<ports::PullNotifications>();
    pull->session_id = "s";
    pull->principal = model::house_worker("coach");
    ASSERT_EQ(try_to(std::move(pull))->items.size(), 2U);
    plan(granted->wake, "notify_user", {R"({"text":"here, side"})"});
    end(granted->wake, model::RunError{"failed", "the model is gone"}, true);
    EXPECT_FALSE(claim().has_value()) << "the other wake has nothing to do yet";
    pass(12);
    const auto again = claim();
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->wake.id, granted->wake.id);
    EXPECT_EQ(again->notifications, (std::vector{here, side}));
    EXPECT_TRUE(again->reserved.empty());
    EXPECT_EQ(again->signals.size(), 1U) << "it was woken for one of them";
}

TEST_F(HouseWork, an_interrupted_run_goes_on_before_the_wakes_behind_it) {
    wake("first");
    const auto granted = claim();
    ASSERT_TRUE(granted.has_value());
    pass(1);
    wake("second");
    pass(1);
    return_wakes();
    const auto again = claim();
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->wake.id, granted->wake.id);
}

TEST_F(HouseWork, an_action_is_done_once_however_often_it_is_asked_for_and_whatever_crashes) {
    wake();
    const model::Wake held = claim()->wake;
    const auto actions = plan(held, "notify_user", {R"({"text":"a"})", R"({"text":"a"})"});
    const auto first = act(held, actions[0].operation_id);
    ASSERT_TRUE(first.ok()) << first.error().message;
    EXPECT_TRUE(first->is_new);
    EXPECT_EQ(first->result->metadata.status, ToolStatus::success);
    crash();
    const auto again = act(held, actions[0].operation_id);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_FALSE(again->is_new);
    EXPECT_EQ(again->result->id, first->result->id);
    EXPECT_EQ(told(), 1U);
    // Two intended ones that are alike are two.
    EXPECT_TRUE(act(held, actions[1].operation_id)->is_new);
    EXPECT_EQ(told(), 2U);
}

TEST_F(HouseWork, nothing_is_done_that_was_not_planned_or_under_a_claim_that_is_lost) {
    wake();
    const model::Wake held = claim()->wake;
    const auto actions = plan(held, "notify_user", {R"({"text":"a"})"});
    EXPECT_EQ(act(held, "no such operation").error().code, base::Code::invalid);
    return_wakes();
    EXPECT_EQ(act(held, actions[0].operation_id).error().reason, "stale_claim");
    EXPECT_EQ(told(), 0U);
}

TEST_F(HouseWork, what_a_tool_refuses_is_its_result_and_changes_nothing) {
    wake();
    const model::Wake held = claim()->wake;
    const auto actions = plan(held, "notify_user", {R"({"text":""})"});
    const auto done = act(held, actions[0].operation_id);
    ASSERT_TRUE(done.ok());
    EXPECT_EQ(done->result->metadata.status, ToolStatus::error);
    EXPECT_EQ(done->result->metadata.error_code, "invalid_arguments");
    EXPECT_EQ(told(), 0U);
}

TEST_F(HouseWork, what_dead_workers_had_claimed_goes_on_at_once_where_its_plan_stands) {
    wake();
    const model::Wake held = claim()->wake;
    const auto actions = plan(held, "notify_user", {R"({"text":"a"})", R"({"text":"b"})"});
    ASSERT_TRUE(act(held, actions[0].operation_id).ok());
    crash();
    return_wakes();
    tend();
    const auto grant = claim();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->wake.run_key, held.run_key);
    EXPECT_EQ(grant->wake.run_id, held.run_id);
    EXPECT_EQ(grant->agent.runtime.failure_streak, 0);
    ASSERT_EQ(grant->context->plans.size(), 1U);
    EXPECT_TRUE(grant->context->plans[0].progress[0].result);
    EXPECT_FALSE(grant->context->plans[0].progress[1].result);
}

TEST_F(HouseWork, what_ends_belfry_again_and_again_is_a_failure_in_the_end) {
    wake();
    for (std::int64_t i = 1; i < base::limits::wake_failures_max; ++i) {
        ASSERT_TRUE(claim()) << i;
        return_wakes();
        tend();
    }
    const auto grant = claim();
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->agent.runtime.failure_streak, 0);
    return_wakes();
    tend();
    EXPECT_FALSE(claim());
}

TEST_F(HouseWork, what_no_attempt_would_mend_is_the_end_of_its_wake) {
    wake();
    const model::Wake ended = end(claim()->wake, model::RunError{"budget", "used up"}, false);
    EXPECT_EQ(ended.state, WakeState::failed);
    EXPECT_EQ(ended.error->type, "budget");
    wake("another");
    EXPECT_EQ(end(claim()->wake, model::RunError{"x", "y"}, true).state, WakeState::queued);
}

}  // namespace
}  // namespace belfry::sim
