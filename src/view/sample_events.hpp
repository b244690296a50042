#pragma once

#include <vector>

#include "base/time.hpp"
#include "model/event.hpp"
#include "model/subscriber.hpp"

namespace belfry::view {

// Events that the subscriber listens to, made up: one of every known type that it wants, and of each type of its own
// one that says a little. Each keeps to its least severity and to one of its sources.
std::vector<model::Event> sample_events(const model::Subscriber& subscriber, base::Timestamp now);

}  // namespace belfry::view
