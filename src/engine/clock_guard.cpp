#include "engine/clock_guard.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/timer_limits.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;

// Stores of tests may have none.
ports::ClockTable* clock_of(ports::Store& store) {
    auto* const kept = dynamic_cast<ports::ClockStore*>(&store);
    return kept == nullptr ? nullptr : &kept->clock();
}

// True if a clock that was set back shows the time again that it was set back from.
bool is_caught_up(const ports::ClockState& state, base::Timestamp now) {
    return now + limits::clock_skew_max >= state.set_back_from;
}

// True if nothing is known of the clock that speaks against the time that it shows.
bool is_trusted(const ports::ClockState& state, base::Timestamp now) {
    const bool is_set_back = state.set_back_from.us > 0;
    return !is_set_back || is_caught_up(state, now) || now - state.set_back_to >= limits::clock_trusted_after;
}

// A computer that starts at the same wrong date again is behind the date that was right before. A clock that goes
// further back than before was at most ahead then: the date that it shows before the step may be right.
ports::ClockState set_back(ports::ClockState state, base::Timestamp from, base::Timestamp to) {
    const bool is_again = state.set_back_from.us > 0 && to + limits::clock_reset_slack >= state.set_back_to;
    state.set_back_to = is_again ? std::min(state.set_back_to, to) : to;
    state.set_back_from = is_again ? std::max(state.set_back_from, from) : from;
    return state;
}

}  // namespace

base::Result<void> ClockGuard::rebuild(Unit& unit) {
    dropped();
    set_back_ = {};
    jump_.reset();
    state_ = {};
    at_start_ = 0;
    is_carried_ = false;
    ports::ClockTable* const clock = clock_of(unit.store);
    if (clock == nullptr) return {};
    TRY_ASSIGN(state_, clock->state());
    const base::Duration ahead = state_.latest - unit.now;
    if (ahead >= limits::clock_step_min) {
        set_back_ = ahead;
        TRY_ASSIGN(at_start_, clock->bring_back_deadlines(unit.now));
    } else if (note_jump(state_.latest, unit.now - state_.latest)) {
        TRY(clock->carry_on_waits(*jump_));
        is_carried_ = true;
    }
    return {};
}

base::Result<void> ClockGuard::apply(ports::Command&, Unit&) {
    ASSERT(false);
    return {};
}

void ClockGuard::clock_was_set_back(base::Duration by) {
    if (by < limits::clock_step_min) return;
    set_back_ = set_back_ + by;
    jump_.reset();
}

base::Duration ClockGuard::clock_was_set_ahead(base::Timestamp now, base::Duration by) {
    // A step back that was not seen to yet did not happen, as far as the clock has come forward again.
    const base::Duration undone = std::min(set_back_, by);
    set_back_ = set_back_ - undone;
    const base::Duration jumped = by - undone;
    return undone + (note_jump(now - jumped, jumped) ? jumped : base::Duration{});
}

bool ClockGuard::note_jump(base::Timestamp from, base::Duration by) {
    if (by < limits::clock_jump_min || is_trusted(state_, from)) return false;
    if (jump_) jump_->by = jump_->by + by;
    else jump_ = ports::ClockJump{from, by, state_.set_back_to};
    return true;
}

std::optional<base::Timestamp> ClockGuard::next_due() const {
    if (has_step()) return base::Timestamp{};
    if (state_.set_back_from.us == 0) return std::nullopt;
    return std::min(state_.set_back_from - limits::clock_skew_max, state_.set_back_to + limits::clock_trusted_after);
}

base::Result<void> ClockGuard::tend(Unit& unit) {
    tended_ = true;
    ports::ClockTable* const clock = clock_of(unit.store);
    if (clock == nullptr) return {};
    if (set_back_ >= limits::clock_step_min) return correct(*clock, unit);
    if (jump_) return follow_jump(*clock, *jump_, unit);
    if (!is_trusted(state_, unit.now)) return {};
    return put_state(*clock, {unit.now, {}, {}});
}

base::Result<void> ClockGuard::correct(ports::ClockTable& clock, Unit& unit) {
    ports::ClockCorrection correction{unit.now, set_back_, 0, {}, 0, at_start_};
    TRY(context_values_.follow_clock(unit));
    TRY_ASSIGN(const std::int64_t deadlines, clock.bring_back_deadlines(unit.now));
    correction.deadlines += deadlines;
    TRY(wakes_.times_were_corrected(WakeBook::Correction::set_back, unit));
    TRY(timers_.recount(clock, correction, unit));
    TRY(clock.add(correction));
    ports::ClockState state = set_back(state_, unit.now + set_back_, unit.now);
    state.latest = unit.now;
    return put_state(clock, state);
}

// A jump that is longer than any pause of a computer shows that the clock was behind, also if it does not show the
// former time yet. After a shorter one only waits go on: the computer may have been asleep.
base::Result<void> ClockGuard::follow_jump(ports::ClockTable& clock, const ports::ClockJump& jump, Unit& unit) {
    const bool has_caught_up = is_caught_up(state_, unit.now);
    const bool was_behind = has_caught_up || jump.by > limits::clock_trusted_after;
    if (!is_carried_) TRY(clock.carry_on_waits(jump));
    TRY(wakes_.times_were_corrected(WakeBook::Correction::jump, unit));
    if (was_behind) {
        TRY(timers_.carry_on_wishes(clock, jump, unit));
        TRY(clock.carry_on_records(jump));
    }
    timers_.wishes_were_moved();
    if (has_caught_up) {
        TRY(clock.drop_moved());
        return put_state(clock, {unit.now, {}, {}});
    }
    TRY(clock.carry_on_moved(jump));
    return put_state(clock,
                     {unit.now, state_.set_back_from, state_.set_back_to + (was_behind ? jump.by : base::Duration{})});
}

base::Result<void> ClockGuard::put_state(ports::ClockTable& clock, const ports::ClockState& state) {
    TRY(clock.put_state(state));
    pending_state_ = state;
    return {};
}

// The jump of the clock is not noted before it is seen to: a start after a crash has to find it.
base::Result<void> ClockGuard::flush(Unit& unit) {
    ports::ClockTable* const clock = clock_of(unit.store);
    const bool is_noted = clock == nullptr || unit.now - state_.latest < limits::clock_note_pause;
    if (is_noted || jump_ || pending_state_) return {};
    return put_state(*clock, {unit.now, state_.set_back_from, state_.set_back_to});
}

void ClockGuard::committed(Effects&) {
    if (pending_state_) state_ = *pending_state_;
    if (tended_) {
        corrected_ = has_step();
        set_back_ = {};
        jump_.reset();
        at_start_ = 0;
        is_carried_ = false;
    }
    dropped();
}

void ClockGuard::dropped() {
    pending_state_.reset();
    tended_ = false;
}

}  // namespace belfry::engine
