#pragma once

#include <atomic>

#include "base/time.hpp"

namespace belfry::wire {

// Lets one thread end the waiting of another: a connection that waits for bytes, a pause before the next attempt.
class Interrupt {
public:
    Interrupt();
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
    std::atomic<bool> raised_{false};
    int pipe_[2] = {-1, -1};
};

}  // namespace belfry::wire
