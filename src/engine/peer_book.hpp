#pragma once

#include <string_view>
#include <vector>

#include "engine/capability.hpp"
#include "model/sync.hpp"

namespace belfry::engine {

// The devices that were paired with this one, as this transaction sees them.
class PeerBook {
public:
    base::Result<void> rebuild(Unit& unit);

    // Whether there is anybody to be told anything.
    [[nodiscard]] bool any() const;
    // Null: it is not known.
    [[nodiscard]] const model::Peer* find(std::string_view id) const;
    [[nodiscard]] const std::vector<model::Peer>& all() const { return peers_; }

    // One that was added, or revoked, is told to whoever keeps the links.
    enum class Told : std::uint8_t { yes, no };
    base::Result<void> put(const model::Peer& peer, Told told, Unit& unit);

    void committed(Effects& effects);
    void dropped();

private:
    std::vector<model::Peer> peers_;
    std::vector<model::Peer> committed_;
    bool is_changed_ = false;
    bool is_told_ = false;
};

}  // namespace belfry::engine
