#include "sim/world.hpp"

#include <gtest/gtest.h>

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

TEST(World, has_its_troubles) {
    Tally all;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        World world(seed, false);
        EXPECT_EQ(world.run(300), Complaints{});
        all.power_losses += world.tally().power_losses;
        all.process_losses += world.tally().process_losses;
        all.commits_unknown += world.tally().commits_unknown;
        all.commits_failed += world.tally().commits_failed;
        all.reopened += world.tally().reopened;
        all.blocks_dropped += world.tally().blocks_dropped;
        all.obligations_finished += world.tally().obligations_finished;
    }
    EXPECT_GT(all.power_losses, 0U);
    EXPECT_GT(all.process_losses, 0U);
    EXPECT_GT(all.commits_unknown, 0U);
    EXPECT_GT(all.commits_failed, 0U);
    EXPECT_GT(all.reopened, 0U);
    EXPECT_GT(all.blocks_dropped, 0U);
    EXPECT_GT(all.obligations_finished, 0U);
}

}  // namespace
}  // namespace belfry::sim
