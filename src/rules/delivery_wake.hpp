#pragma once

#include "rules/delivery.hpp"
#include "rules/step_reason.hpp"

// Rules of delivery for notifications that woke an agent: the agent speaks through the tool `notify_user`, its attempts
// fail, or Belfry gives it up. Pure, as rules/delivery.hpp.
namespace belfry::rules {

// True if an agent has yet to deal with the row: it is open, and neither narrated nor escalated.
bool waits_for_agent(const model::Notification& row);

// The agent tells the user about a row that was for its own decision: the row's target is the user from now on. Returns
// false if nothing changed.
bool raise_to_user(model::Notification& row, base::Timestamp now, std::string_view by, Steps& steps);

// The agent told the user of this row together with another one. The row is delivered without an item of its own.
Refusal tell_with(model::Notification& row, base::Timestamp now, std::string_view by, Steps& steps);

// The attempt that held the row has failed: the row is free, and its TTL counts again, which the lease had postponed. A
// row whose TTL is over escalates at once. Returns false if nobody holds the row.
bool release_to_ttl(model::Notification& row, base::Timestamp now, Steps& steps);

// Escalates the row at once, whoever holds it, because no agent will act on it. Adds `why` to the text in
// parentheses, if it is not empty. `reason` is that of the step. Returns false if the row does not wait for an agent.
bool give_to_user(model::Notification& row, base::Timestamp now, std::string_view why, Steps& steps,
                  std::string_view reason = step_reason::agent_failed);

}  // namespace belfry::rules
