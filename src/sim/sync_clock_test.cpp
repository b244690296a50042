#include "sim/sync_world_test.hpp"

// Devices of which one has a wrong clock.
namespace belfry::sim {
namespace {

class SyncClock : public SyncWorld {
protected:
    SyncClock() : laptop(device("laptop")), phone(device("phone")) {
        pair(laptop, phone);
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = "fixer";
        command->draft.user_id = "ada";
        laptop.ask(std::move(command));
        exchange(laptop, phone);
    }
    static void say(SyncDevice& on, base::Duration wakes_in, base::Duration sleeps_for) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = "fixer";
        command->state.next_wake_at = std::optional(on.now() + wakes_in);
        command->state.sleep_until = std::optional(on.now() + sleeps_for);
        on.ask(std::move(command));
    }
    static void start_at(SyncDevice& on, base::Timestamp now) {
        on.close();
        on.set_clock(now);
        on.open();
        on.live();
    }
    static model::WakeId wakes(SyncDevice& on) {
        return on.look([](ports::Store& store) { return store.wakes().last_id(); });
    }

    SyncDevice& laptop;
    SyncDevice& phone;
};

TEST_F(SyncClock, that_is_behind_on_one_device_wakes_nobody_early_on_another) {
    say(laptop, base::hours(1), base::hours(1));
    exchange(laptop, phone);
    const model::AgentState said = phone.agent("fixer")->state;
    const base::Timestamp right = laptop.now();
    start_at(laptop, right - base::days(2000));
    exchange(laptop, phone);
    phone.live(base::minutes(5));
    EXPECT_EQ(phone.agent("fixer")->state.next_wake_at, said.next_wake_at);
    EXPECT_EQ(phone.agent("fixer")->state.sleep_until, said.sleep_until);
    EXPECT_EQ(wakes(phone), 0);
    start_at(laptop, right + base::minutes(5));
    exchange(laptop, phone);
    EXPECT_EQ(laptop.agent("fixer")->state.next_wake_at, said.next_wake_at);
    EXPECT_EQ(wakes(laptop), 0);
    laptop.live(base::minutes(56));
    EXPECT_EQ(wakes(laptop), 1);
}

TEST_F(SyncClock, that_was_ahead_on_one_device_moves_no_date_that_another_has_said) {
    const base::Timestamp right = phone.now();
    start_at(phone, right + base::minutes(30));
    say(laptop, base::hours(1), base::hours(1));
    const model::AgentState said = laptop.agent("fixer")->state;
    exchange(laptop, phone);
    start_at(phone, right + base::minutes(1));
    exchange(laptop, phone);
    for (SyncDevice* const on : {&laptop, &phone}) {
        EXPECT_EQ(on->agent("fixer")->state.next_wake_at, said.next_wake_at);
        EXPECT_EQ(on->agent("fixer")->state.sleep_until, said.sleep_until);
    }
    phone.live(*said.next_wake_at - phone.now() - base::seconds(1));
    EXPECT_EQ(wakes(phone), 0);
    phone.live(base::seconds(2));
    EXPECT_EQ(wakes(phone), 1);
}

TEST_F(SyncClock, that_was_ahead_when_an_agent_went_to_sleep_lets_it_wake_on_all_devices) {
    const base::Timestamp right = laptop.now();
    start_at(laptop, right + base::days(2000));
    say(laptop, base::hours(2), base::hours(1));
    exchange(laptop, phone);
    start_at(laptop, right + base::minutes(1));
    laptop.live(base::minutes(61));
    phone.live(base::minutes(61));
    exchange(laptop, phone);
    EXPECT_EQ(phone.agent("fixer")->state.sleep_until, std::nullopt);
    laptop.live(base::minutes(60));
    EXPECT_EQ(wakes(laptop), 1);
    exchange(laptop, phone);
    EXPECT_EQ(phone.agent("fixer")->state.next_wake_at, std::nullopt);
}

}  // namespace
}  // namespace belfry::sim
