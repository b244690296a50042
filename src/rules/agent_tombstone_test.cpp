#include "rules/agent_tombstone.hpp"

#include <gtest/gtest.h>

#include "model/change_log.hpp"
#include "rules/merge_record.hpp"
#include "rules/sync_bodies.hpp"

namespace belfry::rules {
namespace {

using model::RawJson;
using model::SyncRecord;

constexpr base::Timestamp destruction{1'000'000};

SyncRecord full_state(model::AgentLifecycle lifecycle) {
    model::Agent agent;
    agent.lifecycle = lifecycle;
    if (lifecycle == model::AgentLifecycle::destroyed) agent.destroyed_at = destruction;
    model::AgentState state;
    state.slots.primary_goal = "tea";
    SyncRecord record{std::string(model::agent_state_kind), "z", "ada", {}, agent_state_body(agent, state)};
    note_write(record.knowledge, record.kind, changed_fields(RawJson().view(), record.body.view()), "a.1", 7);
    return record;
}

TEST(AgentTombstone, has_the_destruction_and_nothing_else) {
    SyncRecord record = full_state(model::AgentLifecycle::destroyed);
    EXPECT_FALSE(is_agent_tombstone(record));
    reduce_to_tombstone(record);
    EXPECT_TRUE(is_agent_tombstone(record));
    EXPECT_EQ(record.body.bytes(), R"({"destroyed_at":1000000,"lifecycle":"destroyed"})");
    EXPECT_TRUE(check_sync_record(record).ok());
    EXPECT_TRUE(check_sync_body(record).ok());
    EXPECT_TRUE(record.knowledge.clock.includes("a.1", 7));
}

TEST(AgentTombstone, is_none_of_an_agent_that_lives) {
    SyncRecord record = full_state(model::AgentLifecycle::active);
    const SyncRecord before = record;
    EXPECT_FALSE(destroyed_at(record));
    reduce_to_tombstone(record);
    EXPECT_EQ(record, before);
}

TEST(AgentTombstone, counts_the_same_before_and_after_the_record_was_reduced) {
    SyncRecord record = full_state(model::AgentLifecycle::destroyed);
    const std::string before = tombstone_digest(record);
    reduce_to_tombstone(record);
    EXPECT_EQ(tombstone_digest(record), before);
}

TEST(AgentTombstone, destroys_the_agent_of_whoever_merges_it) {
    SyncRecord tombstone = full_state(model::AgentLifecycle::destroyed);
    reduce_to_tombstone(tombstone);
    SyncRecord alive = full_state(model::AgentLifecycle::active);
    alive.knowledge = {};
    note_write(alive.knowledge, alive.kind, changed_fields(RawJson().view(), alive.body.view()), "b.1", 3);
    for (const Merged& merged : {merge_records(alive, tombstone), merge_records(tombstone, alive)}) {
        EXPECT_EQ(destroyed_at(merged.record), destruction);
        EXPECT_EQ(merged.record.body.member("lifecycle")->as_text(), "destroyed");
    }
}

TEST(AgentTombstone, names_the_agent_of_a_record) {
    const RawJson of_coach = RawJson::trusted(R"({"agent_id":"coach"})");
    EXPECT_EQ(owning_agent({"agent_timer", "t", "ada", {}, of_coach}), "coach");
    EXPECT_EQ(owning_agent({"agent_message", "m", "ada", {}, of_coach}), "coach");
    EXPECT_EQ(owning_agent({"agent", "z", "ada", {}, {}}), "z");
    EXPECT_EQ(owning_agent({"agent_message", "m", "ada", {}, forgotten_body()}), std::nullopt);
    EXPECT_EQ(owning_agent({"task", "t", "ada", {}, of_coach}), std::nullopt);
}

}  // namespace
}  // namespace belfry::rules
