#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "model/outside_call.hpp"

// What may become of a call that somebody outside carries out.
namespace belfry::rules {

// A waiting one becomes somebody's: until his lease runs out, and no longer than there is time for it.
void claim_call(model::OutsideCall& call, std::string holder, base::Duration lease, base::Timestamp now);

// Refused with `stale_claim` where it is not held under this fence any more: it has ended, somebody else has it, or its
// time has run out.
base::Result<void> require_call(const model::OutsideCall& call, std::int64_t fence, base::Timestamp now);

void renew_call(model::OutsideCall& call, base::Duration lease, base::Timestamp now);

// It waits again: whoever had it is not heard of any more.
void put_back_call(model::OutsideCall& call);
// It waits again as if it had not been claimed.
void release_call(model::OutsideCall& call);

void end_call(model::OutsideCall& call, model::OutsideCallState state, std::string error_code, base::Timestamp now);

}  // namespace belfry::rules
