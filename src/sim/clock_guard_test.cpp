#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "ports/commands/agents.hpp"
#include "ports/commands/context.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/interactions.hpp"
#include "ports/commands/wakes.hpp"
#include "sim/engine_world_test.hpp"

// The guard of the clock through the real engine and the real store: the clock is set in the running daemon, or is
// found to be another one at a start.
namespace belfry::sim {
namespace {

namespace limits = base::limits;
using model::DeliveryState;
using Time = std::optional<base::Timestamp>;

base::Timestamp at(const std::string& text) {
    return base::parse_timestamp(text).value();
}

const base::Timestamp right = at("2026-11-16T12:00:00Z");
const base::Timestamp behind = at("2020-01-01T00:00:00Z");
const base::Timestamp ahead = at("2099-01-01T00:00:00Z");

class ClockGuard : public EngineWorld, public ::testing::WithParamInterface<bool> {
protected:
    ClockGuard() {
        now_ = right;
        open();
        make_agent("fixer");
    }

    // The clock shows another time: in the running daemon, or at a start.
    void set_clock(base::Timestamp now) {
        if (GetParam()) return start_at(now);
        set_running_clock(now);
        tend();
    }
    void start_at(base::Timestamp now) {
        forget();
        now_ = now;
        open();
        tend();
    }
    // As the daemon's thread tells it.
    void set_running_clock(base::Timestamp now) {
        const base::Duration by = now - now_;
        now_ = now;
        if (by < base::Duration{}) engine_->clock_was_set_back(base::Duration{} - by);
        else engine_->clock_was_set_ahead(now, by);
    }
    void tend() {
        for (int i = 0; i < 100 && engine_->next_due() && *engine_->next_due() <= now_; ++i) engine_->tend(now_);
    }
    // At its usual pace: what is due on the way is done when it is.
    void live(base::Duration span) {
        for (; span > base::hours(6); span = span - base::hours(1)) {
            now_ = now_ + base::hours(1);
            tend();
        }
        const base::Timestamp until = now_ + span;
        while (engine_->next_due() && *engine_->next_due() <= until) {
            now_ = std::max(now_, *engine_->next_due());
            engine_->tend(now_);
        }
        now_ = until;
    }

    template <class Look>
    auto look(Look&& look) {
        EXPECT_TRUE(store_->begin().ok());
        auto found = look();
        store_->rollback();
        return std::move(found).value();
    }
    void make_agent(const std::string& id) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = "ada";
        ask(std::move(command));
    }
    void say(Time next_wake, Time sleep = {}, const std::string& id = "fixer") {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = id;
        if (next_wake) command->state.next_wake_at = next_wake;
        if (sleep) command->state.sleep_until = sleep;
        ask(std::move(command));
    }
    model::AgentState state(const std::string& id = "fixer") {
        return look([&] { return store_->agents().find(std::span(&id, 1)); }).front().state;
    }
    // By which reasons the agent was woken.
    std::vector<std::string> woken() {
        const model::WakeId last = look([&] { return store_->wakes().last_id(); });
        std::vector<std::string> all;
        for (model::WakeId id = 1; id <= last; ++id) {
            all.push_back(look([&] { return store_->wakes().find(id); })->reason_id);
        }
        return all;
    }

