#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/clock.hpp"
#include "sim/machine.hpp"
#include "sim/made_up_zones.hpp"
#include "sim/subscribers.hpp"
#include "sim/wake_cast.hpp"
#include "sim/wakes_witness.hpp"
#include "sim/weather.hpp"

namespace belfry::sim {

// The world of agents: the real engine and store on a machine that fails, clocks that jump, zones that change by
// decree, people and workers who do what they like. After every step what the store holds of agents is compared with
// what was asked and answered; in the end workers are healthy, and every wake that was accepted must come to its end.
class WakeWorld {
public:
    WakeWorld(std::uint64_t seed, bool verbose);

    // Does so many steps, then lets everything come to rest. Stops at the first contradiction.
    Complaints run(std::uint64_t steps);

    struct Tally {
        std::uint64_t applied = 0;  // commands that an engine which was up was given
        std::uint64_t sweeps = 0;
        std::uint64_t power_losses = 0;
        std::uint64_t process_losses = 0;
        std::uint64_t commits_failed = 0;
        std::uint64_t commits_unknown = 0;
        std::uint64_t set_back = 0;  // clocks
        std::uint64_t jumps = 0;     // of clocks
        std::uint64_t decrees = 0;   // about zones
        std::uint64_t disk_operations = 0;
    };
    [[nodiscard]] const Tally& tally() const { return tally_; }
    [[nodiscard]] const WakesWitness::Sums& sums() const { return witness_.sums(); }
    [[nodiscard]] std::uint64_t steps_done() const { return step_; }

private:
    void one_step();
    void start();
    void die();
    void pass_time();
    void change_zones();
    void send_group(std::vector<ports::AnyCommand> commands);
    void tend();
    void look();
    void look_at_all();
    void come_to_rest();
    void stop_timers();
    void work_well();
    void say(const std::string& what) const;

    bool verbose_;
    SeededRandom random_;
    Weather weather_;
    MadeUpClock clock_;
    MadeUpZones zones_;
    HeldSubscribers subscribers_;
    std::int64_t running_max_;
    Machine machine_;
    WakesWitness witness_;
    WakeCast cast_;
    base::Timestamp behind_until_;  // the engine may rest so long where something of its work failed
    Complaints complaints_;
    Tally tally_;
    std::uint64_t step_ = 0;
};

}  // namespace belfry::sim
