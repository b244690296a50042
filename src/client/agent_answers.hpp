#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "client/agent_types.hpp"

namespace belfry::client {

base::Result<AgentNow> read_agent(std::string_view body);
AgentNow agent_of(model::JsonView view);
base::Result<WakeSubscriptionNow> read_wake_subscription(std::string_view body);
WakeSubscriptionNow wake_subscription_of(model::JsonView view);
base::Result<WakeNow> read_wake(std::string_view body);
WakeNow wake_of(model::JsonView view);
WakeSignalNow wake_signal_of(model::JsonView view);
base::Result<Grant> read_grant(std::string_view body);

std::string agent_request_json(const AgentRequest& request);
std::string wake_subscription_json(const WakeSubscriptionRequest& request);
std::string wake_request_json(const WakeRequest& request);
std::string claim_json(const ClaimRequest& request);
std::string wake_outcome_json(std::int64_t fence, const WakeOutcome& outcome);

}  // namespace belfry::client
