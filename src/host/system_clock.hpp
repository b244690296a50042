#pragma once

#include "ports/clock.hpp"

namespace belfry::host {

// The machine's own clocks. Safe from any thread.
class SystemClock final : public ports::Clock {
public:
    [[nodiscard]] base::Timestamp now() const override;
    [[nodiscard]] base::Duration monotonic() const override;
};

}  // namespace belfry::host
