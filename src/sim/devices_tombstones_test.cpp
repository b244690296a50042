#include "base/limits.hpp"
#include "sim/devices_world_test.hpp"

// Agents that were destroyed while a device was away, however long. Acceptance 24 and 25.
namespace belfry::sim {
namespace {

class DevicesTombstones : public DevicesTest {
protected:
    void destroy(std::size_t device, const std::string& id) {
        auto command = std::make_unique<ports::DestroyAgent>();
        command->agent_id = id;
        ask(device, std::move(command));
    }
    // Days on one device. The others are off.
    void pass_days_on(std::size_t device, int days) {
        for (int day = 0; day < days; ++day) pass_on(device, base::days(1));
    }
    // Until each device has removed the agent: one that came to a timer of the agent keeps that wake for 90 days, and
    // the agent's record as long.
    void sweep_all() {
        for (int day = 0; day < 92; ++day) pass(base::days(1));
    }
    base::Code change_fails_with(std::size_t device, const std::string& id) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = id;
        command->patch.display_name = "alive";
        const auto told = try_on(device, std::move(command));
        return told.ok() ? base::Code::internal : told.error().code;
    }
    // An agent with a timer, a subscription and something that it remembers, on all devices.
    void make_busy_agent(const std::string& id) {
        create_agent(0, id);
        add_timer(0, id, "24h");
        auto rule = std::make_unique<ports::PutWakeSubscription>();
        rule->draft.agent_id = id;
        rule->draft.types = {"ci.failed"};
        ask(0, std::move(rule));
        wake_now(0, id, "r1");
        const auto wake = claim(0, id);
        ASSERT_TRUE(wake);
        say(0, *wake, "hello");
        end(0, *wake);
        meet();
    }
    void expect_gone(std::size_t device, const std::string& id) {
        const DevicesLook now = look(device);
        const auto agent = now.are_destroyed.find(id);
        EXPECT_TRUE(agent == now.are_destroyed.end() || agent->second) << device;
        const base::Code code = change_fails_with(device, id);
        EXPECT_TRUE(code == base::Code::gone || code == base::Code::not_found) << device;
    }
    void expect_same_digests() {
        for (std::size_t i = 1; i < devices_.size(); ++i) EXPECT_EQ(digest(0), digest(i)) << i;
    }
    void revoke(std::size_t device, std::size_t other) {
        auto command = std::make_unique<ports::RevokePeer>();
        command->key = on(other).peer_id();
        ask(device, std::move(command));
    }
    void add_again(std::size_t device, std::size_t other) {
        auto command = std::make_unique<ports::AddPeer>();
        command->peer = on(other).as_peer();
        ask(device, std::move(command));
    }
};

class DevicesAway : public DevicesTombstones {
protected:
    void come_back_after(int days) {
        make(2);
        make_busy_agent("z");
        part();
        destroy(0, "z");
        pass_days_on(0, days);
        change_agent(1, "z", called("written while away"));
        meet();
        expect_gone(0, "z");
        expect_gone(1, "z");
        expect_same_digests();
        sweep_all();
        meet();
        expect_gone(0, "z");
        expect_gone(1, "z");
        expect_same_digests();
        for (std::size_t i = 0; i < 2; ++i) EXPECT_FALSE(look(i).are_destroyed.contains("z")) << i;
    }
};

TEST_F(DevicesAway, for_10_days_know_the_same_afterwards) {
    come_back_after(10);
}

TEST_F(DevicesAway, for_45_days_know_the_same_afterwards) {
    come_back_after(45);
}

TEST_F(DevicesAway, for_91_days_know_the_same_afterwards) {
    come_back_after(91);
}

TEST_F(DevicesAway, for_120_days_know_the_same_afterwards) {
    come_back_after(120);
}

TEST_F(DevicesAway, for_400_days_know_the_same_afterwards) {
    come_back_after(400);
}

TEST_F(DevicesTombstones, reach_a_device_that_is_paired_only_with_a_relay) {
    for (std::size_t i = 0; i < 3; ++i) {
        DeviceNode::Options options{7, i, {}, DeviceNode::fair_weather(7), {}};
        devices_.push_back(std::make_unique<DeviceNode>(options, SeededRandom(100 + i), clock_));
        ASSERT_TRUE(devices_.back()->start());
    }
    pair(0, 1);
    pair(1, 2);
    make_busy_agent("z");
    part();
    destroy(0, "z");
    for (int round = 0; round < 5; ++round) {
        for (int day = 0; day < 25; ++day) {
            clock_.advance(base::days(1));
            tend(0);
            tend(1);
        }
        links_.front()->open(clock_.now());
        for (int i = 0; i < 100; ++i) {
            clock_.advance(base::milliseconds(50));
            tend(0);
            tend(1);
            links_.front()->carry(clock_.now(), {});
        }
        links_.front()->cut();
    }
    meet();
    for (std::size_t i = 0; i < 3; ++i) expect_gone(i, "z");
    expect_same_digests();
}

TEST_F(DevicesTombstones, reach_a_device_that_was_revoked_and_is_paired_again) {
    make(2);
    make_busy_agent("z");
    part();
    revoke(0, 1);
    destroy(0, "z");
    pass_days_on(0, 120);
    add_again(0, 1);
    meet();
    expect_gone(0, "z");
    expect_gone(1, "z");
    expect_same_digests();
}

TEST_F(DevicesTombstones, leave_no_agent_on_a_device_that_is_paired_later) {
    make(2);
    make_busy_agent("z");
    destroy(0, "z");
    meet();
    for (int day = 0; day < 95; ++day) pass(base::days(1));
    DeviceNode::Options options{7, 2, {}, DeviceNode::fair_weather(7), {}};
    devices_.push_back(std::make_unique<DeviceNode>(options, SeededRandom(102), clock_));
    ASSERT_TRUE(devices_.back()->start());
    pair(0, 2);
    meet();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(look(i).are_destroyed.contains("z")) << i;
    expect_same_digests();
}

TEST_F(DevicesTombstones, keep_the_id_of_the_agent) {
    make(2);
    make_busy_agent("z");
    part();
    destroy(0, "z");
    pass_days_on(0, 95);
    EXPECT_FALSE(look(0).are_destroyed.contains("z"));
    auto again = std::make_unique<ports::CreateAgent>();
    again->draft.id = "z";
    again->draft.user_id = "ada";
    const auto told = try_on(0, std::move(again));
    ASSERT_FALSE(told.ok());
    EXPECT_EQ(told.error().reason, "taken");
}

TEST_F(DevicesTombstones, are_kept_by_a_store_that_was_never_paired) {
    make(1);
    create_agent(0, "z");
    // A device that was made from a backup of the first one has the agent, too.
    DeviceNode::Options options{7, 1, {}, DeviceNode::fair_weather(7), {}};
    devices_.push_back(std::make_unique<DeviceNode>(options, SeededRandom(101), clock_));
    ASSERT_TRUE(devices_.back()->start());
    create_agent(1, "z");
    destroy(0, "z");
    pass_days_on(0, 95);
    EXPECT_FALSE(look(0).are_destroyed.contains("z"));
    pair(0, 1);
    meet();
    expect_gone(0, "z");
    expect_gone(1, "z");
    expect_same_digests();
}

class DevicesSecrets : public DevicesTombstones {
protected:
    static ports::AgentStatePatch goal(const std::string& text) {
        ports::AgentStatePatch state;
        state.slots.emplace();
        state.slots->primary_goal = text;
        return state;
    }
    model::WakeSubscription put_rule(std::size_t device, const std::string& agent_id, const std::string& predicate,
                                     std::optional<model::SubscriptionId> id = {}) {
        auto rule = std::make_unique<ports::PutWakeSubscription>();
        rule->draft.agent_id = agent_id;
        rule->draft.tokens = {"key:TASK"};
        rule->draft.predicate = predicate;
        if (id) rule->draft.id = *id;
        return ask(device, std::move(rule));
    }
    model::AgentTimer add_told_timer(std::size_t device, const std::string& agent_id, const std::string& name) {
        auto command = std::make_unique<ports::AddTimer>();
        command->agent_id = agent_id;
        command->name = name;
        command->schedule.kind = "every";
        command->schedule.interval = "24h";
        command->input = model::RawJson::trusted(R"({"say":"a secret input"})");
        return ask(device, std::move(command)).shown.timer;
    }
    void rename_timer(std::size_t device, const model::AgentTimer& timer, const std::string& name) {
        auto command = std::make_unique<ports::ChangeTimer>();
        command->agent_id = timer.agent_id;
        command->id = timer.id;
        command->name = name;
        ask(device, std::move(command));
    }
    // An agent, a subscription and two timers that two devices have written apart, so that there are notes of what was
    // lost. One timer and one subscription are deleted by then.
    void make_disputed_agent(const std::string& id) {
        make_busy_agent(id);
        const model::WakeSubscription rule = put_rule(0, id, R"(task.title == "a secret first")");
        const model::AgentTimer timer = add_told_timer(0, id, "a secret timer");
        const model::AgentTimer dead = add_told_timer(0, id, "a secret dead timer");
        meet();
        part();
        for (const std::size_t device : {0U, 1U}) {
            const std::string mine = "a secret of " + on(device).name();
            change_agent(device, id, called(mine), goal(mine));
            put_rule(device, id, R"(task.title == ")" + mine + R"(")", rule.id);
            rename_timer(device, timer, mine);
            rename_timer(device, dead, mine + " too");
        }
        meet();
        auto remove = std::make_unique<ports::DeleteTimer>();
        remove->agent_id = id;
        remove->id = dead.id;
        ask(0, std::move(remove));
        meet();
    }
    std::size_t secrets(std::size_t device) {
        std::size_t found = 0;
        for (const auto& [table, rows] : look(device).rows) {
            for (const std::string& row : rows) {
                if (row.find("secret") == std::string::npos) continue;
                ++found;
                last_ = table + ": " + row;
            }
        }
        static constexpr store::Sql count_notes{"SELECT count(*) FROM merge_notes"};
        const auto read = on(device).machine().store().database().run(
            count_notes, {}, [&](const store::Row& row) { found += static_cast<std::size_t>(row.number(0)); });
        EXPECT_TRUE(read.ok());
        return found;
    }

