#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "ports/commands/agents.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/runs.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/engine_world_test.hpp"

// How wakes end together with what they hang on: their runs, their session, their agent, the clock.
namespace belfry::sim {
namespace {

using model::RunState;
using model::WakeState;

class WakeEnds : public EngineWorld {
protected:
    void make_agent() {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = "fixer";
        command->draft.user_id = "ada";
        command->draft.mode = model::AgentMode::hybrid;
        ask(std::move(command));
    }
    static std::unique_ptr<ports::WakeAgent> wish(const std::string& request) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = "fixer";
        command->request_id = request;
        command->principal = model::house_principal();
        return command;
    }
    std::optional<ports::WakeGrant> claim() {
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {"fixer"};
        command->holder = "w";
        command->lease = base::seconds(60);
        return ask(std::move(command)).grant;
    }
    // Of commands that have a member called as their outcome is.
    template <class C>
    void tell(std::unique_ptr<C> command) {
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        EXPECT_TRUE(asked->ports::template CommandOf<typename C::Reply>::result().ok());
    }
    void fail(const model::Wake& wake) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->error = model::RunError{"boom", "it broke"};
        tell(std::move(command));
    }
    base::Error refused_to_finish(model::RunId id, RunState state) {
        auto command = std::make_unique<ports::FinishRun>();
        command->run_id = id;
        command->state = state;
        command->principal = model::house_principal();
        if (state == RunState::failed) command->error = model::RunError{"boom", "it broke"};
        const ports::FinishRun* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        const auto& result = asked->ports::CommandOf<model::Run>::result();
        EXPECT_FALSE(result.ok());
        return result.ok() ? base::Error{} : result.error();
    }
    model::Wake stored(model::WakeId id) {
        EXPECT_TRUE(store_->begin().ok());
        const auto found = store_->wakes().find(id);
        store_->rollback();
        return found.ok() && *found ? **found : model::Wake{};
    }
    void wait(base::Duration span) {
        const base::Timestamp until = now_ + span;
        while (engine_->next_due() && *engine_->next_due() <= until) {
            now_ = std::max(now_, *engine_->next_due());
            engine_->tend(now_);
        }
        now_ = until;
    }
};

TEST_F(WakeEnds, one_that_is_tried_again_needs_no_second_place) {
    options_.runs.capacity = 1;
    open();
    make_agent();
    ask(wish("r"));
    const auto first = claim();
    ASSERT_TRUE(first);
    fail(first->wake);
    wait(base::seconds(10));
    const auto second = claim();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->wake.attempts, 2);
    EXPECT_EQ(second->wake.run_id, first->wake.run_id);
}

TEST_F(WakeEnds, two_that_ask_for_the_same_at_once_get_one) {
    open();
    make_agent();
    std::vector<ports::AnyCommand> group;
    std::vector<const ports::WakeAgent*> asked;
    for (int i = 0; i < 2; ++i) {
        auto command = wish("r");
        asked.push_back(command.get());
        group.push_back(std::move(command));
    }
    const auto effects = engine_->step(now_, std::move(group));
    ASSERT_TRUE(asked[0]->result().ok() && asked[1]->result().ok());
    EXPECT_EQ(asked[0]->result()->wake.id, asked[1]->result()->wake.id);
    EXPECT_TRUE(asked[0]->result()->is_new);
    EXPECT_FALSE(asked[1]->result()->is_new);
}

TEST_F(WakeEnds, its_run_is_finished_by_whoever_has_claimed_it_and_by_nobody_else) {
    open();
    make_agent();
    ask(wish("r"));
    const auto granted = claim();
    ASSERT_TRUE(granted);
    for (const RunState state : {RunState::completed, RunState::failed}) {
        const base::Error refused = refused_to_finish(granted->wake.run_id, state);
        EXPECT_EQ(refused.code, base::Code::conflict);
        EXPECT_EQ(refused.reason, "claimed");
    }
    EXPECT_EQ(stored(granted->wake.id).state, WakeState::running);
    fail(granted->wake);
    EXPECT_EQ(refused_to_finish(granted->wake.run_id, RunState::completed).reason, "claimed") << "it waits";
    crash();
    EXPECT_EQ(refused_to_finish(granted->wake.run_id, RunState::completed).reason, "claimed");
}

TEST_F(WakeEnds, one_that_waits_for_its_next_attempt_is_not_ended_for_its_silence) {
    options_.runs.silence = base::hours(24);
    open();
    make_agent();
    ask(wish("r"));
    const auto first = claim();
    ASSERT_TRUE(first);
    fail(first->wake);
    wait(base::hours(60));  // nobody comes to work, over a weekend
    EXPECT_EQ(stored(first->wake.id).state, WakeState::queued);
    const auto second = claim();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->wake.run_id, first->wake.run_id);
}

TEST_F(WakeEnds, one_whose_run_was_cancelled_is_not_completed_after_it_in_the_same_group) {
    open();
    make_agent();
    ask(wish("r"));
    const auto granted = claim();
    ASSERT_TRUE(granted);
    auto cancel = std::make_unique<ports::CancelRun>();
    cancel->run_id = granted->wake.run_id;
    cancel->principal = model::house_principal();
    auto end = std::make_unique<ports::EndWake>();
    end->id = granted->wake.id;
    end->fence = granted->wake.fence;
    end->principal = model::house_principal();
    const ports::EndWake* const asked = end.get();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(cancel));
    group.push_back(std::move(end));
    const auto effects = engine_->step(now_, std::move(group));
    const auto& refused = asked->ports::CommandOf<model::Wake>::result();
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, "stale_claim");
    EXPECT_EQ(stored(granted->wake.id).state, WakeState::cancelled);
}

TEST_F(WakeEnds, with_its_session_gone_its_run_does_not_stay_pending) {
    open();
    make_agent();
    name_session();
    auto command = wish("turn");
    command->reason = model::WakeReason::user_initiated;
    command->session_id = "s";
    const model::Wake made = ask(std::move(command)).wake;
    auto gone = std::make_unique<ports::DeleteSession>();
    gone->session_id = "s";
    ask(std::move(gone));
    EXPECT_FALSE(claim());
    EXPECT_EQ(stored(made.id).state, WakeState::failed);
    EXPECT_TRUE(store_->begin().ok());
    const auto runs = store_->runs().find(std::span(&made.run_id, 1));
    store_->rollback();
    ASSERT_TRUE(runs.ok() && runs->size() == 1);
    EXPECT_EQ(runs->front().state, RunState::cancelled);
}

TEST_F(WakeEnds, a_destroyed_agent_is_woken_by_nothing_after_a_restart_either) {
    open();
    make_agent();
    auto rule = std::make_unique<ports::PutWakeSubscription>();
    rule->draft.agent_id = "fixer";
    rule->draft.types = {"ci.*"};
    ask(std::move(rule));
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "fixer";
    ask(std::move(destroy));
    crash();
    emit("ci.failed");
    wait(base::minutes(5));
    EXPECT_TRUE(store_->begin().ok());
    EXPECT_EQ(*store_->wakes().last_id(), 0);
    store_->rollback();
}

TEST_F(WakeEnds, a_clock_that_is_set_back_lengthens_no_pause) {
    open();
    make_agent();
    ask(wish("r"));
    const auto first = claim();
    ASSERT_TRUE(first);
    fail(first->wake);
    now_ = now_ - base::hours(2);
    engine_->clock_was_set_back(base::hours(2));
    wait(base::seconds(10));
    EXPECT_TRUE(claim());
}

}  // namespace
}  // namespace belfry::sim
