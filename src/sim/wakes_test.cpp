#include "ports/commands/wakes.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "ports/commands/agents.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/runs.hpp"
#include "sim/engine_world_test.hpp"
#include "text/utf8.hpp"

// Agents and their wakes through the real engine and the real store, in time that the test gives.
namespace belfry::sim {
namespace {

using model::AgentLifecycle;
using model::WakeState;

class Wakes : public EngineWorld {
protected:
    Wakes() { open(); }

    model::AgentRecord make_agent(const std::string& id, model::AgentMode mode = model::AgentMode::hybrid) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = "ada";
        command->draft.mode = mode;
        return ask(std::move(command)).record;
    }
    model::WakeSubscription subscribe(const std::string& agent, const std::string& type,
                                      base::Duration window = base::limits::wake_window_default,
                                      const std::string& predicate = {}) {
        auto command = std::make_unique<ports::PutWakeSubscription>();
        command->draft.agent_id = agent;
        command->draft.types = {type};
        command->draft.window = window;
        command->draft.predicate = predicate;
        return ask(std::move(command));
    }
    std::optional<ports::WakeGrant> claim(const std::string& agent, base::Duration lease = base::seconds(60)) {
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {agent};
        command->holder = "w";
        command->lease = lease;
        return ask(std::move(command)).grant;
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
    base::Result<model::Wake> end(const model::Wake& wake, std::optional<model::RunError> error = {}) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->error = std::move(error);
        return try_to(std::move(command));
    }
    base::Result<model::Wake> renew(const model::Wake& wake, base::Duration lease = base::seconds(60)) {
        auto command = std::make_unique<ports::RenewWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->lease = lease;
        return try_to(std::move(command));
    }
    ports::AddedWake wake_now(const std::string& agent, const std::string& request) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = agent;
        command->request_id = request;
        return ask(std::move(command));
    }
    model::AgentRecord agent(const std::string& id) {
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
    model::WakeId last() {
        EXPECT_TRUE(store_->begin().ok());
        const auto id = store_->wakes().last_id();
        store_->rollback();
        return id.ok() ? *id : 0;
    }
    // As time goes: whatever is due on the way is done when it is.
    void live(base::Duration span) {
        const base::Timestamp until = now_ + span;
        while (engine_->next_due() && *engine_->next_due() <= until) {
            now_ = std::max(now_, *engine_->next_due());
            engine_->tend(now_);
        }
        now_ = until;
    }
};

TEST_F(Wakes, the_first_signal_waits_out_its_window_and_later_ones_join) {
    make_agent("fixer");
    subscribe("fixer", "ci.*");
    emit("ci.failed");
    live(base::seconds(30));
    emit("ci.failed");
    live(base::seconds(89));
    emit("ci.passed");
    EXPECT_FALSE(claim("fixer"));
    live(base::seconds(1));
    const auto first = claim("fixer");
    ASSERT_TRUE(first);
    EXPECT_EQ(first->signals.size(), 3U);
    EXPECT_EQ(first->wake.signals, 3);
    EXPECT_EQ(first->wake.attempts, 1);
    live(base::seconds(1));
    emit("ci.failed");
    ASSERT_TRUE(end(first->wake).ok());
    live(base::seconds(119));
    EXPECT_FALSE(claim("fixer"));
    live(base::seconds(1));
    const auto second = claim("fixer");
    ASSERT_TRUE(second);
    EXPECT_EQ(second->signals.size(), 1U);
    EXPECT_NE(second->wake.run_key, first->wake.run_key);
    EXPECT_EQ(stored(first->wake.id).state, WakeState::completed);
}

TEST_F(Wakes, a_wake_by_hand_runs_at_once_and_takes_what_waits_along) {
    make_agent("fixer");
    subscribe("fixer", "ci.*");
    emit("ci.failed");
    const model::WakeId waiting = last();
    live(base::seconds(10));
    const ports::AddedWake added = wake_now("fixer", "r1");
    EXPECT_TRUE(added.is_new);
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    EXPECT_EQ(granted->wake.id, added.wake.id);
    EXPECT_EQ(granted->signals.size(), 2U);
    EXPECT_EQ(stored(waiting).state, WakeState::coalesced);
    EXPECT_EQ(stored(waiting).coalesced_into, added.wake.id);
    EXPECT_FALSE(wake_now("fixer", "r1").is_new) << "the same request wakes once";
    ASSERT_TRUE(end(granted->wake).ok());
    EXPECT_EQ(wake_now("fixer", "r1").wake.state, WakeState::completed);
    live(base::hours(1));
    EXPECT_FALSE(claim("fixer"));
}

TEST_F(Wakes, immediate_ones_run_without_delay_and_two_of_them_together) {
    make_agent("fixer");
    subscribe("fixer", "ci.*", {});
    subscribe("fixer", "ci.failed", {});
    emit("ci.failed");
    live({});
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    EXPECT_EQ(granted->signals.size(), 2U);
    ASSERT_TRUE(end(granted->wake).ok());
    EXPECT_FALSE(claim("fixer"));
}

TEST_F(Wakes, a_crash_loses_none_and_runs_it_under_the_same_key) {
    make_agent("fixer");
    subscribe("fixer", "ci.*");
    emit("ci.failed");
    live(base::seconds(30));
    crash();
    live(base::seconds(89));
    EXPECT_FALSE(claim("fixer"));
    live(base::seconds(1));
    const auto first = claim("fixer");
    ASSERT_TRUE(first);
    crash();
    EXPECT_FALSE(claim("fixer")) << "whoever has it may still be at work";
    EXPECT_TRUE(renew(first->wake).ok());
    live(base::seconds(61));
    EXPECT_EQ(end(first->wake).error().reason, "stale_claim");
    live(base::seconds(10));
    const auto again = claim("fixer");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->wake.run_key, first->wake.run_key);
    EXPECT_EQ(again->wake.run_id, first->wake.run_id);
    EXPECT_EQ(again->wake.fence, 2);
    EXPECT_EQ(renew(first->wake).error().reason, "stale_claim");
    EXPECT_TRUE(end(again->wake).ok());
    EXPECT_EQ(end(again->wake).error().reason, "stale_claim");
}

