#pragma once

#include "rules/delivery.hpp"

// What the files of the state machine share; nobody else has a use for it.
namespace belfry::rules::delivery {

// Takes the row to a state and appends the step. Whatever belongs to the step (lease, axes) is set before.
void step(model::Notification& row, model::DeliveryState to, base::Timestamp now, std::string_view who,
          std::string_view reason, Steps& steps);

// How long a row of these axes waits before the watchdog looks at it.
base::Duration wait_of(const model::Notification& row);

// Pending and dispatched rows become locked, with a step for each state on the way.
void take(model::Notification& row, base::Timestamp now, std::string_view who, std::string_view reason, Steps& steps);

// The row's text names the EXTERNAL tools that were used for it; version + 1. Content in another form than the text
// (TOON) stays as it is.
void name_tools(model::Notification& row);

// The ends, and the fallback.
void deliver(model::Notification& row, base::Timestamp now, std::string_view who, std::string_view reason,
             Steps& steps);
void fail(model::Notification& row, base::Timestamp now, std::string_view who, std::string_view outcome, Steps& steps);
void escalate(model::Notification& row, base::Timestamp now, std::string_view who, std::string_view reason,
              Steps& steps);

}  // namespace belfry::rules::delivery
