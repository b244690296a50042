#include "profile.hpp"

namespace observer::sim {
namespace {

std::uint64_t often_or_never(belfry::sim::SeededRandom& random, std::uint64_t most) {
    return random.one_in(2) ? 0 : 1 + random.below(most);
}

}  // namespace

Profile::Profile(belfry::sim::SeededRandom& random) {
    users = 1 + random.below(2);
    sessions = 1 + random.below(3);
    emitters = 1 + random.below(2);
    devices = 1 + random.below(3);
    constexpr std::uint64_t tempos[] = {20, 60, 100, 100, 300, 1000};
    tempo_percent = tempos[random.below(6)];
    crashes = often_or_never(random, 20);
    power_percent = random.below(101);
    clock_steps = random.one_in(3) ? 1 + random.below(8) : 0;
    lost_answers = often_or_never(random, 20);
    late_answers = often_or_never(random, 100);
    sink_failures = 0;  // an interface may acknowledge before the retry, and the observer does not see the failure
    group_us = random.one_in(2) ? 0 : static_cast<std::int64_t>(1 + random.below(20'000));
    frame_latency_us = random.one_in(2) ? 0 : static_cast<std::int64_t>(1 + random.below(40'000));
    deletions = often_or_never(random, 60);
    has_desk = !random.one_in(3);
    has_agents = random.one_in(2);
    // The daemon's workers wait in real time where the store is away.
    if (!has_agents && random.one_in(3)) disk_faults = 1 + random.below(40);
    has_chains = random.one_in(3);
    has_scenes = !random.one_in(4);
    has_small_budgets = random.one_in(2);
}

}  // namespace observer::sim
