#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/timer_limits.hpp"
#include "engine/capability.hpp"
#include "engine/context_values.hpp"
#include "engine/timers.hpp"
#include "engine/wakes.hpp"
#include "ports/store_clock.hpp"

namespace belfry::engine {

// Notices that the clock was set back, also across a restart, and corrects what was computed while it was ahead: the
// next firings of timers, and stored waits that would end hours or years too late. Each correction is recorded.
//
// The clock may also have been right and be behind for a while. Until it has gone long enough to be trusted, a jump
// forward ends no wait. If the clock jumps past the time that it was set back from, it was behind: wake times of agents
// are what they were. If the clock comes there at its usual pace, it was ahead before, and nothing is changed.
class ClockGuard final : public Capability {
public:
    ClockGuard(Timers& timers, Wakes& wakes, ContextValues& context_values)
        : timers_(timers), wakes_(wakes), context_values_(context_values) {}

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
    void clock_was_set_back(base::Duration by) override;
    // The clock jumped forward to `now`. Returns by how much waits in memory are to be later: nothing if they end.
    base::Duration clock_was_set_ahead(base::Timestamp now, base::Duration by);

    // True if the clock was set and stored times are not corrected yet: nothing may be decided by them.
    [[nodiscard]] bool has_step() const { return set_back_ >= base::limits::clock_step_min || jump_; }
    // True once after each correction: everything that waits for a time has to look at the store again.
    [[nodiscard]] bool take_corrected() { return std::exchange(corrected_, false); }

private:
    bool note_jump(base::Timestamp from, base::Duration by);
    base::Result<void> correct(ports::ClockTable& clock, Unit& unit);
    base::Result<void> follow_jump(ports::ClockTable& clock, const ports::ClockJump& jump, Unit& unit);
    base::Result<void> put_state(ports::ClockTable& clock, const ports::ClockState& state);

    Timers& timers_;
    Wakes& wakes_;
    ContextValues& context_values_;
    ports::ClockState state_;               // as it is stored
    base::Duration set_back_;               // that is not corrected yet
    std::optional<ports::ClockJump> jump_;  // that is not seen to yet
    std::int64_t at_start_ = 0;             // waits that were corrected when the store was opened
    bool is_carried_ = false;               // waits go on since the store was opened
    std::optional<ports::ClockState> pending_state_;
    bool tended_ = false;
    bool corrected_ = false;
};

}  // namespace belfry::engine
