#pragma once

#include "base/time.hpp"

namespace belfry::ports {

// The time of day, and a time that never goes back for measuring spans.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual base::Timestamp now() const = 0;
    [[nodiscard]] virtual base::Duration monotonic() const = 0;
};

}  // namespace belfry::ports
