#pragma once

#include "model/value.hpp"
#include "ports/workflow.hpp"

namespace belfry::daemon {

// What the templates of a script's steps and of a model's prompt see: agent, slots, wake, input, signals, messages,
// notifications, words, now.
model::Value turn_variables(const ports::Turn& turn);

}  // namespace belfry::daemon
