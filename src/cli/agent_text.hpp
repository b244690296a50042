#pragma once

#include <string>
#include <vector>

#include "cli/table.hpp"
#include "client/agent_types.hpp"

// Agents and what wakes them, for a person.
namespace belfry::cli {

std::string agent_line(const client::AgentNow& agent);
Table subscription_table(const std::vector<client::WakeSubscriptionNow>& subscriptions);
std::string wake_line(const client::WakeNow& wake);

}  // namespace belfry::cli