TEST_F(Wakes, one_that_was_due_while_nobody_was_there_runs_once_at_the_start) {
    make_agent("fixer");
    subscribe("fixer", "ci.*");
    emit("ci.failed");
    forget();
    now_ = now_ + base::hours(3);
    open();
    live({});
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    ASSERT_TRUE(end(granted->wake).ok());
    live(base::hours(1));
    EXPECT_FALSE(claim("fixer"));
}

TEST_F(Wakes, a_claim_that_runs_out_while_belfry_is_down_is_nobodys_failure) {
    make_agent("fixer");
    wake_now("fixer", "r");
    for (std::int64_t attempt = 1; attempt <= base::limits::wake_failures_max + 2; ++attempt) {
        const auto granted = claim("fixer");
        ASSERT_TRUE(granted) << "due at once, time and again";
        EXPECT_EQ(granted->wake.attempts, attempt);
        EXPECT_EQ(granted->wake.fence, attempt);
        forget();
        now_ = now_ + base::hours(1);
        open();
        EXPECT_EQ(renew(granted->wake).error().reason, "stale_claim");
        live({});
        const model::Wake waiting = stored(granted->wake.id);
        EXPECT_EQ(waiting.state, WakeState::queued);
        EXPECT_EQ(waiting.run_key, granted->wake.run_key);
        EXPECT_EQ(waiting.error->type, "down");
        EXPECT_EQ(agent("fixer").runtime.failure_streak, 0);
    }
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    crash();
    live(base::seconds(61));
    EXPECT_EQ(stored(granted->wake.id).error->type, "lost") << "who could have renewed it has failed";
    EXPECT_EQ(agent("fixer").runtime.failure_streak, 1);
}

