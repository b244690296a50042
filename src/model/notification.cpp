#include "model/notification.hpp"

#include <algorithm>
#include <array>

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 6> states{"pending", "dispatched", "locked", "escalated", "delivered", "failed"};
constexpr std::array<std::string_view, 3> channels{"inbox", "conversation", "context"};
constexpr std::array<std::string_view, 3> marks{"seen", "acted", "dismissed"};

}  // namespace

std::string_view channel_name(Channel channel) {
    return channels[static_cast<std::size_t>(channel)];
}

std::string_view read_mark_name(ReadMark mark) {
    return marks[static_cast<std::size_t>(mark)];
}

std::optional<ReadMark> parse_read_mark(std::string_view name) {
    const auto at = std::ranges::find(marks, name);
    if (at == marks.end()) return std::nullopt;
    return static_cast<ReadMark>(at - marks.begin());
}

std::string_view delivery_state_name(DeliveryState state) {
    return states[static_cast<std::size_t>(state)];
}

std::optional<DeliveryState> parse_delivery_state(std::string_view name) {
    const auto at = std::ranges::find(states, name);
    if (at == states.end()) return std::nullopt;
    return static_cast<DeliveryState>(at - states.begin());
}

}  // namespace belfry::model
