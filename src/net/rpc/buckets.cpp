#include "net/rpc/buckets.hpp"

#include <algorithm>

#include "base/limits.hpp"

namespace belfry::net {
namespace {

constexpr base::Duration one = {base::minutes(1).us / base::limits::rpc_messages_per_minute};
constexpr base::Duration whole = one * base::limits::rpc_messages_burst;

}  // namespace

base::Duration MessageBuckets::take(const std::string& who, base::Duration now) {
    const auto [found, fresh] = buckets_.try_emplace(who, Bucket{now - whole});
    base::Duration& empty_until = found->second.empty_until;
    if (!fresh) empty_until = std::max(empty_until, now - whole);
    if (now - empty_until < one) return empty_until + one - now;
    empty_until = empty_until + one;
    return {};
}

void MessageBuckets::sweep(base::Duration now) {
    std::erase_if(buckets_, [now](const auto& entry) { return now - entry.second.empty_until >= whole; });
}

}  // namespace belfry::net