    model::NotificationId notify(base::Duration ttl) {
        auto command = std::make_unique<ports::EmitNotification>();
        command->draft.text = "the matter";
        command->draft.scope.user_id = "ada";
        command->draft.address = model::Address::user;
        command->draft.target = model::Target::agent;
        command->draft.handler = model::Handler::agent;
        command->draft.ttl = ttl;
        return ask(std::move(command)).notification.id;
    }
    bool is_open(const model::NotificationId& id) {
        const auto row = look([&] { return store_->notifications().find(id); });
        return row && row->state < DeliveryState::escalated;
    }
    // A wake that a worker has claimed.
    model::Wake claim(base::Duration lease = base::minutes(8)) {
        auto wake = std::make_unique<ports::WakeAgent>();
        wake->agent_id = "fixer";
        wake->request_id = "r";
        ask(std::move(wake));
        auto command = std::make_unique<ports::ClaimWake>();
        command->agents = {"fixer"};
        command->holder = "w";
        command->lease = lease;
        return ask(std::move(command)).grant.value().wake;
    }
    model::Wake stored(const model::Wake& wake) {
        return *look([&] { return store_->wakes().find(wake.id); });
    }
    bool can_end(const model::Wake& wake) {
        auto command = std::make_unique<ports::EndWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->principal = model::house_principal();
        const ports::EndWake* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->ports::CommandOf<model::Wake>::result().ok();
    }
    bool can_renew(const model::Wake& wake) {
        auto command = std::make_unique<ports::RenewWake>();
        command->id = wake.id;
        command->fence = wake.fence;
        command->lease = base::minutes(1);
        command->principal = model::house_principal();
        const ports::RenewWake* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        const auto effects = engine_->step(now_, std::move(group));
        return asked->result().ok();
    }
    void run(const std::string& script) { ASSERT_TRUE(store_->database().script(script).ok()); }
    ports::ClockState clock() {
        return look([&] { return store_->clock().state(); });
    }
};

INSTANTIATE_TEST_SUITE_P(Restarts, ClockGuard, ::testing::Bool());

TEST_P(ClockGuard, lets_waits_go_on_though_the_clock_is_put_right_in_two_steps) {
    set_clock(behind);
    const auto one = notify(base::hours(1));
    const model::Wake wake = claim();
    const base::Timestamp short_of = right - base::minutes(10);
    set_clock(short_of);
    EXPECT_TRUE(is_open(one));
    EXPECT_EQ(*stored(wake).lease_until - now_, base::minutes(8));
    live(base::minutes(1));
    set_clock(right + base::minutes(1));
    EXPECT_TRUE(is_open(one));
    EXPECT_EQ(*stored(wake).lease_until - now_, base::minutes(7));
    EXPECT_EQ(clock().set_back_from, base::Timestamp{}) << "it was behind, and is right";
    live(base::hours(1));
    EXPECT_FALSE(is_open(one)) << "its hour is over";
}

TEST_P(ClockGuard, gives_wake_times_back_though_the_clock_is_put_right_in_two_steps) {
    say(right + base::hours(1), right + base::hours(1));
    set_clock(behind);
    make_agent("other");
    say(now_ + base::hours(1), {}, "other");
    set_clock(right - base::minutes(10));
    live(base::minutes(1));
    EXPECT_TRUE(woken().empty()) << "not an hour has passed";
    set_clock(right + base::minutes(1));
    EXPECT_TRUE(woken().empty());
    EXPECT_EQ(state().next_wake_at, right + base::hours(1));
    EXPECT_EQ(state().sleep_until, right + base::hours(1));
    EXPECT_GT(*state("other").next_wake_at, now_ + base::minutes(47)) << "the second step has not ended it";
    EXPECT_LE(*state("other").next_wake_at, now_ + base::minutes(59));
    live(base::hours(1));
    EXPECT_EQ(woken().size(), 2U);
}

TEST_P(ClockGuard, protects_waits_and_wake_times_after_the_clock_was_ahead_once) {
    set_clock(ahead);
    set_clock(right);
    live(base::days(3));
    const base::Timestamp before = now_;
    say(before + base::hours(1));
    const auto one = notify(base::hours(2));
    set_clock(behind);
    set_clock(before + base::minutes(2));
    EXPECT_TRUE(is_open(one));
    EXPECT_TRUE(woken().empty());
    live(base::minutes(50));
    EXPECT_TRUE(woken().empty());
    live(base::minutes(10));
    EXPECT_EQ(woken(), std::vector<std::string>{"next_wake"});
}

TEST_P(ClockGuard, keeps_the_date_that_was_right_though_a_computer_begins_at_the_same_wrong_date_twice) {
    say(right + base::days(40));
    set_clock(behind);
    live(base::days(2));
    set_clock(behind + base::seconds(5));
    EXPECT_EQ(clock().set_back_from.us / base::minutes(1).us, right.us / base::minutes(1).us);
    live(base::days(3));
    set_clock(right + base::days(6));
    EXPECT_EQ(state().next_wake_at, right + base::days(40));
    live(base::days(33));
    EXPECT_TRUE(woken().empty());
    live(base::days(1) + base::hours(1));
    EXPECT_EQ(woken().size(), 1U);
}

TEST_P(ClockGuard, takes_the_clock_for_right_once_it_has_gone_for_longer_than_any_wait) {
    set_clock(ahead);
    set_clock(right);
    EXPECT_EQ(clock().set_back_from.us / base::minutes(1).us, ahead.us / base::minutes(1).us);
    live(base::days(20));
    EXPECT_GT(clock().set_back_from.us, 0);
    live(base::days(12));
    EXPECT_EQ(clock().set_back_from, base::Timestamp{});
    const auto one = notify(base::hours(1));
    set_clock(now_ + base::hours(2));
    EXPECT_FALSE(is_open(one)) << "the computer was asleep: the notification has had its time";
}

TEST_P(ClockGuard, changes_nothing_when_the_clock_comes_at_its_pace_to_the_date_that_it_was_set_back_from) {
    set_clock(right + base::hours(5));
    say(now_ + base::hours(20));  // in 20 hours
    set_clock(right);
    live(base::hours(6));
    EXPECT_EQ(clock().set_back_from, base::Timestamp{});
    live(base::hours(13));
    EXPECT_TRUE(woken().empty());
    live(base::hours(2));
    EXPECT_EQ(woken().size(), 1U) << "20 hours after the correction";
}

TEST_P(ClockGuard, lets_an_agent_sleep_and_wake_by_the_distance_that_it_meant) {
    set_clock(ahead);
    say(now_ + base::hours(2), now_ + base::hours(1));
    const model::AgentState said = state();
    set_clock(right);
    EXPECT_EQ(state().next_wake_at, said.next_wake_at) << "other devices are told of dates, not of corrections";
    EXPECT_EQ(state().sleep_until, said.sleep_until);
    auto wake = std::make_unique<ports::WakeAgent>();
    wake->agent_id = "fixer";
    wake->request_id = "early";
    ask(std::move(wake));
    tend();
    EXPECT_EQ(look([&] { return store_->wakes().find(1); })->state, model::WakeState::sleeping);
    live(base::minutes(61));
    EXPECT_EQ(state().sleep_until, std::nullopt) << "it is awake, everywhere";
    claim();
    live(base::minutes(61));
    EXPECT_EQ(state().next_wake_at, std::nullopt);
    EXPECT_EQ(woken().size(), 3U);
}

// Set back by much and then by a little: the time that was left is left.
TEST_P(ClockGuard, counts_time_that_has_passed_though_the_clock_is_set_back_again) {
    say(right + base::hours(3));
    set_clock(behind);
    live(base::hours(2));
    set_clock(behind + base::minutes(90));
    live(base::minutes(50));
    EXPECT_TRUE(woken().empty());
    live(base::minutes(12));
    EXPECT_EQ(woken().size(), 1U);
}

TEST_P(ClockGuard, keeps_context_values) {
    const auto content = [&] {
        const ports::ContextScope scope{{"ada", "", ""}, now_, {}};
        return look([&] { return store_->context_values().in_scope(scope); }).size();
    };
    auto command = std::make_unique<ports::PutContextValue>();
    command->key = {"build.progress", {"ada", "", ""}};
    command->content = "71 %";
    command->ttl = base::hours(1);
    ask(std::move(command));
    live(base::minutes(10));
    set_clock(behind);
    EXPECT_EQ(content(), 1U);
    live(base::minutes(30));
    EXPECT_EQ(content(), 1U);
    set_clock(right + base::minutes(50));
    EXPECT_EQ(content(), 1U);
    live(base::hours(1));
    EXPECT_EQ(content(), 0U) << "its time is over";
}

TEST_P(ClockGuard, dates_its_corrections_by_the_clock_that_is_right) {
    set_clock(behind);
    live(base::minutes(3));
    set_clock(right + base::minutes(5));
    const auto made = look([&] { return store_->clock().corrections(); });
    ASSERT_EQ(made.size(), 1U);
    EXPECT_LT(now_ - made.front().noticed_at, base::minutes(4));
    EXPECT_GE(now_ - made.front().noticed_at, base::minutes(2));
}

// In the running daemon only.
class ClockOfADaemon : public ClockGuard {};
INSTANTIATE_TEST_SUITE_P(Runs, ClockOfADaemon, ::testing::Values(false));

TEST_P(ClockOfADaemon, that_jumps_is_seen_to_before_the_first_command) {
    set_clock(behind);
    name_session();
    auto question = std::make_unique<ports::AskInteraction>();
    question->draft.session_id = "s";
    question->draft.message = "May I?";
    question->draft.tool_name = "mail";
    const model::InteractionId id = ask(std::move(question)).id;
    set_running_clock(right + base::minutes(5));
    auto answer = std::make_unique<ports::AnswerInteraction>();
    answer->id = id;
    answer->answer.decision = "allow_once";
    ask(std::move(answer));  // it has minutes left
}

TEST_P(ClockOfADaemon, that_is_set_back_is_seen_to_before_the_first_command) {
    set_clock(ahead);
    const model::Wake wake = claim(base::minutes(2));
    set_running_clock(right);
    const auto one = notify(base::hours(1));
    EXPECT_LE(*stored(wake).lease_until - now_, limits::wake_lease_max);
    EXPECT_TRUE(is_open(one));
    live(base::minutes(2) + base::seconds(1));
    EXPECT_EQ(stored(wake).state, model::WakeState::queued) << "as much as was left of it";
}

TEST_P(ClockOfADaemon, ends_no_wait_while_the_store_takes_no_correction) {
    set_clock(behind);
    const auto one = notify(base::hours(1));
    const model::Wake wake = claim();
    run("CREATE TRIGGER cut BEFORE UPDATE ON clock_state BEGIN SELECT RAISE(ABORT, 'not now'); END");
    set_running_clock(right + base::minutes(5));
    for (int i = 0; i < 3; ++i) {
        engine_->tend(now_);
        ASSERT_TRUE(engine_->next_due());
        EXPECT_GT(*engine_->next_due(), now_) << "it rests before it tries again";
        now_ = *engine_->next_due();
    }
    EXPECT_TRUE(is_open(one));
    EXPECT_EQ(stored(wake).state, model::WakeState::running);
    run("DROP TRIGGER cut");
    engine_->tend(now_);
    tend();
    EXPECT_TRUE(is_open(one));
    EXPECT_TRUE(can_end(wake));
}

// What a command writes after the jump, the correction would take for a wait that began before it.
TEST_P(ClockOfADaemon, takes_no_command_while_the_store_takes_no_correction) {
    set_clock(behind);
    const model::Wake wake = claim();
    run("CREATE TRIGGER cut BEFORE UPDATE ON clock_state BEGIN SELECT RAISE(ABORT, 'not now'); END");
    set_running_clock(now_ + base::minutes(5));
    EXPECT_FALSE(can_renew(wake));
    run("DROP TRIGGER cut");
    now_ = *engine_->next_due();
    tend();
    EXPECT_LE(*stored(wake).lease_until - now_, base::minutes(8));
    EXPECT_TRUE(can_renew(wake));
    EXPECT_EQ(*stored(wake).lease_until - now_, base::minutes(1));
}

// The engine reads changes of a failed transaction from the store again.
TEST_P(ClockOfADaemon, holds_for_wakes_that_are_read_again_from_the_store) {
    const model::Wake wake = claim();
    now_ = now_ + base::seconds(1);
    run("CREATE TRIGGER cut BEFORE UPDATE ON wakes BEGIN SELECT RAISE(ABORT, 'not now'); END");
    EXPECT_FALSE(can_end(wake));
    run("DROP TRIGGER cut");
    set_running_clock(now_ - base::hours(2));
    make_agent("other");
    auto other = std::make_unique<ports::WakeAgent>();
    other->agent_id = "other";
    ask(std::move(other));
    tend();
    EXPECT_EQ(stored(wake).state, model::WakeState::running);
    now_ = now_ + limits::wake_lease_max;
    tend();
    EXPECT_EQ(stored(wake).state, model::WakeState::queued) << "the worker is gone";
}

TEST_P(ClockOfADaemon, carries_leases_that_are_longer_than_the_jump) {
    set_clock(behind);
    const model::Wake wake = claim();
    set_clock(now_ + base::minutes(5));
    EXPECT_EQ(*stored(wake).lease_until - now_, base::minutes(8));
    crash();
    live(base::minutes(8) - base::seconds(1));
    EXPECT_EQ(stored(wake).state, model::WakeState::running);
    live(base::seconds(2));
    EXPECT_EQ(stored(wake).state, model::WakeState::queued);
}

TEST_P(ClockOfADaemon, carries_no_wait_twice_though_its_start_is_cut_short) {
    set_clock(behind);
    const model::Wake wake = claim();
    forget();
    now_ = now_ + base::minutes(5);
    open();
    crash();
    EXPECT_EQ(*stored(wake).lease_until - now_, base::minutes(8));
    tend();
    EXPECT_EQ(*stored(wake).lease_until - now_, base::minutes(8));
}

}  // namespace
}  // namespace belfry::sim
