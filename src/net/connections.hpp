#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace belfry::net {

class Connection;

// Names a connection for good: a later one in the same place has another number. Never 0.
using ConnectionId = std::uint64_t;

// All open connections, found by number. One that ends stays in memory until `bury`, because it may still be on the
// stack of whoever ended it.
class Connections {
public:
    Connections();
    ~Connections();
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;

    // The number that the next connection must be `put` under.
    ConnectionId reserve();
    Connection& put(ConnectionId id, std::unique_ptr<Connection> connection);
    // Nothing for one that has ended.
    [[nodiscard]] Connection* find(ConnectionId id) const {
        const auto place = static_cast<std::size_t>(id & place_mask);
        if (place >= slots_.size() || slots_[place].id != id) return nullptr;
        return slots_[place].connection.get();
    }
    void end(ConnectionId id);
    void bury();
    [[nodiscard]] std::size_t size() const { return open_; }

    // `visit` may end connections.
    template <class Visit>
    void for_each(Visit&& visit) {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (Connection* connection = slots_[i].connection.get()) visit(*connection);
        }
    }

private:
    static constexpr std::uint64_t place_mask = (1ULL << 24U) - 1;
    struct Slot {
        ConnectionId id = 0;
        std::unique_ptr<Connection> connection;
    };
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::vector<std::unique_ptr<Connection>> dead_;
    std::uint64_t generation_ = 0;
    std::size_t open_ = 0;
};

}  // namespace belfry::net
