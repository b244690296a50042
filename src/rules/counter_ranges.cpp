#include "rules/counter_ranges.hpp"

#include <algorithm>

namespace belfry::rules {

using model::CounterRange;

CounterRanges joined_ranges(CounterRanges ranges) {
    std::erase_if(ranges, [](const CounterRange& range) { return range.to < range.from; });
    std::ranges::sort(ranges);
    CounterRanges joined;
    for (CounterRange& range : ranges) {
        // Written so that the greatest counter has no successor to overflow to.
        const bool touches = !joined.empty() && joined.back().host == range.host &&
                             (range.from <= joined.back().to || range.from - 1 == joined.back().to);
        if (touches) joined.back().to = std::max(joined.back().to, range.to);
        else joined.push_back(std::move(range));
    }
    return joined;
}

CounterRanges ranges_without(CounterRanges ranges, CounterRanges others) {
    ranges = joined_ranges(std::move(ranges));
    others = joined_ranges(std::move(others));
    CounterRanges left;
    auto other = others.begin();
    for (CounterRange& range : ranges) {
        const auto is_before = [&range](const CounterRange& o) {
            return o.host < range.host || (o.host == range.host && o.to < range.from);
        };
        while (other != others.end() && is_before(*other)) ++other;
        bool is_used_up = false;
        for (auto at = other; at != others.end() && at->host == range.host && at->from <= range.to; ++at) {
            if (range.from < at->from) left.push_back({range.host, range.from, at->from - 1});
            is_used_up = at->to >= range.to;
            if (is_used_up) break;
            range.from = at->to + 1;
        }
        if (!is_used_up) left.push_back(std::move(range));
    }
    return left;
}

CounterRanges ranges_within(CounterRanges ranges, const model::VectorClock& clock) {
    for (CounterRange& range : ranges) range.to = std::min(range.to, clock.counter_of(range.host));
    return joined_ranges(std::move(ranges));
}

}  // namespace belfry::rules
