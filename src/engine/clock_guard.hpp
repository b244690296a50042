#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/timer_limits.hpp"
#include "engine/capability.hpp"
#include "engine/timers.hpp"
#include "ports/store_clock.hpp"

namespace belfry::engine {

// Notices that the clock was set back, also across a restart, and corrects what was computed while it was ahead: the
// next firings of timers, and stored waits that would end hours or years too late. Each correction is recorded.
class ClockGuard final : public Capability {
public:
    explicit ClockGuard(Timers& timers) : timers_(timers) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override { return {}; }
    // Compares the clock with the latest time that was noted. Stored waits are corrected before others read them.
    base::Result<void> rebuild(Unit& unit) override;
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    // Notes the time, every limits::clock_note_pause.
    base::Result<void> flush(Unit& unit) override;
    void committed(Effects& effects) override;
    void dropped() override;
    [[nodiscard]] std::optional<base::Timestamp> next_due() const override;
    base::Result<void> tend(Unit& unit) override;
    void clock_was_set_back(base::Duration by) override {
        if (by >= base::limits::clock_step_min) set_back_ = set_back_ + by;
    }

    // True once after each correction: everything that waits for a time has to look at the store again.
    [[nodiscard]] bool take_corrected() { return std::exchange(corrected_, false); }

private:
    Timers& timers_;
    base::Timestamp latest_;     // that was noted
    base::Duration set_back_;    // that is not corrected yet
    std::int64_t at_start_ = 0;  // waits that were corrected when the store was opened
    std::optional<base::Timestamp> pending_latest_;
    bool tended_ = false;
    bool corrected_ = false;
};

}  // namespace belfry::engine
