#include "engine/clock_guard.hpp"

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

}  // namespace

base::Result<void> ClockGuard::rebuild(Unit& unit) {
    dropped();
    set_back_ = {};
    latest_ = {};
    at_start_ = 0;
    ports::ClockTable* const clock = clock_of(unit.store);
    if (clock == nullptr) return {};
    TRY_ASSIGN(const auto latest, clock->latest());
    latest_ = latest.value_or(base::Timestamp{});
    if (latest_ - unit.now < limits::clock_step_min) return {};
    set_back_ = latest_ - unit.now;
    TRY_ASSIGN(at_start_, clock->bring_back_deadlines(unit.now));
    return {};
}

base::Result<void> ClockGuard::apply(ports::Command&, Unit&) {
    ASSERT(false);
    return {};
}

std::optional<base::Timestamp> ClockGuard::next_due() const {
    return set_back_ < limits::clock_step_min ? std::nullopt : std::optional(base::Timestamp{});
}

base::Result<void> ClockGuard::tend(Unit& unit) {
    tended_ = true;
    ports::ClockTable* const clock = clock_of(unit.store);
    if (clock == nullptr || set_back_ < limits::clock_step_min) return {};
    ports::ClockCorrection correction{unit.now, set_back_, 0, {}, 0, at_start_};
    TRY_ASSIGN(const std::int64_t deadlines, clock->bring_back_deadlines(unit.now));
    correction.deadlines += deadlines;
    TRY(timers_.recount(*clock, correction, unit));
    TRY(clock->add(correction));
    TRY(clock->note(unit.now));
    pending_latest_ = unit.now;
    return {};
}

base::Result<void> ClockGuard::flush(Unit& unit) {
    ports::ClockTable* const clock = clock_of(unit.store);
    const bool is_noted = clock == nullptr || unit.now - latest_ < limits::clock_note_pause;
    if (is_noted || pending_latest_) return {};
    TRY(clock->note(unit.now));
    pending_latest_ = unit.now;
    return {};
}

void ClockGuard::committed(Effects&) {
    if (pending_latest_) latest_ = *pending_latest_;
    if (tended_) {
        corrected_ = set_back_ >= limits::clock_step_min;
        set_back_ = {};
        at_start_ = 0;
    }
    dropped();
}

void ClockGuard::dropped() {
    pending_latest_.reset();
    tended_ = false;
}

}  // namespace belfry::engine
