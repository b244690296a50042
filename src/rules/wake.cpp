#include "rules/wake.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"
#include "base/limits.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::WakeState;

void let_go(model::Wake& wake) {
    wake.holder.clear();
    wake.lease_until.reset();
    wake.deadline.reset();
}

}  // namespace

void claim_wake(model::Wake& wake, std::string holder, base::Duration lease, base::Timestamp now) {
    ASSERT(wake.state == WakeState::queued);
    wake.state = WakeState::running;
    wake.holder = std::move(holder);
    ++wake.fence;
    ++wake.attempts;
    if (!wake.started_at) wake.started_at = now;
    wake.deadline = now + limits::wake_time_max;
    renew_wake(wake, lease, now);
}

base::Result<void> require_claim(const model::Wake& wake, std::int64_t fence, base::Timestamp now) {
    const bool is_held = wake.state == WakeState::running && wake.fence == fence && wake.lease_until > now;
    if (is_held) return {};
    const std::string why = model::is_ended(wake.state)
                                ? "it has ended (" + std::string(model::wake_state_name(wake.state)) + ")"
                                : "its claim has run out, or somebody else has it by now";
    return base::error(base::Code::conflict, "this wake is not yours any more: " + why, "fence", "stale_claim");
}

void renew_wake(model::Wake& wake, base::Duration lease, base::Timestamp now) {
    ASSERT(wake.deadline.has_value());
    wake.lease_until = std::min(now + lease, *wake.deadline);
}

base::Duration pause_after(std::int64_t failures) {
    base::Duration pause = limits::wake_retry_min;
    for (std::int64_t i = 1; i < failures && pause < limits::wake_retry_max; ++i) pause = pause * 2;
    return std::min(pause, limits::wake_retry_max);
}

void requeue_wake(model::Wake& wake, model::RunError error, base::Timestamp due_at) {
    let_go(wake);
    wake.state = WakeState::queued;
    wake.error = std::move(error);
    wake.due_at = due_at;
}

void release_wake(model::Wake& wake) {
    ASSERT(wake.state == WakeState::running && wake.attempts > 0);
    let_go(wake);
    wake.state = WakeState::queued;
    if (--wake.attempts == 0) wake.started_at.reset();
}

void end_wake(model::Wake& wake, WakeState state, std::optional<model::RunError> error, base::Timestamp now) {
    ASSERT(!model::is_ended(wake.state) && model::is_ended(state));
    let_go(wake);
    wake.state = state;
    if (error || state == WakeState::completed) wake.error = std::move(error);
    wake.ended_at = now;
}

}  // namespace belfry::rules
