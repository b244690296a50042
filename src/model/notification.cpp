#include "model/notification.hpp"

#include <algorithm>
#include <array>

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 6> states{"pending", "dispatched", "locked", "escalated", "delivered", "failed"};

}  // namespace

std::string_view delivery_state_name(DeliveryState state) {
    return states[static_cast<std::size_t>(state)];
}

std::optional<DeliveryState> parse_delivery_state(std::string_view name) {
    const auto at = std::ranges::find(states, name);
    if (at == states.end()) return std::nullopt;
    return static_cast<DeliveryState>(at - states.begin());
}

}  // namespace belfry::model