    std::string last_;
};

TEST_F(DevicesSecrets, of_an_agent_go_with_it_and_the_tombstone_is_void_of_them) {
    make(2);
    make_disputed_agent("z");
    EXPECT_GT(secrets(0), 8U) << "there are notes of the agent, its state, its subscription and its timers";
    destroy(0, "z");
    meet();
    for (int day = 0; day < 95; ++day) pass(base::days(1));
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(secrets(i), 0U) << i << ' ' << last_;
    expect_same_digests();
}

TEST_F(DevicesSecrets, are_not_told_to_a_device_that_is_paired_later) {
    make(2);
    make_disputed_agent("z");
    part();
    destroy(0, "z");
    pass_days_on(0, 95);
    EXPECT_EQ(secrets(0), 0U) << last_;
    EXPECT_GT(secrets(1), 8U) << "this device was off, and still has all";
    DeviceNode::Options options{7, 2, {}, DeviceNode::fair_weather(7), {}};
    devices_.push_back(std::make_unique<DeviceNode>(options, SeededRandom(102), clock_));
    ASSERT_TRUE(devices_.back()->start());
    links_.clear();
    pair(0, 2);
    meet();
    change_agent(1, "z", called("a secret written while away"), goal("a secret goal written while away"));
    pair(1, 2);  // by then the device has the tombstone, and nothing else
    meet();
    for (const std::size_t device : {0U, 2U}) EXPECT_EQ(secrets(device), 0U) << device << ' ' << last_;
    expect_same_digests();
}

TEST_F(DevicesTombstones, leave_the_user_90_days_from_when_this_device_learned_of_them) {
    make(1);
    create_agent(0, "coach");
    DeviceNode::Options options{7, 1, {}, DeviceNode::fair_weather(7), {}};
    devices_.push_back(std::make_unique<DeviceNode>(options, SeededRandom(101), clock_));
    ASSERT_TRUE(devices_.back()->start());
    pair(0, 1);
    meet();
    part();
    destroy(0, "coach");
    pass_days_on(0, 365);
    // A device with an agent of the same name, which nobody has destroyed.
    DeviceNode::Options other{7, 2, {}, DeviceNode::fair_weather(7), {}};
    devices_.push_back(std::make_unique<DeviceNode>(other, SeededRandom(102), clock_));
    ASSERT_TRUE(devices_.back()->start());
    create_agent(2, "coach");
    wake_now(2, "coach", "r");
    const auto wake = claim(2, "coach");
    ASSERT_TRUE(wake);
    say(2, *wake, "precious");
    end(2, *wake);
    pass_days_on(2, 91);  // in which the wake is removed, and nothing holds the agent but itself
    pair(0, 2);
    meet();
    EXPECT_EQ(on(2).take_destroyed(), std::vector<std::string>{"coach"}) << "it is logged";
    pass_days_on(2, 60);
    EXPECT_TRUE(look(2).are_destroyed.contains("coach"));
    EXPECT_EQ(look(2).messages.size(), 1U);
    pass_days_on(2, 40);
    EXPECT_FALSE(look(2).are_destroyed.contains("coach"));
}

TEST_F(DevicesTombstones, of_a_timer_that_fired_once_do_not_count_in_the_digest) {
    make(2);
    create_agent(0, "coach");
    auto add = std::make_unique<ports::AddTimer>();
    add->agent_id = "coach";
    add->name = "once";
    add->schedule.kind = "at";
    add->schedule.at = on(0).now() + base::minutes(5);
    ask(0, std::move(add));
    meet();
    pass(base::minutes(6));
    const auto first = claim(0, "coach");
    if (first) end(0, *first);
    const auto second = claim(1, "coach");
    if (second) end(1, *second);
    meet();
    expect_same_digests();
    on(0).set_clock(base::days(365));
    for (int hour = 0; hour < 4; ++hour) pass(base::minutes(61));  // in which it removes the timer
    on(0).set_clock(base::Duration{});
    meet();
    expect_same_digests();
}

}  // namespace
}  // namespace belfry::sim
