#include "sim/wake_world.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace belfry::sim {
namespace {

TEST(WakeWorld, repeats_itself_from_its_seed) {
    const auto live = [](std::uint64_t seed) {
        WakeWorld world(seed, false);
        EXPECT_EQ(world.run(200), Complaints{});
        return std::pair(world.tally().disk_operations, world.sums().completed);
    };
    const auto first = live(3);
    EXPECT_EQ(first, live(3));
    EXPECT_NE(first, live(4));
}

// Each trouble comes in some seed, and what it is to disturb; a world without them would prove nothing.
TEST(WakeWorld, has_its_troubles) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 1; seed <= 60 && seen.size() < 13; ++seed) {
        WakeWorld world(seed, false);
        EXPECT_EQ(world.run(300), Complaints{});
        const WakeWorld::Tally& tally = world.tally();
        const WakesWitness::Sums& sums = world.sums();
        if (tally.power_losses > 0) seen.insert("power");
        if (tally.process_losses > 0) seen.insert("process");
        if (tally.commits_unknown > 0) seen.insert("unknown");
        if (tally.commits_failed > 0) seen.insert("failed");
        if (tally.set_back > 0) seen.insert("set back");
        if (tally.decrees > 0) seen.insert("decrees");
        if (sums.completed > 0) seen.insert("completed");
        if (sums.retried > 0) seen.insert("tried again");
        if (sums.stale > 0) seen.insert("stale words");
        if (sums.dormant > 0) seen.insert("dormant");
        if (sums.events_told > 0) seen.insert("events");
        if (sums.changes_told > 0) seen.insert("changes");
        if (sums.catch_ups > 0 && sums.fired > sums.catch_ups) seen.insert("timers");
    }
    EXPECT_EQ(seen.size(), 13U) << ::testing::PrintToString(seen);
}

}  // namespace
}  // namespace belfry::sim
