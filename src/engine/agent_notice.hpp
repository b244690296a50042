#pragma once

#include "engine/capability.hpp"
#include "engine/ledger.hpp"
#include "model/agent.hpp"
#include "model/agent_message.hpp"
#include "rules/house_tool.hpp"

// The notification by which an agent tells its user something (`notify_user`).
namespace belfry::engine {

// Returns the notification, without an id.
base::Result<model::Notification> make_notice(const model::Agent& agent, const rules::NotifyUser& wish);

// Two devices carried out one operation with different arguments: the notification of this device gets the text of the
// action that all devices keep. Nothing changes if the action is another tool's, or this device told nothing.
base::Result<void> revise_notice(const model::Agent& agent, const model::AgentMessage& action, Ledger& ledger,
                                 Unit& unit);

}  // namespace belfry::engine
