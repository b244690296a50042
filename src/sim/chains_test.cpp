#include "ports/commands/agent_messages.hpp"
#include "ports/commands/memory.hpp"
#include "sim/changes_world_test.hpp"

// Agents that wake one another: a chain has an end, and the end is told.
namespace belfry::sim {
namespace {

using model::WakeState;

class Chains : public Changes {
protected:
    // Two that watch each other.
    void pair_up() {
        settle_agent("coach");
        settle_agent("pupil");
    }
    model::Wake newest() {
        EXPECT_TRUE(store_->begin().ok());
        const auto last = store_->wakes().last_id();
        const auto found = store_->wakes().find(last.ok() ? *last : 0);
        store_->rollback();
        return found.ok() && *found ? **found : model::Wake{};
    }
    void expect_end(const std::string& agent) {
        live(base::seconds(1));
        EXPECT_FALSE(claim(agent));
        const model::Wake last = newest();
        EXPECT_EQ(last.agent_id, agent);
        EXPECT_EQ(last.state, WakeState::refused);
        ASSERT_TRUE(last.error);
        EXPECT_EQ(last.error->type, "chain_too_long");
        EXPECT_EQ(last.signals, 1) << "what it would have been for is on record";
    }
    void emit_as(const std::string& agent, const std::string& type, model::RunId run = 0) {
        auto command = std::make_unique<ports::EmitEvents>();
        model::Event event = event_of_ada(type);
        event.session_id.clear();
        event.agent_id = agent;
        event.run_id = run;
        command->entries.push_back({std::move(event), {}});
        ask(std::move(command));
    }
    void say_thought(const model::Wake& wake) {
        auto say = std::make_unique<ports::AppendAgentMessages>();
        say->id = wake.id;
        say->fence = wake.fence;
        model::AgentMessage thought;
        thought.kind = model::AgentMessageKind::thought;
        thought.content = model::RawJson::trusted(R"({"n":1})");
        say->drafts.push_back(std::move(thought));
        EXPECT_TRUE(try_to(std::move(say)).ok());
    }
    std::optional<ports::FoldGrant> claim_fold() {
        auto granted = try_to(std::make_unique<ports::ClaimFold>());
        return granted.ok() ? *granted : std::nullopt;
    }
    bool finish_fold(const ports::FoldGrant& grant) {
        auto finish = std::make_unique<ports::FinishFold>();
        finish->id = grant.job.id;
        finish->attempt = grant.job.attempts;
        finish->summary.text = "One was said.";
        finish->summary.counts["thought"] = 1;
        const auto job = try_to(std::move(finish));
        return job.ok() && job->state == model::FoldState::done;
    }
    void subscribe(const std::string& agent, const std::string& type) {
        auto command = std::make_unique<ports::PutWakeSubscription>();
        command->draft.agent_id = agent;
        command->draft.types = {type};
        ask(std::move(command));
    }
};

TEST_F(Chains, agents_that_watch_each_others_state_wake_each_other_three_times) {
    pair_up();
    watch("coach", {"id:pupil"});
    watch("pupil", {"id:coach"});
    set_goal("pupil", "0");
    for (int depth = 0; depth <= base::limits::chain_depth_max; ++depth) {
        live(base::seconds(1));
        const std::string agent = depth % 2 == 0 ? "coach" : "pupil";
        const auto granted = claim(agent);
        ASSERT_TRUE(granted) << depth;
        if (depth == 1) crash_and_open();
        ASSERT_TRUE(set_own_goal(granted->wake, std::to_string(depth + 1)).ok());
        if (depth == 2) crash_and_open();
        end(granted->wake);
    }
    expect_end("coach");
    set_goal("pupil", "again");
    live(base::seconds(1));
    EXPECT_TRUE(claim("coach")) << "a person begins anew";
}

TEST_F(Chains, so_do_those_that_watch_each_others_messages) {
    pair_up();
    watch("coach", {"sub:agent_message/thought"});
    watch("pupil", {"sub:agent_message/thought"});
    wake_now("pupil", "r");
    for (int depth = 0; depth <= base::limits::chain_depth_max; ++depth) {
        live(base::seconds(1));
        const std::string agent = depth % 2 == 0 ? "pupil" : "coach";
        const auto granted = claim(agent);
        ASSERT_TRUE(granted) << depth;
        say_thought(granted->wake);
        end(granted->wake);
    }
    expect_end("pupil");
}

TEST_F(Chains, nobody_is_woken_by_a_summary) {
    pair_up();
    watch("coach", {"key:agentMessageAppended", "sub:agent_message/summary"});
    wake_now("pupil", "r");
    live(base::seconds(1));
    const auto granted = claim("pupil");
    ASSERT_TRUE(granted);
    ASSERT_TRUE(claim_fold() == std::nullopt) << "nothing was said yet";
    say_thought(granted->wake);
    live(base::seconds(1));
    const auto woken = claim("coach");
    ASSERT_TRUE(woken) << "by what was said";
    end(woken->wake);
    end(granted->wake);
    const auto fold = claim_fold();
    ASSERT_TRUE(fold);
    ASSERT_TRUE(finish_fold(*fold));
    live(base::seconds(1));
    EXPECT_FALSE(claim("coach"));
}

TEST_F(Chains, so_do_those_whose_workers_emit_events) {
    pair_up();
    subscribe("coach", "pupil.said");
    subscribe("pupil", "coach.said");
    emit_as("", "pupil.said");
    for (int depth = 0; depth <= base::limits::chain_depth_max; ++depth) {
        live(base::seconds(1));
        const std::string agent = depth % 2 == 0 ? "coach" : "pupil";
        const auto granted = claim(agent);
        ASSERT_TRUE(granted) << depth;
        if (depth == 2) crash_and_open();
        // By its name, or by its run.
        emit_as(depth % 2 == 0 ? agent : std::string(), agent + ".said", granted->wake.run_id * (depth % 2));
        end(granted->wake);
    }
    expect_end("coach");
    emit_as("pupil", "pupil.said");
    live({});
    EXPECT_TRUE(claim("coach")) << "said outside of any run";
}

TEST_F(Chains, what_is_too_deep_joins_what_waits_and_makes_it_no_deeper) {
    pair_up();
    settle_agent("third");
    settle_agent("fourth");
    watch("third", {"id:pupil"}, base::seconds(120));
    watch("fourth", {"id:third"});
    watch("coach", {"id:pupil"});
    watch("pupil", {"id:coach"});
    set_goal("pupil", "0");
    for (int depth = 0; depth <= base::limits::chain_depth_max; ++depth) {
        live(base::seconds(1));
        const auto granted = claim(depth % 2 == 0 ? "coach" : "pupil");
        ASSERT_TRUE(granted) << depth;
        ASSERT_TRUE(set_own_goal(granted->wake, std::to_string(depth + 1)).ok());
        end(granted->wake);
    }
    live(base::minutes(3));
    const auto third = claim("third");
    ASSERT_TRUE(third);
    ASSERT_EQ(third->signals.size(), 3U) << "the person's edit, and two of pupil's own";
    EXPECT_FALSE(third->signals[0].body.member("chain_depth"));
    EXPECT_EQ(third->signals[1].body.member("chain_depth")->text, "2");
    EXPECT_EQ(third->signals[2].body.member("chain_depth")->text, "4");
    crash_and_open();
    ASSERT_TRUE(set_own_goal(third->wake, "x").ok());
    live(base::seconds(1));
    const auto fourth = claim("fourth");
    ASSERT_TRUE(fourth);
    EXPECT_EQ(fourth->signals[0].body.member("chain_depth")->text, "3");
}

}  // namespace
}  // namespace belfry::sim
