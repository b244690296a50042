#include "model/subscriber.hpp"

#include <algorithm>
#include <array>

#include "model/record_json.hpp"

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 4> priorities{"critical", "high", "normal", "low"};
constexpr std::array<std::string_view, 4> points{"immediate", "turn_start", "after_tool", "turn_end"};
constexpr std::array<std::string_view, 2> addresses{"session", "user"};
constexpr std::array<std::string_view, 2> targets{"user", "agent"};
constexpr std::array<std::string_view, 2> handlers{"system", "agent"};

}  // namespace

std::string_view priority_name(Priority priority) {
    return priorities[static_cast<std::size_t>(priority)];
}
std::string_view inject_at_name(InjectAt point) {
    return points[static_cast<std::size_t>(point)];
}
std::string_view address_name(Address address) {
    return addresses[static_cast<std::size_t>(address)];
}
std::string_view target_name(Target target) {
    return targets[static_cast<std::size_t>(target)];
}
std::string_view handler_name(Handler handler) {
    return handlers[static_cast<std::size_t>(handler)];
}
std::optional<Priority> parse_priority(std::string_view name) {
    return parse_choice<Priority>(priorities, name);
}
std::optional<InjectAt> parse_inject_at(std::string_view name) {
    return parse_choice<InjectAt>(points, name);
}
std::optional<Address> parse_address(std::string_view name) {
    return parse_choice<Address>(addresses, name);
}
std::optional<Target> parse_target(std::string_view name) {
    return parse_choice<Target>(targets, name);
}
std::optional<Handler> parse_handler(std::string_view name) {
    return parse_choice<Handler>(handlers, name);
}

const Subscriber* Catalogue::find(std::string_view id) const {
    const auto at = std::ranges::lower_bound(subscribers, id, {}, &Subscriber::id);
    return at != subscribers.end() && at->id == id ? &*at : nullptr;
}

}  // namespace belfry::model