TEST_F(Wakes, one_that_is_released_is_as_it_was_before_its_claim_and_survives_a_crash) {
    make_agent("fixer");
    const model::Wake made = wake_now("fixer", "1").wake;
    const auto failed = claim("fixer");
    ASSERT_TRUE(failed);
    ASSERT_TRUE(end(failed->wake, model::RunError{"t", "no"}).ok());
    live(base::seconds(10));
    const model::Wake before = stored(made.id);
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    live(base::seconds(1));
    auto command = std::make_unique<ports::EndWake>();
    command->id = made.id;
    command->fence = granted->wake.fence;
    command->release = true;
    ASSERT_TRUE(try_to(std::move(command)).ok());
    model::Wake after = stored(made.id);
    EXPECT_EQ(after.fence, before.fence + 1) << "whoever had it has it no more";
    after.fence = before.fence;
    EXPECT_EQ(after, before);
    EXPECT_EQ(agent("fixer").runtime.failure_streak, 1);
    EXPECT_FALSE(renew(granted->wake).ok());
    crash();
    live(base::seconds(0));
    const auto again = claim("fixer");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->wake.attempts, 2);
    EXPECT_EQ(again->wake.run_id, granted->wake.run_id);
}

TEST_F(Wakes, a_hanging_one_is_ended_at_its_cap) {
    make_agent("fixer");
    wake_now("fixer", "r");
    const auto granted = claim("fixer", base::seconds(600));
    ASSERT_TRUE(granted);
    for (int i = 0; i < 19; ++i) {
        live(base::seconds(30));
        EXPECT_TRUE(renew(granted->wake, base::seconds(600)).ok());
    }
    live(base::seconds(31));
    EXPECT_EQ(renew(granted->wake).error().reason, "stale_claim");
    EXPECT_EQ(stored(granted->wake.id).error->type, "timed_out");
}

TEST_F(Wakes, one_at_a_time_for_an_agent_and_three_over_all) {
    for (const char* id : {"a", "b", "c", "d"}) {
        make_agent(id);
        wake_now(id, "1");
        wake_now(id, "2");
    }
    const auto a = claim("a");
    EXPECT_FALSE(claim("a"));
    EXPECT_TRUE(claim("b"));
    EXPECT_TRUE(claim("c"));
    EXPECT_FALSE(claim("d"));
    ASSERT_TRUE(end(a->wake).ok());
    const auto d = claim("d");
    ASSERT_TRUE(d);
    EXPECT_EQ(d->wake.reason_id, "1");
    EXPECT_FALSE(claim("a"));
}

TEST_F(Wakes, an_agent_that_sleeps_or_is_gone_ends_the_job_and_says_so) {
    make_agent("fixer");
    auto sleep = std::make_unique<ports::ChangeAgent>();
    sleep->agent_id = "fixer";
    sleep->state.sleep_until = std::optional(now_ + base::hours(1));
    ask(std::move(sleep));
    EXPECT_EQ(wake_now("fixer", "r1").wake.state, WakeState::sleeping);
    live(base::hours(1));
    wake_now("fixer", "r2");
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "fixer";
    EXPECT_EQ(ask(std::move(destroy)).agent.lifecycle, AgentLifecycle::destroyed);
    EXPECT_EQ(end(granted->wake).error().reason, "stale_claim");
    EXPECT_EQ(stored(granted->wake.id).state, WakeState::destroyed);
    EXPECT_EQ(wake_now("fixer", "r3").wake.state, WakeState::destroyed);
}

