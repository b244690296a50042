#include "sim/sync_world_test.hpp"

namespace belfry::sim {
namespace {

class SyncAgents : public SyncWorld {
protected:
    SyncAgents() : laptop(device("laptop")), phone(device("phone")) {
        pair(laptop, phone);
        make_agent(laptop, "fixer");
        exchange(laptop, phone);
    }
    static void make_agent(SyncDevice& on, const std::string& id) {
        auto command = std::make_unique<ports::CreateAgent>();
        command->draft.id = id;
        command->draft.user_id = "ada";
        command->draft.kind = "coach";
        on.ask(std::move(command));
    }
    static void change(SyncDevice& on, ports::AgentPatch patch, ports::AgentStatePatch state = {}) {
        auto command = std::make_unique<ports::ChangeAgent>();
        command->agent_id = "fixer";
        command->patch = std::move(patch);
        command->state = std::move(state);
        on.ask(std::move(command));
    }
    static void prefer(SyncDevice& on, std::map<std::string, std::string> preferences) {
        ports::AgentStatePatch state;
        state.slots = on.agent("fixer")->state.slots;
        state.slots->preferences = std::move(preferences);
        change(on, {}, state);
    }
    static void destroy(SyncDevice& on) {
        auto command = std::make_unique<ports::DestroyAgent>();
        command->agent_id = "fixer";
        on.ask(std::move(command));
    }
    static model::WakeSubscription watch(SyncDevice& on, const std::string& token, bool synced = false) {
        auto command = std::make_unique<ports::PutWakeSubscription>();
        command->draft.agent_id = "fixer";
        command->draft.tokens = {token};
        command->draft.synced = synced;
        return on.ask(std::move(command));
    }
    static std::vector<model::WakeSubscription> rules(SyncDevice& on) {
        return on.look([](ports::Store& store) { return store.agents().subscriptions_of("fixer"); });
    }
    static model::AgentTimer add_timer(SyncDevice& on, const std::string& name, const std::string& time) {
        auto command = std::make_unique<ports::AddTimer>();
        command->agent_id = "fixer";
        command->name = name;
        command->schedule.kind = "daily";
        command->schedule.time = time;
        return on.ask(std::move(command)).shown.timer;
    }
    static std::optional<model::AgentTimer> timer(SyncDevice& on, const model::TimerId& id) {
        return on.look([&](ports::Store& store) { return store.timers().find(id); });
    }
    void expect_same() { SyncWorld::expect_same(laptop, phone); }

