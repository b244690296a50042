#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "sim/change_sets_world_test.hpp"

// Calls of tools that wait for a person's word.
namespace belfry::sim {
namespace {

using model::ToolPolicy;
using model::ToolStatus;

class Asking : public ChangeSets {
protected:
    Asking() { make_coach({{"*", ToolPolicy::ask}}); }

    // Time goes by, and whoever works goes on holding his wake.
    void hold_on(const model::Wake& wake, base::Duration span) {
        for (base::Duration gone; gone < span; gone = gone + base::seconds(10)) {
            live(base::seconds(10));
            auto renew = std::make_unique<ports::RenewWake>();
            renew->id = wake.id;
            renew->fence = wake.fence;
            ask(std::move(renew));
        }
    }
};

TEST_F(Asking, a_call_waits_for_the_persons_yes_and_is_done_then) {
    const model::Wake wake = held("s");
    const ports::CalledTool first = make_task(wake, "Run");
    EXPECT_FALSE(first.result);
    ASSERT_TRUE(first.waits_for);
    EXPECT_EQ(first.waits_for->whom, ports::ToolWait::For::person);
    EXPECT_EQ(tasks(), 0U);
    crash_and_open();
    const ports::CalledTool again = make_task(wake, "Run");
    ASSERT_TRUE(again.waits_for);
    EXPECT_EQ(again.waits_for->id, first.waits_for->id) << "the same question";
    EXPECT_EQ(again.action.id, first.action.id);
    const auto answered = answer(first.waits_for->id, "allow_once");
    ASSERT_TRUE(answered.ok()) << answered.error().message;
    EXPECT_EQ(answered->message, "Coach wants to use create_task");
    const ports::CalledTool done = make_task(wake, "Run");
    ASSERT_TRUE(done.result);
    EXPECT_EQ(done.result->metadata.status, ToolStatus::success);
    EXPECT_EQ(tasks(), 1U);
    EXPECT_FALSE(make_task(wake, "Run").is_new);
    EXPECT_EQ(tasks(), 1U);
    EXPECT_TRUE(make_task(wake, "Swim").waits_for) << "once is once";
}

TEST_F(Asking, no_means_no_and_so_does_silence) {
    const model::Wake wake = held("s");
    const auto code = [](const ports::CalledTool& called) {
        return called.result ? called.result->metadata.error_code : "none yet";
    };
    ASSERT_TRUE(answer(make_task(wake, "Run").waits_for->id, "deny").ok());
    EXPECT_EQ(code(make_task(wake, "Run")), "denied");
    auto withdraw = std::make_unique<ports::WithdrawInteraction>();
    withdraw->id = {*base::parse_uuid(make_task(wake, "Rest").waits_for->id)};
    ask(std::move(withdraw));
    EXPECT_EQ(code(make_task(wake, "Rest")), "denied");
    const std::string silent = make_task(wake, "Swim").waits_for->id;
    hold_on(wake, base::limits::interaction_time_max - base::seconds(10));
    EXPECT_EQ(code(make_task(wake, "Swim")), "none yet");
    hold_on(wake, base::seconds(10));
    EXPECT_EQ(code(make_task(wake, "Swim")), "denied");
    EXPECT_EQ(answer(silent, "allow_once").error().reason, "not_pending");
    EXPECT_EQ(code(make_task(wake, "Swim")), "denied");
    EXPECT_EQ(tasks(), 0U);
}

TEST_F(Asking, so_many_questions_wait_in_a_session_and_a_call_that_needs_one_more_is_rejected) {
    const model::Wake wake = held("s");
    std::string first;
    for (std::size_t i = 0; i < base::limits::interactions_pending_max; ++i) {
        const auto asked = make_task(wake, "Task " + std::to_string(i));
        ASSERT_TRUE(asked.waits_for) << i;
        if (i == 0) first = asked.waits_for->id;
    }
    const auto one_more = [&] {
        return try_to(call_of(wake, "op", "create_task", R"({"title":"Run","categoryId":"sport"})"));
    };
    const auto rejected = one_more();
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::overloaded);
    ASSERT_TRUE(answer(first, "deny").ok());
    const auto asked = one_more();
    ASSERT_TRUE(asked.ok()) << "nothing of the rejected call is left";
    EXPECT_TRUE(asked->is_new);
    EXPECT_TRUE(asked->waits_for);
}

TEST_F(Asking, what_is_always_allowed_is_not_asked_again) {
    const model::Wake wake = held("s");
    ASSERT_TRUE(answer(make_task(wake, "Run").waits_for->id, "always_allow").ok());
    EXPECT_TRUE(make_task(wake, "Run").result);
    EXPECT_TRUE(make_task(wake, "Swim").result);
    EXPECT_EQ(tasks(), 2U);
    EXPECT_TRUE(call(wake, "o", "notify_user", R"({"text":"x"})").waits_for) << "another tool";
}

TEST_F(Asking, nobody_is_asked_for_what_would_be_refused) {
    const model::Wake wake = held("s");
    EXPECT_EQ(make_task(wake, "Run", "work").result->metadata.error_code, "out_of_scope");
    EXPECT_EQ(call(wake, "", "notify_user", R"({"text":"x"})").result->metadata.error_code, "missing_operation_id");
    EXPECT_EQ(look().records.size(), 2U);
}

TEST_F(Asking, where_there_is_no_session_it_is_proposed) {
    const model::Wake wake = held();
    const ports::CalledTool called = make_task(wake, "Run");
    ASSERT_TRUE(called.result);
    EXPECT_TRUE(called.result->content.bytes().starts_with(R"({"proposed":true)"));
    EXPECT_EQ(set_of(wake).items.size(), 1U);
}

}  // namespace
}  // namespace belfry::sim