TEST_F(Wakes, modes_take_what_is_theirs) {
    make_agent("loner", model::AgentMode::autonomous);
    make_agent("host", model::AgentMode::interactive);
    auto said = std::make_unique<ports::WakeAgent>();
    said->agent_id = "loner";
    said->reason = model::WakeReason::user_initiated;
    said->session_id = "s";
    said->request_id = "t1";
    EXPECT_EQ(try_to(std::move(said)).error().reason, "refused");
    auto rule = std::make_unique<ports::PutWakeSubscription>();
    rule->draft.agent_id = "host";
    rule->draft.types = {"ci.*"};
    EXPECT_EQ(try_to(std::move(rule)).error().reason, "refused");
    auto turn = std::make_unique<ports::WakeAgent>();
    turn->agent_id = "host";
    turn->reason = model::WakeReason::user_initiated;
    turn->session_id = "s";
    turn->request_id = "t1";
    EXPECT_EQ(ask(std::move(turn)).wake.thread_id, "host:session:s");
}

TEST_F(Wakes, a_long_reason_of_its_rest_is_cut_between_two_letters) {
    make_agent("fixer");
    wake_now("fixer", "r");
    std::string reason;
    for (int i = 0; i < 2000; ++i) reason += "\u20ac";  // three bytes each
    for (int i = 0; i < 5; ++i) {
        const auto granted = claim("fixer");
        ASSERT_TRUE(granted) << i;
        ASSERT_TRUE(end(granted->wake, model::RunError{"boom", reason}).ok());
        live(base::minutes(15));
    }
    auto inbox = std::make_unique<ports::OpenInbox>();
    inbox->user_id = "ada";
    const ports::OpenedInbox seen = ask(std::move(inbox));
    ASSERT_EQ(seen.waiting.size(), 1U);
    const std::string& text = seen.waiting[0].text;
    EXPECT_LE(text.size(), base::limits::notification_text_bytes_max);
    EXPECT_EQ(text::utf8_valid_prefix(text), text.size());
}

TEST_F(Wakes, a_persons_wake_is_a_run_at_once_and_ends_with_it) {
    make_agent("coach");
    auto command = std::make_unique<ports::WakeAgent>();
    command->agent_id = "coach";
    command->reason = model::WakeReason::user_initiated;
    command->session_id = "morning";
    command->request_id = "1";
    const model::Wake made = ask(std::move(command)).wake;
    ASSERT_NE(made.run_id, 0);
    auto cancel = std::make_unique<ports::CancelRun>();
    cancel->run_id = made.run_id;
    cancel->reason = "enough";
    EXPECT_EQ(ask(std::move(cancel)).state, model::RunState::cancelled);
    EXPECT_EQ(stored(made.id).state, WakeState::cancelled);
    EXPECT_FALSE(claim("coach"));
}

TEST_F(Wakes, five_failures_in_a_row_and_it_rests_and_its_person_is_told_once) {
    make_agent("fixer");
    const model::WakeId id = wake_now("fixer", "r").wake.id;
    std::vector<base::Duration> pauses;
    for (int i = 0; i < 5; ++i) {
        const auto granted = claim("fixer");
        ASSERT_TRUE(granted) << i;
        EXPECT_EQ(granted->wake.attempts, i + 1);
        const auto ended = end(granted->wake, model::RunError{"boom", "it broke"});
        ASSERT_TRUE(ended.ok());
        if (ended->state == WakeState::queued) pauses.push_back(ended->due_at - now_);
        live(pauses.back());
    }
    EXPECT_EQ(pauses, (std::vector{base::seconds(10), base::seconds(20), base::seconds(40), base::seconds(80)}));
    EXPECT_EQ(stored(id).state, WakeState::failed);
    EXPECT_EQ(agent("fixer").agent.lifecycle, AgentLifecycle::dormant);
    EXPECT_EQ(wake_now("fixer", "r2").wake.state, WakeState::dormant);
    auto inbox = std::make_unique<ports::OpenInbox>();
    inbox->user_id = "ada";
    const ports::OpenedInbox seen = ask(std::move(inbox));
    ASSERT_EQ(seen.waiting.size(), 1U);
    EXPECT_NE(seen.waiting[0].text.find("it broke"), std::string::npos);
    auto revive = std::make_unique<ports::ChangeAgent>();
    revive->agent_id = "fixer";
    revive->patch.dormant = false;
    ask(std::move(revive));
    EXPECT_EQ(wake_now("fixer", "r3").wake.state, WakeState::queued);
}

