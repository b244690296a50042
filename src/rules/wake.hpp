#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/wake.hpp"

// The way of a wake: queued, running under a claim, back to the queue after a failure, and one end that is never left.
namespace belfry::rules {

// Somebody begins to work on it: a new fence, an attempt more.
void claim_wake(model::Wake& wake, std::string holder, base::Duration lease, base::Timestamp now);
// Whoever says so under this fence holds it: `conflict` with the reason `stale_claim` where he does not.
base::Result<void> require_claim(const model::Wake& wake, std::int64_t fence, base::Timestamp now);
// He is heard of. The attempt ends at its deadline all the same.
void renew_wake(model::Wake& wake, base::Duration lease, base::Timestamp now);

// How long the next attempt waits after so many failures in a row.
[[nodiscard]] base::Duration pause_after(std::int64_t failures);
// The attempt has failed, and there will be another one at that time.
void requeue_wake(model::Wake& wake, model::RunError error, base::Timestamp due_at);
// Whoever had claimed it gives it back unharmed: it waits where it did, and the attempt was none. Its fence stays
// risen.
void release_wake(model::Wake& wake);
void end_wake(model::Wake& wake, model::WakeState state, std::optional<model::RunError> error, base::Timestamp now);

}  // namespace belfry::rules
