#include "net/rates.hpp"

#include <algorithm>
#include <cmath>

#include "base/limits.hpp"

namespace belfry::net {
namespace {
constexpr std::size_t addresses_max = 10000;
}

base::Duration EventRates::take(const std::string& who, std::int64_t per_second, std::size_t count,
                                base::Duration now) {
    const auto rate = static_cast<double>(per_second);
    const auto [found, fresh] = buckets_.try_emplace(who, Bucket{rate, now});
    Bucket& bucket = found->second;
    if (!fresh) {
        const double passed_s = static_cast<double>((now - bucket.filled_at).us) / 1e6;
        bucket.left = std::min(rate, bucket.left + passed_s * rate);
        bucket.filled_at = now;
    }
    if (bucket.left < 1) {
        return std::max(base::seconds(1), base::seconds(std::llround(std::ceil((1 - bucket.left) / rate))));
    }
    bucket.left -= static_cast<double>(count);
    return {};
}

void EventRates::sweep(base::Duration now) {
    std::erase_if(buckets_, [now](const auto& entry) {
        return entry.second.left >= 0 && now - entry.second.filled_at > base::minutes(1);
    });
}

bool FailedLogins::count(const Address& address, base::Duration now) {
    sweep(now);
    if (failures_.size() >= addresses_max && !failures_.contains(address)) return true;
    return ++failures_[address] > base::limits::failed_logins_per_minute_max;
}

void FailedLogins::sweep(base::Duration now) {
    if (now - minute_began_ < base::minutes(1)) return;
    minute_began_ = now;
    failures_.clear();
}

}  // namespace belfry::net
