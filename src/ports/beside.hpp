#pragma once

#include <functional>

#include "ports/reading.hpp"

namespace belfry::ports {

// Reading beside the engine: `job` runs on a thread that may wait for the disk, then `then` on the network's thread,
// never before the call returned. When Belfry stops, jobs that have not begun are dropped, and with them their `then`.
class Beside {
public:
    virtual ~Beside() = default;
    virtual void read(std::function<void(Reading&)> job, std::function<void()> then) = 0;
};

}  // namespace belfry::ports
