#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/sync.hpp"

// Sets of changes, as ranges of their hosts' counters.
namespace belfry::rules {

using CounterRanges = std::vector<model::CounterRange>;

// The one form of a set: sorted, and no two that overlap or touch. Ranges that end before they begin are none.
[[nodiscard]] CounterRanges joined_ranges(CounterRanges ranges);
// Those of the first that are not in the second. Both in any form; the outcome in the one form.
[[nodiscard]] CounterRanges ranges_without(CounterRanges ranges, CounterRanges others);
// As far as a clock reaches.
[[nodiscard]] CounterRanges ranges_within(CounterRanges ranges, const model::VectorClock& clock);

}  // namespace belfry::rules
