#include "sim/world.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace belfry::sim {
namespace {

TEST(World, repeats_itself_from_its_seed) {
    const auto live = [](std::uint64_t seed) {
        World world(seed, false);
        EXPECT_EQ(world.run(300), Complaints{});
        return world.tally();
    };
    const Tally first = live(6);
    const Tally again = live(6);
    EXPECT_EQ(first.disk_operations, again.disk_operations);
    EXPECT_EQ(first.events, again.events);
    EXPECT_EQ(first.power_losses, again.power_losses);
    EXPECT_NE(first.disk_operations, live(7).disk_operations);
}

// Each trouble comes in some seed; a world without them would prove nothing.
TEST(World, has_its_troubles) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 1; seed <= 60 && seen.size() < 7; ++seed) {
        World world(seed, false);
        EXPECT_EQ(world.run(400), Complaints{});
        const Tally& tally = world.tally();
        if (tally.power_losses > 0) seen.insert("power");
        if (tally.process_losses > 0) seen.insert("process");
        if (tally.commits_unknown > 0) seen.insert("unknown");
        if (tally.commits_failed > 0) seen.insert("failed");
        if (tally.reopened > 0) seen.insert("reopened");
        if (tally.blocks_dropped > 0) seen.insert("dropped");
        if (tally.obligations_finished > 0) seen.insert("erased");
    }
    EXPECT_EQ(seen, (std::set<std::string>{"power", "process", "unknown", "failed", "reopened", "dropped", "erased"}));
}

}  // namespace
}  // namespace belfry::sim