    SyncDevice& laptop;
    SyncDevice& phone;
};

TEST_F(SyncAgents, an_agent_is_there_with_its_state_on_both) {
    ASSERT_TRUE(phone.agent("fixer"));
    EXPECT_EQ(phone.agent("fixer")->agent.kind, "coach");
    EXPECT_EQ(phone.agent("fixer")->agent.state_id, laptop.agent("fixer")->agent.state_id);
    EXPECT_EQ(phone.agent("fixer")->state.id, laptop.agent("fixer")->state.id);
    expect_same();
}

TEST_F(SyncAgents, what_was_changed_apart_is_merged_field_by_field) {
    ports::AgentPatch name;
    name.display_name = "The Fixer";
    change(laptop, name);
    ports::AgentPatch mode;
    mode.mode = model::AgentMode::autonomous;
    change(phone, mode);
    exchange(laptop, phone);
    for (SyncDevice* const one : {&laptop, &phone}) {
        EXPECT_EQ(one->agent("fixer")->agent.display_name, "The Fixer");
        EXPECT_EQ(one->agent("fixer")->agent.mode, model::AgentMode::autonomous);
    }
    expect_same();
}

TEST_F(SyncAgents, preferences_are_merged_one_by_one_and_one_that_was_taken_away_stays_away) {
    prefer(laptop, {{"tone", "dry"}, {"length", "short"}});
    exchange(laptop, phone);
    prefer(laptop, {{"length", "short"}});
    prefer(phone, {{"tone", "dry"}, {"length", "short"}, {"colour", "blue"}});
    exchange(laptop, phone);
    const std::map<std::string, std::string> both{{"length", "short"}, {"colour", "blue"}};
    EXPECT_EQ(laptop.agent("fixer")->state.slots.preferences, both);
    EXPECT_EQ(phone.agent("fixer")->state.slots.preferences, both);
    expect_same();
}

TEST_F(SyncAgents, destroyed_beats_active_and_what_woke_it_is_gone_on_both) {
    watch(phone, "key:TASK");
    const model::AgentTimer daily = add_timer(phone, "morning", "07:00");
    exchange(laptop, phone);
    ASSERT_EQ(rules(laptop).size(), 1U);
    ports::AgentPatch dormant;
    dormant.dormant = false;
    change(phone, dormant);
    destroy(laptop);
    exchange(laptop, phone);
    for (SyncDevice* const one : {&laptop, &phone}) {
        EXPECT_EQ(one->agent("fixer")->agent.lifecycle, model::AgentLifecycle::destroyed);
        EXPECT_TRUE(rules(*one).empty());
        EXPECT_FALSE(timer(*one, daily.id)->active);
    }
    expect_same();
}

TEST_F(SyncAgents, dormant_and_then_active_is_active) {
    ports::AgentPatch dormant;
    dormant.dormant = true;
    change(laptop, dormant);
    exchange(laptop, phone);
    EXPECT_EQ(phone.agent("fixer")->agent.lifecycle, model::AgentLifecycle::dormant);
    dormant.dormant = false;
    change(phone, dormant);
    exchange(laptop, phone);
    EXPECT_EQ(laptop.agent("fixer")->agent.lifecycle, model::AgentLifecycle::active);
    expect_same();
}

TEST_F(SyncAgents, rules_and_timers_go_along_and_what_was_deleted_stays_deleted) {
    const model::WakeSubscription rule = watch(laptop, "key:TASK");
    const model::AgentTimer daily = add_timer(laptop, "morning", "07:00");
    exchange(laptop, phone);
    ASSERT_EQ(rules(phone).size(), 1U);
    EXPECT_EQ(rules(phone).front().tokens, rule.tokens);
    ASSERT_TRUE(timer(phone, daily.id));
    EXPECT_EQ(timer(phone, daily.id)->next_run_at, daily.next_run_at);

    auto unwatch = std::make_unique<ports::DeleteWakeSubscription>();
    unwatch->agent_id = "fixer";
    unwatch->id = rule.id;
    phone.ask(std::move(unwatch));
    auto remove = std::make_unique<ports::DeleteTimer>();
    remove->agent_id = "fixer";
    remove->id = daily.id;
    laptop.ask(std::move(remove));
    auto rename = std::make_unique<ports::ChangeTimer>();
    rename->agent_id = "fixer";
    rename->id = daily.id;
    rename->name = "noon";
    phone.ask(std::move(rename));
    exchange(laptop, phone);
    for (SyncDevice* const one : {&laptop, &phone}) {
        EXPECT_TRUE(rules(*one).empty());
        EXPECT_FALSE(timer(*one, daily.id));
    }
    expect_same();
}

TEST_F(SyncAgents, of_two_timers_of_one_name_the_smaller_id_has_it_on_both) {
    const model::AgentTimer one = add_timer(laptop, "morning", "07:00");
    const model::AgentTimer other = add_timer(phone, "morning", "08:00");
    exchange(laptop, phone);
    const model::TimerId first = std::min(one.id, other.id);
    const model::TimerId second = std::max(one.id, other.id);
    for (SyncDevice* const on : {&laptop, &phone}) {
        EXPECT_EQ(timer(*on, first)->name, "morning");
        EXPECT_NE(timer(*on, second)->name, "morning");
        EXPECT_TRUE(timer(*on, second)->name.starts_with("morning~"));
    }
    EXPECT_EQ(timer(laptop, second)->name, timer(phone, second)->name);
    expect_same();
}

TEST_F(SyncAgents, a_timer_that_has_fired_elsewhere_asks_for_the_same_run_here) {
    const model::AgentTimer daily = add_timer(laptop, "morning", "07:00");
    exchange(laptop, phone);
    laptop.set_clock(*daily.next_run_at);
    laptop.live(base::minutes(2));
    tell(laptop, phone);
    phone.set_clock(laptop.now());
    phone.live();
    EXPECT_EQ(timer(phone, daily.id)->last_scheduled_at, daily.next_run_at);
    const auto open = [](ports::Store& store) { return store.wakes().load_open(); };
    const auto here = phone.look(open);
    const auto there = laptop.look(open);
    ASSERT_EQ(here.size(), 1U);
    ASSERT_EQ(there.size(), 1U);
    EXPECT_EQ(here.front().run_key, there.front().run_key) << "whoever begins is found by the other";
    exchange(laptop, phone);
    expect_same();
}

TEST_F(SyncAgents, what_belongs_to_an_agent_may_come_before_it) {
    SyncDevice& desk = device("desk");
    pair(desk, phone);
    watch(phone, "key:TASK");
    phone.live();
    // Only what the phone itself has done: the laptop's, who made the agent, comes later.
    const model::VectorClock all = phone.has();
    model::VectorClock has = all;
    model::VectorClock without;
    const std::string host = hello(phone, desk).host;
    for (const auto& [one, counter] : all.counters()) {
        if (one != host) ASSERT_TRUE(without.raise(one, counter).ok());
    }
    greet(phone, desk);
    while (const auto frame = give(phone, desk, without)) {
        ASSERT_EQ(frame->host, host);
        take(desk, phone, *frame);
        ASSERT_TRUE(without.raise(host, frame->through).ok());
    }
    ASSERT_EQ(rules(desk).size(), 1U);
    exchange(phone, desk);
    EXPECT_EQ(desk.agent("fixer")->agent.kind, "coach");
    SyncWorld::expect_same(desk, phone);
}

TEST_F(SyncAgents, synced_changes_wake_only_who_asks_for_them_and_under_the_same_key) {
    ports::AgentPatch scope;
    scope.allowed_category_ids = std::vector<std::string>{"general"};
    change(laptop, scope);
    const model::WakeSubscription plain = watch(laptop, "key:TASK");
    const model::WakeSubscription eager = watch(laptop, "sub:task.status/open", true);
    exchange(laptop, phone);
    laptop.make_task("t1", "Run");
    laptop.live();
    tell(laptop, phone);
    const auto there = laptop.look([](ports::Store& store) { return store.wakes().load_open(); });
    const auto here = phone.look([](ports::Store& store) { return store.wakes().load_open(); });
    ASSERT_EQ(here.size(), 1U);
    EXPECT_EQ(here.front().reason_id, base::format_uuid(eager.id.uuid));
    ASSERT_EQ(there.size(), 1U);
    const auto signals =
        laptop.look([&](ports::Store& store) { return store.wakes().signals(there.front().id, 0, 10); });
    ASSERT_EQ(signals.size(), 2U);
    // The key is made of the batch, which is the same on both.
    const auto heard = phone.look([&](ports::Store& store) { return store.wakes().signals(here.front().id, 0, 10); });
    ASSERT_EQ(heard.size(), 1U);
    EXPECT_EQ(heard.front().key, signals.front().key);
}

}  // namespace
}  // namespace belfry::sim
