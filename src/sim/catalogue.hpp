#pragma once

#include <string>

#include "model/subscriber.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// Subscribers of every kind, which stay as they are, and `guest`, which is drawn: it may be missing, and comes with
// another window, priority or filter each time.
model::Catalogue draw_catalogue(SeededRandom& random);

inline constexpr const char* guest_subscriber = "guest";

}  // namespace belfry::sim
