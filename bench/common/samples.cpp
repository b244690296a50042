#include "common/samples.hpp"

#include <algorithm>
#include <cmath>

namespace belfry::bench {

double Samples::percentile_us(double percent) {
    if (values_.empty()) return 0;
    const double rank = std::ceil(percent / 100 * static_cast<double>(values_.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    const auto at = values_.begin() + static_cast<std::ptrdiff_t>(std::min(index, values_.size() - 1));
    std::nth_element(values_.begin(), at, values_.end());
    return static_cast<double>(*at) / 1000;
}

}  // namespace belfry::bench
