#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/engine.hpp"
#include "sim/clock.hpp"
#include "sim/disk.hpp"
#include "sim/random.hpp"
#include "sim/vfs.hpp"
#include "sim/weather.hpp"
#include "store/sql_store.hpp"

namespace belfry::sim {

// Where Belfry runs: a made-up disk with its troubles, and on it the real engine over the real store, as one process
// after the other.
class Machine {
public:
    Machine(std::uint64_t seed, SeededRandom random, const Weather& weather, const MadeUpClock& clock,
            const ports::Subscribers& subscribers, engine::EngineOptions options);
    ~Machine();

    // The next process; whether it could open its store, and what it let out then.
    std::optional<engine::Effects> start(base::Timestamp now);
    // The process ends, in good order.
    void stop() { process_.reset(); }
    // It ends at once, and mostly the power goes with it; true where only the process did.
    bool die();

    // Another store takes the place of this one, as a backup that is read back does: it is another host from now on.
    // Of a machine that was stopped; whether it could be done.
    bool restore(const Disk::Files& backup);

    // What goes wrong before a step, by the weather. Some of it comes later.
    void bring_trouble(std::uint64_t step);
    void clear_troubles() { disk_.clear_faults(); }
    void clear_read_errors() { disk_.clear_faults(Fault::read_error); }

    [[nodiscard]] bool is_up() const { return process_ && process_->engine.state() == engine::State::open; }
    engine::Engine& engine() { return process_->engine; }
    store::SqlStore& store() { return process_->store; }
    Disk& disk() { return disk_; }

private:
    base::Result<std::unique_ptr<store::Database>> connect();
    struct Process {
        Process(store::SqlStoreOptions options, ports::Random& random, const ports::Subscribers& subscribers,
                engine::EngineOptions engine_options)
            : store(std::move(options), random), engine(store, random, subscribers, std::move(engine_options)) {}
        store::SqlStore store;
        engine::Engine engine;
    };

    SeededRandom random_;
    SeededRandom engine_random_;
    const Weather& weather_;
    Disk disk_;
    Vfs vfs_;
    const ports::Subscribers& subscribers_;
    engine::EngineOptions options_;
    std::uint64_t full_until_ = 0;
    std::unique_ptr<Process> process_;
};

}  // namespace belfry::sim
