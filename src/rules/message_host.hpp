#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/agent_message.hpp"

// Which device carried out an operation. Two devices that could not reach each other may carry out the same operation
// with different arguments, and only one of them may succeed. All devices keep the messages of a success; of two
// successes, or two failures, those of the greater host, as they do of records.
namespace belfry::rules {

// The members of the extension of an action or a tool's result: the host whose call succeeded, or else the host that
// tried. A message has one of them.
inline constexpr std::string_view host_member = "belfry.host";
inline constexpr std::string_view tried_member = "belfry.tried_on";

enum class CallOutcome : std::uint8_t { succeeded, failed_or_open };

// Writes the host into an action or a tool's result; other messages stay as they are.
void set_host(model::AgentMessage& message, std::string_view host, CallOutcome outcome);

// Returns how the call ended that a message is of, as a batch of messages tells it. An action without a result in the
// batch is open.
[[nodiscard]] CallOutcome outcome_in(std::span<const model::AgentMessage> batch, const model::AgentMessage& message);

// Orders two bodies of messages as devices exchange them: the greater one is kept. Equal: no host decides.
[[nodiscard]] std::strong_ordering order_by_host(model::JsonView a, model::JsonView b);

}  // namespace belfry::rules
