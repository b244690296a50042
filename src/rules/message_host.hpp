#pragma once

#include <string>
#include <string_view>

#include "model/agent_message.hpp"

// Which device carried out an operation. Two devices that could not reach each other may carry out the same operation
// with different arguments. Of records the greater host wins; the messages of the operation follow the same rule.
namespace belfry::rules {

// The member of the extension of an action or a tool's result.
inline constexpr std::string_view host_member = "belfry.host";

// Writes the host into an action or a tool's result; other messages stay as they are.
void set_host(model::AgentMessage& message, std::string_view host);

// Returns the host in the body of a message as devices exchange it; empty if the message names none.
[[nodiscard]] std::string host_in(model::JsonView body);

}  // namespace belfry::rules
