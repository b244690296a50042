#pragma once

#include "codec/json.hpp"
#include "model/agent_message.hpp"

// How a message of an agent, and an action of a plan, are read from a request: every member by its name, with a refusal
// that names the field and what it may hold. What they mean together is for the rules.
namespace belfry::net::handlers {

base::Result<model::AgentMessage> read_agent_message(codec::JsonReader& reader);
// As an export has it: with its thread, its time, and the message before it.
base::Result<model::AgentMessage> read_exported_message(codec::JsonReader& reader);
base::Result<model::PlannedAction> read_planned_action(codec::JsonReader& reader);

}  // namespace belfry::net::handlers
