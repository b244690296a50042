#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "base/result.hpp"
#include "base/time.hpp"

namespace belfry::wire {

// Lets one thread end the waiting of another: a connection that waits for bytes, a pause before the next attempt.
class Interrupt {
public:
    // For those who are made at the start: that there is no descriptor for it then is a bug.
    Interrupt();
    // For those who are made in between: `unavailable` where there is no descriptor left.
    static base::Result<std::unique_ptr<Interrupt>> make();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    // Safe from any thread and from a signal handler. It stays raised.
    void raise();
    [[nodiscard]] bool is_raised() const { return raised_.load(); }
    // Readable once it is raised.
    [[nodiscard]] int descriptor() const { return pipe_[0]; }
    // Waits so long, or until it is raised; tells whether it is.
    bool wait(base::Duration time) const;

private:
    explicit Interrupt(const std::array<int, 2>& pipe) : pipe_(pipe) {}
    static base::Result<std::array<int, 2>> open_pipe();

    std::atomic<bool> raised_{false};
    std::array<int, 2> pipe_{-1, -1};
};

}  // namespace belfry::wire
