#include <gtest/gtest.h>

#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

class AgentAnswers : public AnswersTest {
protected:
    void SetUp() override {
        AnswersTest::SetUp();
        for (const char* id : {"a1", "a2"}) {
            model::AgentRecord record;
            record.agent.id = id;
            record.agent.user_id = "ada";
            store.kept_agents.kept.push_back(record);
        }
        for (const model::WakeId id : {4, 3}) {
            model::Wake wake;
            wake.id = id;
            wake.user_id = "ada";
            wake.session_id = id == 3 ? "a1" : "";
            store.kept_agents.kept_wakes.push_back(wake);
        }
        for (std::int64_t i = 1; i <= 3; ++i) store.kept_agents.kept_signals.emplace_back().ordinal = i;
    }
    base::Result<model::AgentRecord> agent(const model::Principal& who, std::string_view id) {
        return answer<model::AgentRecord>([&](auto done) { answers.agent(who, id, done); });
    }
    base::Result<model::Wake> wake(const model::Principal& who, model::WakeId id) {
        return answer<model::Wake>([&](auto done) { answers.wake(who, id, done); });
    }
    base::Result<std::vector<model::Wake>> wakes(const model::Principal& who, const std::string& user = {}) {
        ports::WakeFilter filter;
        filter.user_id = user;
        filter.limit = 10;
        return answer<std::vector<model::Wake>>([&](auto done) { answers.wakes(who, filter, done); });
    }
};

TEST_F(AgentAnswers, are_for_the_user_and_those_above_and_to_others_there_is_none) {
    EXPECT_TRUE(agent(ada, "a1").ok());
    EXPECT_TRUE(agent(admin, "a1").ok());
    EXPECT_EQ(agent(bob, "a1").error().code, base::Code::not_found);
    EXPECT_EQ(agent(agent_of_ada, "a1").error().code, base::Code::not_found) << "a record is its person's";
    EXPECT_EQ(agent(ada, "a9").error().code, base::Code::not_found);
}

TEST_F(AgentAnswers, say_that_an_idle_agent_with_a_wake_in_the_queue_is_queued) {
    store.kept_agents.kept_wakes[0].agent_id = "a2";
    EXPECT_EQ(agent(ada, "a1")->runtime.run_status, model::AgentRunStatus::idle);
    EXPECT_EQ(agent(ada, "a2")->runtime.run_status, model::AgentRunStatus::queued);
    ports::AgentFilter filter;
    filter.limit = 10;
    const auto all =
        answer<std::vector<model::AgentRecord>>([&](auto done) { answers.agents(ada, std::move(filter), done); });
    EXPECT_EQ(all->back().runtime.run_status, model::AgentRunStatus::queued);
    store.kept_agents.kept[1].runtime.run_status = model::AgentRunStatus::running;
    EXPECT_EQ(agent(ada, "a2")->runtime.run_status, model::AgentRunStatus::running);
    store.kept_agents.kept_wakes[0].state = model::WakeState::completed;
    store.kept_agents.kept[1].runtime.run_status = model::AgentRunStatus::idle;
    EXPECT_EQ(agent(ada, "a2")->runtime.run_status, model::AgentRunStatus::idle);
}

TEST_F(AgentAnswers, about_wakes_are_for_whoever_may_use_the_session_or_sees_the_user) {
    EXPECT_TRUE(wake(ada, 3).ok());
    EXPECT_TRUE(wake(agent_of_ada, 4).ok());
    EXPECT_TRUE(wake(agent_of_a1, 3).ok());
    EXPECT_EQ(wake(agent_of_a1, 4).error().code, base::Code::not_found) << "it has no session";
    EXPECT_EQ(wake(bob, 3).error().code, base::Code::not_found);
    EXPECT_EQ(wake(admin, 9).error().code, base::Code::not_found);
}

TEST_F(AgentAnswers, to_a_list_are_narrowed_to_what_the_asker_may_see) {
    EXPECT_EQ(wakes(ada)->size(), 2U);
    EXPECT_EQ(store.kept_agents.wakes_asked.user_id, "ada");
    EXPECT_TRUE(wakes(bob)->empty());
    EXPECT_EQ(wakes(bob, "ada").error().code, base::Code::forbidden);
    const auto agents = [&](const model::Principal& who) {
        ports::AgentFilter filter;
        filter.limit = 1;
        return answer<std::vector<model::AgentRecord>>([&](auto done) { answers.agents(who, filter, done); });
    };
    EXPECT_EQ(agents(ada)->front().agent.id, "a1");
    EXPECT_TRUE(agents(bob)->empty());
}

TEST_F(AgentAnswers, about_signals_go_on_after_an_ordinal_and_need_the_wake) {
    const auto signals = [&](const model::Principal& who, std::int64_t after, std::size_t limit) {
        return answer<std::vector<model::WakeSignal>>(
            [&](auto done) { answers.wake_signals(who, 3, after, limit, done); });
    };
    EXPECT_EQ(signals(ada, 1, 10)->front().ordinal, 2);
    EXPECT_EQ(signals(ada, 0, 2)->size(), 2U);
    EXPECT_EQ(signals(bob, 0, 2).error().code, base::Code::not_found);
}

TEST_F(AgentAnswers, about_subscriptions_go_on_after_an_id) {
    for (const base::Uuid& id : {of_session, of_user}) store.kept_agents.rules.emplace_back().id.uuid = id;
    const auto rules = [&](const model::Principal& who, const model::SubscriptionId& after) {
        return answer<std::vector<model::WakeSubscription>>(
            [&](auto done) { answers.wake_subscriptions(who, "a1", after, 10, done); });
    };
    EXPECT_EQ(rules(ada, {})->size(), 2U);
    EXPECT_EQ(rules(ada, model::SubscriptionId{of_session})->front().id.uuid, of_user);
    EXPECT_EQ(rules(bob, {}).error().code, base::Code::not_found);
}

}  // namespace
}  // namespace belfry::view
