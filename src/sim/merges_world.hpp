#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rules/merge_record.hpp"
#include "sim/merges_witness.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// The world of merges: two to six devices that write one record and tell each other of it, or of what they knew some
// time ago, in any order and as often as they like. There is no engine and no store in it, so it is quick: what is
// tried are the rules alone. At its end all have met, and all must know the same, to the byte, which is what the
// witness makes of the writes.
class MergesWorld {
public:
    MergesWorld(std::uint64_t seed, bool verbose);

    // So many writes and merges, then the meeting of all. Stops at the first contradiction.
    Complaints run(std::uint64_t steps);

    struct Tally {
        std::uint64_t applied = 0;  // merges
        std::uint64_t sweeps = 0;   // writes
        std::uint64_t changed = 0;  // merges that changed something
        std::uint64_t both = 0;     // of them, where each knew what the other did not
        std::uint64_t notes = 0;

        Tally& operator+=(const Tally& other);
    };
    [[nodiscard]] const Tally& tally() const { return tally_; }
    [[nodiscard]] std::uint64_t steps_done() const { return step_; }

private:
    struct Device {
        std::string host;
        std::uint64_t counter = 0;
        model::SyncRecord record;
    };

    void begin_old();
    void write(Device& device);
    void hear(Device& device, const model::SyncRecord& told);
    model::SyncRecord merge(const model::SyncRecord& ours, const model::SyncRecord& theirs);
    void check_laws(const model::SyncRecord& a, const model::SyncRecord& b);
    void check_texts(const model::SyncRecord& record);
    void meet();
    void complain(std::string what);
    Device& any_device() { return devices_[random_.below(devices_.size())]; }

    SeededRandom random_;
    bool verbose_;
    const MergedKind& kind_;
    MergesWitness witness_;
    std::vector<Device> devices_;
    std::vector<model::SyncRecord> told_;  // what was known at some time, and may be heard late
    Complaints complaints_;
    std::uint64_t step_ = 0;
    Tally tally_;
};

}  // namespace belfry::sim
