#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/sync.hpp"
#include "sim/clock.hpp"
#include "sim/machine.hpp"
#include "sim/made_up_zones.hpp"
#include "sim/subscribers.hpp"
#include "sim/weather.hpp"

namespace belfry::sim {

// One of several devices of the same people: a machine of its own, with a clock of its own that may be wrong by hours.
class DeviceNode {
public:
    struct Options {
        std::uint64_t seed = 0;
        std::size_t number = 0;
        base::Duration clock_is_off;
        Weather weather;
        engine::RetentionOptions retention;
    };
    // A machine that works as long as nobody pulls its plug.
    static Weather fair_weather(std::uint64_t seed);
    DeviceNode(Options options, SeededRandom random, const MadeUpClock& clock);

    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] std::string name() const { return "device" + std::to_string(number_); }
    [[nodiscard]] const std::string& peer_id() const { return peer_id_; }
    [[nodiscard]] model::Peer as_peer() const;
    // Of the host that it is now, by its own key.
    [[nodiscard]] model::HostSeal seal(const std::string& host) const;

    [[nodiscard]] base::Timestamp now() const { return clock_.now() + clock_is_off_; }
    // Its clock is set anew. The engine is told of it, as by the thread of the daemon.
    void set_clock(base::Duration is_off);

    [[nodiscard]] bool is_up() const { return machine_.is_up(); }
    bool start();
    void stop() { machine_.stop(); }
    // At once, mostly with the power; and it is up again, if it can be.
    void crash();
    // It died in the middle of something.
    [[nodiscard]] bool is_dead() { return machine_.disk().is_dead(); }

    // A backup of what it has, taken while it stands still; and such a backup read back.
    Disk::Files back_up();
    bool restore(const Disk::Files& backup);

    Machine& machine() { return machine_; }

    // Does one command: its answer, or nothing where nobody heard one.
    template <class C>
    std::optional<base::Result<typename C::Reply>> ask(std::unique_ptr<C> command) {
        using Heard = std::optional<base::Result<typename C::Reply>>;
        if (!is_up()) return Heard{};
        command->principal = model::house_principal();
        C* const asked = command.get();
        std::vector<ports::AnyCommand> group;
        group.push_back(std::move(command));
        ++commands_;
        const engine::Effects effects = machine_.engine().step(now(), std::move(group));
        take(effects);
        if (machine_.disk().is_dead()) return Heard{};
        const base::Result<typename C::Reply>& told = asked->ports::template CommandOf<typename C::Reply>::result();
        if (!told.ok() && is_in_doubt(told.error())) return Heard{};
        return Heard(told);
    }
    // What its clock has brought.
    void tend();

    // Since the last look: whether there is something that others can be told of.
    bool take_news() { return std::exchange(has_news_, false); }
    // Since the last look: agents that other devices destroyed while they lived here.
    std::vector<std::string> take_destroyed() { return std::exchange(destroyed_, {}); }
    std::vector<ports::Obligation> take_owed() { return std::exchange(owed_, {}); }

    struct Tally {
        std::uint64_t commands = 0;
        std::uint64_t sweeps = 0;
        std::uint64_t power_losses = 0;
        std::uint64_t process_losses = 0;
        std::uint64_t commits_failed = 0;
    };
    [[nodiscard]] Tally tally() const { return {commands_, sweeps_, power_losses_, process_losses_, commits_failed_}; }

private:
    static bool is_in_doubt(const base::Error& why);
    void take(const engine::Effects& effects);

    std::size_t number_;
    std::string key_;
    std::string peer_id_;
    const MadeUpClock& clock_;
    base::Duration clock_is_off_;
    Weather weather_;
    MadeUpZones zones_;
    HeldSubscribers subscribers_;
    Machine machine_;
    bool has_news_ = false;
    std::vector<ports::Obligation> owed_;
    std::vector<std::string> destroyed_;
    std::uint64_t commands_ = 0;
    std::uint64_t sweeps_ = 0;
    std::uint64_t power_losses_ = 0;
    std::uint64_t process_losses_ = 0;
    std::uint64_t commits_failed_ = 0;
};

}  // namespace belfry::sim
