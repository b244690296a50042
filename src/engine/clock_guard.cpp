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
    return state.set_back_from.us > 0 && now + limits::clock_skew_max >= state.set_back_from;
}

ports::ClockState set_back(ports::ClockState state, base::Timestamp from, base::Timestamp to) {
    state.set_back_to = state.set_back_from.us > 0 ? std::min(state.set_back_to, to) : to;
    state.set_back_from = std::max(state.set_back_from, from);
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
        state_ = set_back(state_, state_.latest, unit.now);
        TRY(clock->put_state(state_));
        TRY_ASSIGN(at_start_, clock->bring_back_deadlines(unit.now));
    } else if (note_jump(unit.now, unit.now - state_.latest)) {
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

bool ClockGuard::clock_was_set_ahead(base::Timestamp now, base::Duration by) {
    if (set_back_ < limits::clock_step_min) return note_jump(now, by);
    set_back_ = std::max(set_back_ - by, base::Duration{});
    note_jump(now, by);
    return true;
}

bool ClockGuard::note_jump(base::Timestamp now, base::Duration by) {
    if (by < limits::clock_jump_min || !is_caught_up(state_, now) || is_caught_up(state_, now - by)) return false;
    jump_ = ports::ClockJump{now - by, by, state_.set_back_to};
    return true;
}

std::optional<base::Timestamp> ClockGuard::next_due() const {
    if (set_back_ >= limits::clock_step_min || jump_) return base::Timestamp{};
    if (state_.set_back_from.us == 0) return std::nullopt;
    return state_.set_back_from - limits::clock_skew_max;
}

base::Result<void> ClockGuard::tend(Unit& unit) {
    tended_ = true;
    ports::ClockTable* const clock = clock_of(unit.store);
    if (clock == nullptr) return {};
    if (set_back_ >= limits::clock_step_min) return correct(*clock, unit);
    if (!is_caught_up(state_, unit.now)) return {};
    if (jump_) {
        if (!is_carried_) TRY(clock->carry_on_waits(*jump_));
        TRY(timers_.restore_wishes(*clock, *jump_, unit));
    }
    TRY(clock->drop_moved());
    return put_state(*clock, {unit.now, {}, {}});
}

base::Result<void> ClockGuard::correct(ports::ClockTable& clock, Unit& unit) {
    ports::ClockCorrection correction{unit.now, set_back_, 0, {}, 0, at_start_};
    TRY_ASSIGN(const std::int64_t deadlines, clock.bring_back_deadlines(unit.now));
    correction.deadlines += deadlines;
    TRY(timers_.recount(clock, correction, unit));
    TRY(clock.add(correction));
    ports::ClockState state = set_back(state_, unit.now + set_back_, unit.now);
    state.latest = unit.now;
    return put_state(clock, state);
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
        corrected_ = set_back_ >= limits::clock_step_min || jump_;
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
