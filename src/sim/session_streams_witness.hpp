#pragma once

#include "sim/sent.hpp"
#include "sim/stock.hpp"

namespace belfry::sim {

// Reads conversations as somebody who follows them would, and says where the stream and the store contradict each
// other: every message and node has one entry, in its place, and every entry its message or node, until it was taken
// away; who owns the session owns the stream; a deleted one ends with the word of it. What retention took and what was
// erased is not missed.
void compare_session_streams(const Stock& stock, Complaints& complaints);

}  // namespace belfry::sim
