#pragma once

#include <string>

#include "model/sink.hpp"
#include "model/subscriber.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// Subscribers of every kind, which stay as they are, and `guest`, which is drawn: it may be missing, and comes with
// another window, priority, filter or channel each time.
model::Catalogue draw_catalogue(SeededRandom& random);

// Sinks for everybody, and for what is severe of one person.
model::SinkCatalogue draw_sinks();

inline constexpr const char* guest_subscriber = "guest";

}  // namespace belfry::sim
