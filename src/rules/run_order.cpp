#include "rules/run_order.hpp"

#include <algorithm>

namespace belfry::rules {
namespace {

// A host is a device and the incarnation of its store.
std::string_view device_of(std::string_view host) {
    return host.substr(0, host.find('.'));
}

}  // namespace

bool are_of_one_device(std::string_view host, std::string_view other) {
    return device_of(host) == device_of(other);
}

std::size_t place_in_order(std::string_view host, const std::set<std::string>& peers,
                           const std::set<std::string>& others) {
    std::size_t before = 0;
    std::set<std::string_view> counted{device_of(host)};
    for (const std::string& peer : peers) {
        before += peer > host ? 1 : 0;
        counted.insert(device_of(peer));
    }
    for (const std::string& other : others) {
        const bool is_new = counted.insert(device_of(other)).second;
        before += is_new && device_of(other) > device_of(host) ? 1 : 0;
    }
    return before;
}

base::Duration claim_delay(std::size_t place) {
    const std::size_t steps = std::min(place, claim_steps_max);
    return claim_step * static_cast<std::int64_t>(steps);
}

}  // namespace belfry::rules
