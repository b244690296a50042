#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/clock.hpp"
#include "sim/devices_cast.hpp"
#include "sim/devices_link.hpp"
#include "sim/devices_node.hpp"
#include "sim/devices_witness.hpp"
#include "sim/devices_worker.hpp"

namespace belfry::sim {

// The world of devices: two to five of the same people, each with its engine and store on a machine that fails, on
// links that lose, double and delay, with clocks that are wrong. At the end all links are whole, and all devices must
// have the same, with nothing lost, nothing deleted come back and everything done once.
class DevicesWorld {
public:
    DevicesWorld(std::uint64_t seed, bool verbose);

    // So many rounds; then the troubles end, and all is told to all. Stops at the first contradiction.
    Complaints run(std::uint64_t steps);

    struct Tally {
        std::uint64_t applied = 0;  // commands
        std::uint64_t sweeps = 0;
        std::uint64_t devices = 0;
        std::uint64_t power_losses = 0;
        std::uint64_t process_losses = 0;
        std::uint64_t commits_failed = 0;
        std::uint64_t restores = 0;
        std::uint64_t clocks_set = 0;
        std::uint64_t rest_rounds = 0;
        DevicesLink::Tally links;
        DevicesWitness::Sums sums;

        Tally& operator+=(const Tally& other);
    };
    [[nodiscard]] const Tally& tally() const { return tally_; }
    [[nodiscard]] std::uint64_t steps_done() const { return step_; }
    // A mistake that is made on purpose with everything that is said, to see that it is found.
    void spoil(const std::function<void(model::SyncMessage&)>& mistake) {
        for (const auto& link : links_) link->spoil = mistake;
    }

private:
    // What kind of world a seed makes.
    enum class Mood : std::uint8_t {
        calm,    // nothing fails, and who is later hears of what was done before him
        flaky,   // links and machines fail
        wild,    // and messages are lost, doubled and overtake each other, and stores are restored
        lonely,  // and some are away for a month
    };

    void draw_mood();
    void draw_links();
    void make_devices();
    void pair(DeviceNode& a, DeviceNode& b);
    void one_step();
    void bring_trouble();
    void pass_time();
    void live(std::size_t device);
    void tend_all();
    void settle(DeviceNode& device);
    void hand_on();
    void carry_all();
    void open_some();
    void mend(std::size_t device);
    void back_up_or_restore();
    void set_some_clock();
    void be_away();
    void drop_claims();
    void forget_some();
    void pay_debts(DeviceNode& device);
    void hear_refusals();
    void come_to_rest();
    [[nodiscard]] bool is_at_rest();
    void compare_end();
    void complain(std::string what) { complaints_.push_back(std::move(what)); }
    void say(const std::string& what) const;

    std::uint64_t seed_;
    bool verbose_;
    SeededRandom random_;
    Mood mood_ = Mood::flaky;
    MadeUpClock clock_;
    LinkWeather weather_;
    std::uint64_t cuts_ = 0;  // of a thousand steps, so many
    std::uint64_t crashes_ = 0;
    std::uint64_t restores_ = 0;
    std::uint64_t clocks_ = 0;
    DevicesWitness witness_;
    DevicesCast cast_;
    std::vector<std::unique_ptr<DeviceNode>> devices_;
    std::vector<DevicesWorker> workers_;
    std::vector<std::unique_ptr<DevicesLink>> links_;
    std::vector<std::optional<Disk::Files>> backups_;
    std::optional<std::size_t> away_;
    bool is_resting_ = false;
    Complaints complaints_;
    Tally tally_;
    std::uint64_t step_ = 0;
};

}  // namespace belfry::sim