TEST_F(Wakes, whose_notification_nobody_acknowledged_are_no_turn_retried_and_then_the_person_is_told) {
    make_agent("fixer");
    auto emitted = std::make_unique<ports::EmitNotification>();
    emitted->draft.text = "the matter";
    emitted->draft.scope.user_id = "ada";
    emitted->draft.scope.agent_id = "fixer";
    emitted->draft.address = model::Address::user;
    emitted->draft.target = model::Target::user;
    emitted->draft.handler = model::Handler::agent;
    ask(std::move(emitted));
    for (std::int64_t attempt = 1; attempt < base::limits::wake_failures_max; ++attempt) {
        const auto granted = claim("fixer");
        ASSERT_TRUE(granted) << attempt;
        const auto ended = end(granted->wake);
        ASSERT_TRUE(ended.ok());
        EXPECT_EQ(ended->state, WakeState::queued);
        EXPECT_EQ(ended->error->type, "no_turn");
        live(ended->due_at - now_);
    }
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    EXPECT_EQ(end(granted->wake)->state, WakeState::no_turn);
    EXPECT_EQ(agent("fixer").agent.lifecycle, AgentLifecycle::dormant);
    auto inbox = std::make_unique<ports::OpenInbox>();
    inbox->user_id = "ada";
    const ports::OpenedInbox seen = ask(std::move(inbox));
    ASSERT_EQ(seen.waiting.size(), 1U) << "what it was to say still has its time";
    EXPECT_NE(seen.waiting[0].text.find("were not taken"), std::string::npos) << seen.waiting[0].text;
}

TEST_F(Wakes, predicates_and_owners_decide_who_is_woken_by_an_event) {
    make_agent("fixer");
    subscribe("fixer", "ci.*", {}, R"(payload.message == "m" and event.severity >= "error")");
    emit("ci.failed", "t", model::Severity::warning);
    live({});
    EXPECT_FALSE(claim("fixer"));
    auto others = std::make_unique<ports::EmitEvents>();
    model::Event event = event_of_ada("ci.failed");
    event.user_id = "bob";
    event.session_id.clear();
    event.severity = model::Severity::error;
    others->entries.push_back({std::move(event), {}});
    ask(std::move(others));
    live({});
    EXPECT_FALSE(claim("fixer")) << "what is another person's wakes nobody here";
    emit("ci.failed", "t", model::Severity::error);
    live({});
    EXPECT_TRUE(claim("fixer"));
}

TEST_F(Wakes, a_run_that_is_cancelled_takes_its_wake_with_it) {
    make_agent("fixer");
    wake_now("fixer", "r");
    const auto granted = claim("fixer");
    ASSERT_TRUE(granted);
    auto cancel = std::make_unique<ports::CancelRun>();
    cancel->run_id = granted->wake.run_id;
    EXPECT_EQ(ask(std::move(cancel)).state, model::RunState::cancelled);
    EXPECT_EQ(stored(granted->wake.id).state, WakeState::cancelled);
    EXPECT_EQ(end(granted->wake).error().reason, "stale_claim");
    EXPECT_EQ(agent("fixer").runtime.run_status, model::AgentRunStatus::idle);
}

TEST_F(Wakes, a_person_who_is_erased_takes_his_agents_along) {
    make_agent("fixer");
    subscribe("fixer", "ci.*");
    emit("ci.failed");
    wake_now("fixer", "r");
    erase_user("ada");
    EXPECT_EQ(agent("fixer").agent.id, "");
    EXPECT_EQ(last(), 0);
    emit("ci.failed");
    EXPECT_EQ(last(), 0);
}

}  // namespace
}  // namespace belfry::sim
