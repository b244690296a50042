#pragma once

#include <cstdint>

#include "sim/random.hpp"

namespace observer::sim {

// The kind of world that a seed makes. Each seed leaves some troubles out, so that they do not hide one another.
struct Profile {
    explicit Profile(belfry::sim::SeededRandom& random);

    std::uint64_t users = 2;     // with runtimes that share sessions
    std::uint64_t sessions = 3;  // of each user
    std::uint64_t emitters = 2;
    std::uint64_t devices = 2;          // of each user
    std::uint64_t tempo_percent = 100;  // of all pauses of parties
    std::uint64_t crashes = 0;          // of 1,000 commits, so many end in a crash of the process
    std::uint64_t disk_faults = 0;      // of 1,000 commits, so many meet an error of the disk
    std::uint64_t power_percent = 50;   // of 100 crashes, so many lose the power
    std::uint64_t clock_steps = 0;      // of 1,000 party actions, so many come with a step of the wall clock
    std::uint64_t lost_answers = 0;     // of 1,000 answers, so many do not arrive
    std::uint64_t late_answers = 0;     // of 1,000 answers, so many arrive late
    std::uint64_t sink_failures = 0;    // of 1,000 calls of sinks
    std::int64_t group_us = 0;          // commands that come within this time share a commit
    std::int64_t frame_latency_us = 0;  // the longest that a frame travels
    std::int64_t down_us = 500'000;     // the longest that a crashed process stays down
    std::uint64_t deletions = 10;       // of 1,000 actions of talkers
    bool has_desk = true;               // the first user has an interface that stays
    bool has_agents = true;             // agents that Belfry runs, and a worker
    bool has_chains = true;
    bool has_scenes = true;
    bool has_small_budgets = true;
};

}  // namespace observer::sim
