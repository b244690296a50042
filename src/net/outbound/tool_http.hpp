#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/outside_call.hpp"
#include "ports/commands/outside_calls.hpp"
#include "wire/interrupt.hpp"

namespace belfry::net {

// What a tool's server said: its result, or that there will be none.
struct ToolAnswer {
    model::RawJson result;  // an object
    std::optional<ports::OutsideCallError> error;
};

// Asks the server of a tool to carry out a call, and waits for the answer for as long as the call has time; blocks.
// Only the address that the tool was registered with is called: a redirection is a refusal like another. Every attempt
// has the key as `Idempotency-Key`; with a secret it is signed as the calls of sinks are. An error is one that another
// attempt may mend.
base::Result<ToolAnswer> call_tool_server(const model::ToolExecution& execution, const std::string& secret,
                                          const std::string& key, const model::OutsideCall& call, base::Timestamp now,
                                          const wire::Interrupt& interrupt);

}  // namespace belfry::net
