#pragma once

#include <functional>
#include <thread>

#include "base/result.hpp"
#include "base/time.hpp"
#include "host/signals.hpp"

namespace belfry::cli {

// Ctrl-C and the other ways to ask a command to stop, as something to look at. It stays raised.
class Stop {
public:
    static base::Result<Stop> open();

    [[nodiscard]] int descriptor() const { return signals_.descriptor(); }  // readable once it is raised
    [[nodiscard]] bool is_raised() const { return wait({}); }
    // Waits so long, or until it is raised; tells whether it is.
    [[nodiscard]] bool wait(base::Duration time) const;

private:
    explicit Stop(host::Signals signals) : signals_(std::move(signals)) {}
    host::Signals signals_;
};

// Calls `on_stop` once, on a thread of its own, when it is raised while this lives.
class StopWatch {
public:
    StopWatch(const Stop& stop, std::function<void()> on_stop);
    ~StopWatch();
    StopWatch(const StopWatch&) = delete;
    StopWatch& operator=(const StopWatch&) = delete;

private:
    int end_[2] = {-1, -1};
    std::thread thread_;
};

}  // namespace belfry::cli
