#include "base/message_limits.hpp"
#include "ports/commands/agent_messages.hpp"
#include "sim/changes_world_test.hpp"

// Limits of agents, their subscriptions and their messages, through the real engine and the real store.
namespace belfry::sim {
namespace {

namespace limits = base::limits;

class AgentLimits : public Changes {
protected:
    template <class Put>
    void put_in_store(Put put) {
        ASSERT_TRUE(store_->begin().ok());
        put();
        ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    }
    base::Uuid next_id() { return base::make_uuid7(now_, random_.next(), random_.next()); }
};

TEST_F(AgentLimits, an_agent_beyond_the_limit_of_its_user_is_rejected) {
    make_agent("coach");
    put_in_store([&] {
        std::vector<model::AgentRecord> records;
        for (std::size_t i = 1; i < limits::agents_per_user_max; ++i) {
            model::AgentRecord& record = records.emplace_back();
            record.agent.id = "a" + std::to_string(i);
            record.agent.user_id = "ada";
            record.agent.state_id = next_id();
            record.state.id = record.agent.state_id;
            record.state.agent_id = record.agent.id;
            record.runtime.agent_id = record.agent.id;
        }
        ASSERT_TRUE(store_->agents().put(records).ok());
    });
    const auto create = [&](const std::string& user) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = "late-" + user;
        command->draft.user_id = user;
        return try_to(std::move(command));
    };
    const auto rejected = create("ada");
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::too_large);
    EXPECT_EQ(rejected.error().message, "a user has at most 10000 agents");
    EXPECT_TRUE(create("bob").ok());
}

TEST_F(AgentLimits, a_subscription_beyond_the_limit_of_its_agent_is_rejected) {
    make_agent("coach");
    model::WakeSubscription one;
    put_in_store([&] {
        one.agent_id = "coach";
        for (std::size_t i = 0; i < limits::wake_subscriptions_per_agent_max; ++i) {
            one.id = {next_id()};
            one.types = {"ci.n" + std::to_string(i)};
            ASSERT_TRUE(store_->agents().put_subscription(one).ok());
        }
    });
    const auto subscribe = [&](const std::string& type, bool active = true) {
        auto command = std::make_unique<ports::PutWakeSubscription>();
        command->draft = one;
        command->draft.types = {type};
        command->draft.active = active;
        return try_to(std::move(command));
    };
    const auto rejected = subscribe("ci.passed");
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::too_large);
    EXPECT_EQ(rejected.error().message, "an agent has at most 10000 subscriptions");
    EXPECT_TRUE(subscribe("ci.n7", false).ok()) << "one that is there may change";
}

TEST_F(AgentLimits, a_batch_of_too_many_messages_is_rejected_whole) {
    make_agent("coach");
    wake_now("coach", "r");
    const auto held = claim("coach");
    ASSERT_TRUE(held);
    const auto say = [&](std::size_t count) {
        auto command = std::make_unique<ports::AppendAgentMessages>();
        command->id = held->wake.id;
        command->fence = held->wake.fence;
        command->drafts.resize(count);
        for (model::AgentMessage& draft : command->drafts) {
            draft.kind = model::AgentMessageKind::thought;
            draft.content = model::RawJson::trusted(R"("hm")");
        }
        return try_to(std::move(command));
    };
    const auto rejected = say(limits::agent_messages_batch_max + 1);
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().code, base::Code::too_large);
    EXPECT_EQ(rejected.error().field, "messages");
    EXPECT_FALSE(agent("coach").state.recent_head_message_id);
    EXPECT_TRUE(say(limits::agent_messages_batch_max).ok());
}

TEST_F(AgentLimits, an_agent_that_knows_an_older_state_does_not_change_it) {
    make_agent("coach");
    wake_now("coach", "r");
    const auto held = claim("coach");
    ASSERT_TRUE(held);
    ASSERT_TRUE(set_own_goal(held->wake, "run").ok());
    const std::int64_t revision = agent("coach").state.revision;
    auto command = std::make_unique<ports::ChangeOwnState>();
    command->wake_id = held->wake.id;
    command->fence = held->wake.fence;
    command->state.slots = model::AgentSlots{};
    command->state.slots->primary_goal = "rest";
    command->state.revision = revision - 1;
    const auto rejected = try_to(std::move(command));
    ASSERT_FALSE(rejected.ok());
    EXPECT_EQ(rejected.error().reason, "stale_revision");
    EXPECT_EQ(agent("coach").state.revision, revision);
    EXPECT_EQ(agent("coach").state.slots.primary_goal, "run");
}

}  // namespace
}  // namespace belfry::sim
