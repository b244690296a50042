#include "engine/peer_book.hpp"

#include <algorithm>
#include <utility>

namespace belfry::engine {

base::Result<void> PeerBook::rebuild(Unit& unit) {
    TRY_ASSIGN(peers_, unit.store.sync().peers());
    is_changed_ = true;
    is_told_ = true;
    return {};
}

bool PeerBook::any() const {
    return std::ranges::any_of(peers_, [](const model::Peer& peer) { return !peer.revoked_at; });
}

const model::Peer* PeerBook::find(std::string_view id) const {
    const auto at = std::ranges::find(peers_, id, &model::Peer::id);
    return at == peers_.end() ? nullptr : &*at;
}

base::Result<void> PeerBook::put(const model::Peer& peer, Told told, Unit& unit) {
    TRY(unit.store.sync().put_peer(peer));
    const auto at = std::ranges::find(peers_, peer.id, &model::Peer::id);
    if (at == peers_.end()) peers_.push_back(peer);
    else *at = peer;
    is_changed_ = true;
    is_told_ = is_told_ || told == Told::yes;
    return {};
}

void PeerBook::committed(Effects& effects) {
    if (std::exchange(is_changed_, false)) committed_ = peers_;
    if (std::exchange(is_told_, false)) effects.peers = std::make_shared<const std::vector<model::Peer>>(peers_);
}

void PeerBook::dropped() {
    if (std::exchange(is_changed_, false)) peers_ = committed_;
    is_told_ = false;
}

}  // namespace belfry::engine
