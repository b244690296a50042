#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/tool_limits.hpp"
#include "model/outside_call.hpp"
#include "ports/commands/command.hpp"

// What is said by those who carry out tools for Belfry. Whoever may work for agents of a user may carry out what they
// call; to all others a call is not there. Fenced: `conflict` with the reason `stale_claim` where the call is somebody
// else's by now, or has ended.
namespace belfry::ports {

struct ClaimedOutsideCall {
    std::optional<model::OutsideCall> call;
};

// The oldest call of these tools that waits for a worker. `not_found` where one of them is not registered, or not
// carried out by workers.
struct ClaimOutsideCall final : CommandOf<ClaimedOutsideCall> {
    std::vector<std::string> tools;
    std::string holder;
    base::Duration lease = base::limits::tool_lease_default;
};

struct RenewOutsideCall final : CommandOf<model::OutsideCall> {
    model::OutsideCallId id;
    std::int64_t fence = 0;
    base::Duration lease = base::limits::tool_lease_default;
};

struct OutsideCallError {
    std::string code;
    std::string message;
};

// What came of it: the result of the agent's action, in the same transaction. Or it is given back as if it had not been
// claimed. Of a webhook's call the fence is that of the obligation, which is fulfilled with it.
struct EndOutsideCall final : CommandOf<model::OutsideCall> {
    model::OutsideCallId id;
    std::int64_t fence = 0;
    model::RawJson result;  // an object
    std::optional<OutsideCallError> error;
    bool release = false;
};

}  // namespace belfry::ports
