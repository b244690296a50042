#include "ports/commands/agents.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/sessions.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/engine_world_test.hpp"

// What is said to an agent that cannot hear it now is not lost: it is woken for it when it can.
namespace belfry::sim {
namespace {

using model::WakeState;

class RestingWords : public EngineWorld {
protected:
    RestingWords() {
        open();
        auto agent = std::make_unique<ports::CreateAgent>();
        agent->draft.id = "coach";
        agent->draft.user_id = "ada";
        ask(std::move(agent));
        auto session = std::make_unique<ports::PutSession>();
        session->session_id = "s";
        session->user_id = "ada";
        session->agent_id = "coach";
        ask(std::move(session));
    }
    void change(std::optional<bool> dormant, std::optional<std::optional<base::Timestamp>> sleep_until = {}) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = "coach";
        command->patch.dormant = dormant;
        command->state.sleep_until = sleep_until;
        ask(std::move(command));
    }
    void say(const std::string& words) {
        auto command = std::make_unique<ports::PostMessage>();
        command->session_id = "s";
        command->role = model::MessageRole::user;
        command->content = words;
        command->deliver = true;
        ask(std::move(command));
    }
    // Something that is the agent's to see to in the session.
    void notify() {
        auto command = std::make_unique<ports::EmitNotification>();
        command->draft.text = "the build is red";
        command->draft.scope = {"ada", "s", ""};
        command->draft.handler = model::Handler::agent;
        ask(std::move(command));
    }
    std::optional<ports::WakeGrant> claim() {
        pass({});
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {"coach"};
        command->holder = "w";
        return ask(std::move(command)).grant;
    }
    model::Wake stored(model::WakeId id) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->wakes().find(id);
        store_->rollback();
        return found.ok() && *found ? **found : model::Wake{};
    }
    void expect_heard(const std::string& words) {
        const auto granted = claim();
        ASSERT_TRUE(granted) << words;
        EXPECT_EQ(granted->wake.reason, model::WakeReason::user_initiated);
        const ports::PullReply pulled = pull();
        ASSERT_EQ(pulled.user_messages.size(), 1U);
        EXPECT_EQ(pulled.user_messages[0].content, words);
        auto command = std::make_unique<ports::EndWake>();
        command->id = granted->wake.id;
        command->fence = granted->wake.fence;
        command->principal = model::house_principal();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        EXPECT_EQ(stored(granted->wake.id).state, WakeState::completed);
        EXPECT_FALSE(claim());
    }
};

TEST_F(RestingWords, to_a_dormant_agent_are_taken_up_when_it_is_active_again) {
    change(true);
    say("are you there?");
    EXPECT_FALSE(claim());
    EXPECT_EQ(stored(1).state, WakeState::queued);
    pass(base::hours(30));
    crash();
    pass(base::hours(1));
    EXPECT_FALSE(claim());
    change(false);
    expect_heard("are you there?");
}

TEST_F(RestingWords, to_a_sleeping_agent_are_taken_up_when_its_sleep_is_over) {
    change({}, now_ + base::hours(1));
    say("hello");
    pass(base::minutes(59));
    EXPECT_FALSE(claim());
    pass(base::minutes(1));
    expect_heard("hello");
}

TEST_F(RestingWords, to_a_sleeping_agent_are_taken_up_when_somebody_wakes_it_sooner_or_later) {
    change({}, now_ + base::hours(1));
    say("hello");
    change({}, now_ + base::hours(2));
    pass(base::minutes(90));
    EXPECT_FALSE(claim());
    change({}, std::optional<base::Timestamp>());
    expect_heard("hello");
}

TEST_F(RestingWords, keep_a_wake_that_came_for_something_else) {
    notify();
    say("and while you are at it");
    EXPECT_EQ(stored(1).signals, 2);
    EXPECT_EQ(stored(1).reason, model::WakeReason::subscription);
    change(true);
    EXPECT_FALSE(claim());
    EXPECT_EQ(stored(1).state, WakeState::queued);
    change(false, now_ + base::hours(1));
    EXPECT_FALSE(claim());
    EXPECT_EQ(stored(1).state, WakeState::queued);
    pass(base::hours(1));
    const auto granted = claim();
    ASSERT_TRUE(granted);
    EXPECT_EQ(granted->wake.id, 1);
    EXPECT_EQ(pull().user_messages.size(), 1U);
}

TEST_F(RestingWords, are_all_that_keeps_it) {
    notify();
    change(true);
    EXPECT_FALSE(claim());
    EXPECT_EQ(stored(1).state, WakeState::dormant);
}

TEST_F(RestingWords, go_with_their_agent) {
    change(true);
    say("hello");
    pass({});
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "coach";
    ask(std::move(destroy));
    EXPECT_EQ(stored(1).state, WakeState::destroyed);
}

TEST_F(RestingWords, leave_the_engine_at_rest) {
    change(true);
    say("hello");
    pass({});
    ASSERT_TRUE(engine_->next_due());
    EXPECT_GT(*engine_->next_due(), now_);
}

}  // namespace
}  // namespace belfry::sim
