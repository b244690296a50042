#pragma once

#include <vector>

#include "ports/commands/notifications.hpp"

namespace belfry::engine {

// Notifications that found no room for too long, as one line for each subscriber: `summary: 12 tool success events`, or
// `summary: "3 notifications: …"` where they came without events.
// Confirming the line confirms them all; each can still be read by its handle.
std::vector<ports::PulledItem> summaries_of(std::vector<model::Notification> counted);

}  // namespace belfry::engine
