#include <gtest/gtest.h>
#include <set>
#include <string>

#include "sim/journal_world.hpp"

namespace belfry::sim {
namespace {

TEST(JournalWorld, repeats_itself_from_its_seed) {
    const auto live = [](std::uint64_t seed) {
        JournalWorld world(seed, false);
        EXPECT_EQ(world.run(150), Complaints{});
        return std::pair(world.tally().disk_operations, world.sums().made);
    };
    const auto first = live(3);
    EXPECT_EQ(first, live(3));
    EXPECT_NE(first, live(4));
}

// Each trouble comes in some seed, and what it is to disturb; a world without them would prove nothing.
TEST(JournalWorld, has_its_troubles) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 1; seed <= 40 && seen.size() < 15; ++seed) {
        JournalWorld world(seed, false);
        EXPECT_EQ(world.run(200), Complaints{});
        const JournalWorld::Tally& tally = world.tally();
        const JournalWitness::Sums& sums = world.sums();
        const auto note = [&](std::uint64_t count, const char* what) {
            if (count > 0) seen.insert(what);
        };
        note(tally.power_losses, "power");
        note(tally.process_losses, "process");
        note(tally.commits_unknown, "unknown");
        note(tally.commits_failed, "failed");
        note(sums.made, "made");
        note(sums.changed, "changed");
        note(sums.deleted, "deleted");
        note(sums.followed, "followed");
        note(sums.linked, "linked");
        note(sums.imported, "imported");
        note(sums.refused, "refused");
        note(sums.stale, "stale");
        note(sums.out_of_scope, "out of scope");
        note(sums.by_agent, "by the agent");
        note(sums.batches, "batches");
    }
    EXPECT_EQ(seen.size(), 15U) << ::testing::PrintToString(seen);
}

}  // namespace
}  // namespace belfry::sim
