#include <gtest/gtest.h>

#include "view/answers_world_test.hpp"

namespace belfry::view {
namespace {

class TimerAnswers : public AnswersTest {
protected:
    void SetUp() override {
        AnswersTest::SetUp();
        store.kept_agents.kept.emplace_back().agent.id = "a1";
        store.kept_agents.kept.back().agent.user_id = "ada";
        model::AgentTimer timer;
        timer.id.uuid = of_user;
        timer.agent_id = "a1";
        timer.user_id = "ada";
        timer.schedule = {model::EveryInterval{base::hours(1), base::Timestamp{}}, ""};
        timer.next_run_at = base::Timestamp{} + base::hours(1);
        store.kept_timers.kept.push_back(timer);
    }
    base::Result<model::ShownTimer> timer(const model::Principal& who, std::string_view agent_id) {
        return answer<model::ShownTimer>([&](auto done) { answers.timer(who, agent_id, {of_user}, done); });
    }
    base::Result<std::vector<model::ShownTimer>> timers(const model::Principal& who, const ports::TimerFilter& filter) {
        return answer<std::vector<model::ShownTimer>>([&](auto done) { answers.timers(who, filter, done); });
    }
    static ports::TimerFilter of(const std::string& user, const std::string& agent) {
        ports::TimerFilter filter;
        filter.user_id = user;
        filter.agent_id = agent;
        filter.limit = 10;
        return filter;
    }
};

TEST_F(TimerAnswers, are_for_the_user_and_those_above_and_only_under_their_agent) {
    EXPECT_TRUE(timer(ada, "a1").ok());
    EXPECT_TRUE(timer(admin, "a1").ok());
    EXPECT_EQ(timer(ada, "a2").error().code, base::Code::not_found);
    EXPECT_EQ(timer(bob, "a1").error().code, base::Code::not_found);
    EXPECT_EQ(timer(agent_of_ada, "a1").error().code, base::Code::not_found) << "a record is its person's";
}

TEST_F(TimerAnswers, show_the_next_five_firings) {
    const auto shown = timer(ada, "a1");
    ASSERT_EQ(shown->next.size(), 5U);
    EXPECT_EQ(shown->next[4].at, base::Timestamp{} + base::hours(5));
    store.kept_timers.kept[0].schedule = {model::Daily{{7, 0}}, "Europe/Berlin"};
    EXPECT_TRUE(timer(ada, "a1")->next.empty()) << "there are no zones here";
}

TEST_F(TimerAnswers, to_a_list_are_narrowed_to_what_the_asker_may_see) {
    EXPECT_EQ(timers(ada, of("", ""))->size(), 1U);
    EXPECT_EQ(store.kept_timers.asked.user_id, "ada");
    EXPECT_EQ(timers(bob, of("ada", "")).error().code, base::Code::forbidden);
    EXPECT_EQ(timers(ada, of("", "a1"))->size(), 1U);
    EXPECT_EQ(store.kept_timers.asked.agent_id, "a1");
    EXPECT_EQ(timers(bob, of("", "a1")).error().code, base::Code::not_found);
    EXPECT_EQ(timers(ada, of("", "a9")).error().code, base::Code::not_found);
}

}  // namespace
}  // namespace belfry::view
