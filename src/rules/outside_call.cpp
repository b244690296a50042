#include "rules/outside_call.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace belfry::rules {
namespace {

using model::OutsideCall;
using model::OutsideCallState;

void let_go(OutsideCall& call) {
    call.holder.clear();
    call.lease_until.reset();
}

}  // namespace

void claim_call(OutsideCall& call, std::string holder, base::Duration lease, base::Timestamp now) {
    ASSERT(call.state == OutsideCallState::queued);
    call.state = OutsideCallState::claimed;
    call.holder = std::move(holder);
    ++call.fence;
    ++call.attempts;
    renew_call(call, lease, now);
}

base::Result<void> require_call(const OutsideCall& call, std::int64_t fence, base::Timestamp now) {
    const bool is_held = call.state == OutsideCallState::claimed && call.fence == fence && call.lease_until > now;
    if (is_held) return {};
    const std::string why = model::is_ended(call.state)
                                ? "it has ended (" + std::string(model::outside_call_state_name(call.state)) + ")"
                                : "its claim has run out, or somebody else has it by now";
    return base::error(base::Code::conflict, "this call is not yours any more: " + why, "fence", "stale_claim");
}

void renew_call(OutsideCall& call, base::Duration lease, base::Timestamp now) {
    call.lease_until = std::min(now + lease, call.deadline);
}

void put_back_call(OutsideCall& call) {
    let_go(call);
    call.state = OutsideCallState::queued;
}

void release_call(OutsideCall& call) {
    ASSERT(call.state == OutsideCallState::claimed && call.attempts > 0);
    put_back_call(call);
    --call.attempts;
}

void end_call(OutsideCall& call, OutsideCallState state, std::string error_code, base::Timestamp now) {
    ASSERT(!model::is_ended(call.state) && model::is_ended(state));
    let_go(call);
    call.state = state;
    call.error_code = std::move(error_code);
    call.ended_at = now;
}

}  // namespace belfry::rules
