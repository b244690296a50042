#include "net/connections.hpp"

#include "base/assert.hpp"
#include "net/connection.hpp"

namespace belfry::net {

Connections::Connections() = default;
Connections::~Connections() = default;

ConnectionId Connections::reserve() {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    slots_[place].id = ++generation_ << 24U | place;
    return slots_[place].id;
}

Connection& Connections::put(ConnectionId id, std::unique_ptr<Connection> connection) {
    Slot& slot = slots_[id & place_mask];
    ASSERT(slot.id == id && !slot.connection);
    slot.connection = std::move(connection);
    ++open_;
    return *slot.connection;
}

void Connections::end(ConnectionId id) {
    const auto place = static_cast<std::uint32_t>(id & place_mask);
    Slot& slot = slots_[place];
    ASSERT(slot.id == id && slot.connection);
    dead_.push_back(std::move(slot.connection));
    slot.id = 0;
    free_.push_back(place);
    --open_;
}

void Connections::bury() {
    if (!dead_.empty()) dead_.clear();
}

}  // namespace belfry::net
