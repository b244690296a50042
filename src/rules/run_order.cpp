#include "rules/run_order.hpp"

#include <algorithm>

namespace belfry::rules {
namespace {

// A host is a device and the incarnation of its store.
std::string_view device_of(std::string_view host) {
    return host.substr(0, host.find('.'));
}

}  // namespace

std::size_t place_in_order(std::string_view host, const std::set<std::string>& hosts) {
    std::set<std::string_view> before;
    for (const std::string& other : hosts) {
        if (device_of(other) > device_of(host)) before.insert(device_of(other));
    }
    return before.size();
}

base::Duration claim_delay(std::size_t place) {
    const std::size_t steps = std::min(place, claim_steps_max);
    return claim_step * static_cast<std::int64_t>(steps);
}

}  // namespace belfry::rules
