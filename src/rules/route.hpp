#pragma once

#include <cstdint>

#include "model/notification.hpp"

namespace belfry::rules {

enum class Escalates : std::uint8_t { never, when_unspoken, when_unanswered };

// Where a notification goes by its three axes: the whole table of the protocol.
struct Route {
    model::Channel channel = model::Channel::inbox;
    bool to_interface = false;  // goes to the person's interfaces by itself
    bool starts_turn = false;   // an agent must be given a turn for it
    // never; when_unspoken: on TTL and on a turn that ends in silence; when_unanswered: on TTL and on an external tool.
    Escalates escalates = Escalates::never;

    bool operator==(const Route&) const = default;
};

Route route(model::Address address, model::Target target, model::Handler handler);
// A narrated notification goes to the interfaces, like one that the system delivers.
inline Route route(const model::Notification& one) {
    if (!one.narration.empty()) return route(one.address, model::Target::user, model::Handler::system);
    return route(one.address, one.target, one.handler);
}

}  // namespace belfry::rules
