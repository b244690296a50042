#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>

#include "daemon/command_queue.hpp"
#include "engine/engine.hpp"
#include "ports/clock.hpp"
#include "ports/metrics.hpp"

namespace belfry::daemon {

// How long the engine may wait for commands until it looks at the clock again. A wait is measured by another clock than
// deadlines are: where that one jumps (a machine that slept, a time that was set), what is due is seen at the next
// look.
base::Duration patience_until(std::optional<base::Timestamp> due, base::Timestamp now);

// True if the clock has jumped by so much, beyond the time that passed for the process, that links to other devices may
// be gone: the machine was asleep, or the clock was set.
bool has_slept(base::Duration jumped);

// The one thread that owns all change: takes groups from the queue, steps the engine, hands the effects on. Under
// constant load, what the clock brings gets its turn between groups.
class EngineThread {
public:
    using HandOver = std::function<void(engine::Effects)>;

    EngineThread(engine::Engine& engine, CommandQueue& queue, const ports::Clock& clock, ports::Metrics& metrics,
                 HandOver hand_over);
    ~EngineThread();

    // Returns the time for opening the engine. Steps of the clock are noticed from then on, not only from the start of
    // the thread.
    base::Timestamp begin() { return look_at_clock(); }
    void start();
    // Closes the queue; returns when every command that it held was answered.
    void drain();

    // Grows with all that the engine begins and ends, and is odd while it is at something. From any thread.
    [[nodiscard]] std::uint64_t step_number() const { return steps_; }

private:
    void run();
    base::Timestamp look_at_clock();
    void act(engine::Effects effects);

    engine::Engine& engine_;
    CommandQueue& queue_;
    const ports::Clock& clock_;
    ports::Metrics& metrics_;
    HandOver hand_over_;
    base::Timestamp seen_;        // on the clock, last
    base::Duration steady_seen_;  // on the clock that stands still while the machine sleeps, at the same moment
    std::atomic<std::uint64_t> steps_{0};
    std::thread thread_;
};

}  // namespace belfry::daemon
