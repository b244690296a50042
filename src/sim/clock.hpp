#pragma once

#include "ports/clock.hpp"

namespace belfry::sim {

// Time that passes only when it is told to.
class MadeUpClock final : public ports::Clock {
public:
    [[nodiscard]] base::Timestamp now() const override { return start + passed_; }
    [[nodiscard]] base::Duration monotonic() const override { return passed_; }

    void advance(base::Duration by) { passed_ = passed_ + by; }

    static constexpr base::Timestamp start{1'750'000'000'000'000};

private:
    base::Duration passed_;
};

}  // namespace belfry::sim
