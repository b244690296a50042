#pragma once

#include <cstdint>
#include <vector>

namespace belfry::bench {

// Durations of single things, all kept, so that a percentile is one of them and no estimate.
class Samples {
public:
    void add(std::int64_t nanoseconds) { values_.push_back(nanoseconds); }
    std::size_t size() const { return values_.size(); }

    // The smallest sample that at least `percent` of 100 of them do not exceed, in microseconds; 0 without samples.
    double percentile_us(double percent);

private:
    std::vector<std::int64_t> values_;
};

}  // namespace belfry::bench
