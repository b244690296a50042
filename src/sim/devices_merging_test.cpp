#include "sim/devices_world_test.hpp"

// What becomes of a record that two devices have changed apart. Acceptance 23, and the tombstones of 25.
namespace belfry::sim {
namespace {

using model::AgentLifecycle;

class DevicesMerging : public DevicesTest {
protected:
    DevicesMerging() {
        make(2);
        create_agent(0, "coach");
        create_task(0, "t", "first");
        meet();
        part();
    }
};

TEST_F(DevicesMerging, has_the_same_winner_on_both_sides) {
    // {h0:1,h1:2} against {h0:2,h1:1}: each has written once more than the other knows.
    change_agent(1, "coach", called("one"));
    meet();
    part();
    change_agent(0, "coach", called("left"));
    change_agent(1, "coach", called("right"));
    ports::AgentPatch kind;
    kind.kind = "student";
    change_agent(1, "coach", kind);
    meet();
    EXPECT_EQ(agent(0, "coach").agent.display_name, agent(1, "coach").agent.display_name);
    EXPECT_NE(agent(0, "coach").agent.display_name, "one");
    EXPECT_EQ(agent(0, "coach").agent.kind, "student") << "what only one has changed is his";
    expect_all_alike();
}

TEST_F(DevicesMerging, a_write_that_knows_the_other_wins_whole) {
    change_agent(1, "coach", called("earlier"));
    meet();
    part();
    change_agent(0, "coach", called("later"));
    meet();
    EXPECT_EQ(agent(1, "coach").agent.display_name, "later");
    expect_all_alike();
}

TEST_F(DevicesMerging, destroyed_wins_over_active_that_did_not_know_of_it) {
    change_agent(1, "coach", dormant(true));
    meet();
    part();
    auto destroy = std::make_unique<ports::DestroyAgent>();
    destroy->agent_id = "coach";
    ask(0, std::move(destroy));
    change_agent(1, "coach", dormant(false));
    meet();
    for (std::size_t i = 0; i < 2; ++i) {
        const auto row = look(i).are_destroyed;
        EXPECT_TRUE(row.contains("coach") && row.at("coach")) << i;
    }
    expect_all_alike();
}

TEST_F(DevicesMerging, dormant_and_then_later_active_is_active) {
    change_agent(0, "coach", dormant(true));
    meet();
    EXPECT_EQ(agent(1, "coach").agent.lifecycle, AgentLifecycle::dormant);
    change_agent(1, "coach", dormant(false));
    meet();
    EXPECT_EQ(agent(0, "coach").agent.lifecycle, AgentLifecycle::active);
    expect_all_alike();
}

TEST_F(DevicesMerging, dormant_and_active_that_did_not_know_of_each_other_are_dormant) {
    change_agent(0, "coach", dormant(true));
    meet();
    part();
    change_agent(0, "coach", dormant(false));  // both knew that it was dormant
    change_agent(1, "coach", called("x"));
    change_agent(1, "coach", dormant(false));
    change_agent(1, "coach", dormant(true));
    meet();
    EXPECT_EQ(agent(0, "coach").agent.lifecycle, AgentLifecycle::dormant);
    expect_all_alike();
}

TEST_F(DevicesMerging, of_two_times_to_wake_the_sooner_and_of_two_sleeps_the_longer_stays) {
    const base::Timestamp at = on(0).now() + base::hours(5);
    ports::AgentStatePatch soon;
    soon.next_wake_at = std::optional(at);
    soon.sleep_until = std::optional(at - base::hours(4));
    ports::AgentStatePatch late;
    late.next_wake_at = std::optional(at + base::hours(2));
    late.sleep_until = std::optional(at - base::hours(3));
    change_agent(0, "coach", {}, soon);
    change_agent(1, "coach", {}, late);
    meet();
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(agent(i, "coach").state.next_wake_at, at);
        EXPECT_EQ(agent(i, "coach").state.sleep_until, at - base::hours(3));
    }
    expect_all_alike();
}

TEST_F(DevicesMerging, slots_that_were_written_apart_are_all_there) {
    ports::AgentStatePatch left;
    left.slots.emplace();
    left.slots->primary_goal = "run";
    left.slots->preferences["tone"] = "short";
    change_agent(0, "coach", {}, left);
    ports::AgentStatePatch right;
    right.slots.emplace();
    right.slots->preferences["language"] = "de";
    change_agent(1, "coach", {}, right);
    meet();
    const model::AgentSlots slots = agent(0, "coach").state.slots;
    EXPECT_EQ(slots.preferences.at("tone"), "short");
    EXPECT_EQ(slots.preferences.at("language"), "de");
    EXPECT_EQ(slots, agent(1, "coach").state.slots);
    expect_all_alike();
}

TEST_F(DevicesMerging, counters_are_the_greatest_and_once_more_changes_nothing) {
    wake_now(0, "coach", "r0");
    wake_now(1, "coach", "r1");
    const auto first = claim(0, "coach");
    const auto second = claim(1, "coach");
    ASSERT_TRUE(first && second);
    pass(base::seconds(1));  // that each has begun is settled by now
    end(0, *first);
    end(1, *second);
    meet();
    const auto processed = agent(0, "coach").state.processed_counter_by_host;
    EXPECT_EQ(processed, agent(1, "coach").state.processed_counter_by_host);
    EXPECT_GE(processed.size(), 2U) << "of both";
    const std::string before = digest(0);
    part();
    meet();
    EXPECT_EQ(digest(0), before);
    expect_all_alike();
}

TEST_F(DevicesMerging, what_was_deleted_stays_deleted_whoever_writes_on) {
    delete_task(0, "t");
    EXPECT_TRUE(change_task(1, "t", "written on").ok());
    meet();
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(look(i).tasks.at("t").is_deleted) << i;
    part();
    meet();
    EXPECT_TRUE(look(1).tasks.at("t").is_deleted);
    expect_all_alike();
}

TEST_F(DevicesMerging, the_same_made_on_two_devices_is_one) {
    create_task(0, "u", "left");
    create_task(1, "u", "right");
    meet();
    const auto tasks = look(0).tasks;
    EXPECT_TRUE(tasks.at("u").title == "left" || tasks.at("u").title == "right");
    expect_all_alike();
}

}  // namespace
}  // namespace belfry::sim
