#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/clock.hpp"
#include "sim/journal_cast.hpp"
#include "sim/journal_witness.hpp"
#include "sim/machine.hpp"
#include "sim/made_up_zones.hpp"
#include "sim/subscribers.hpp"
#include "sim/weather.hpp"

namespace belfry::sim {

// The world of the journal: the real engine and store on a machine that fails, and people and an agent who change what
// they like. After every step what the store holds is compared with what was asked and answered.
class JournalWorld {
public:
    JournalWorld(std::uint64_t seed, bool verbose);

    // Does so many steps. Stops at the first contradiction.
    Complaints run(std::uint64_t steps);

    struct Tally {
        std::uint64_t applied = 0;  // commands that an engine which was up was given
        std::uint64_t sweeps = 0;
        std::uint64_t power_losses = 0;
        std::uint64_t process_losses = 0;
        std::uint64_t commits_failed = 0;
        std::uint64_t commits_unknown = 0;
        std::uint64_t disk_operations = 0;
    };
    [[nodiscard]] const Tally& tally() const { return tally_; }
    [[nodiscard]] const JournalWitness::Sums& sums() const { return witness_.sums(); }
    [[nodiscard]] std::uint64_t steps_done() const { return step_; }

private:
    void one_step();
    void start();
    void die();
    void make_agent();
    void send_group(std::vector<ports::AnyCommand> commands);
    void tend();
    void look();
    void come_to_rest();
    void say(const std::string& what) const;

    bool verbose_;
    SeededRandom random_;
    Weather weather_;
    MadeUpClock clock_;
    MadeUpZones zones_;
    HeldSubscribers subscribers_;
    Machine machine_;
    JournalWitness witness_;
    JournalCast cast_;
    Complaints complaints_;
    Tally tally_;
    std::uint64_t step_ = 0;
};

}  // namespace belfry::sim
