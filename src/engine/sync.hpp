#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "engine/changes.hpp"
#include "engine/journal.hpp"
#include "engine/peer_book.hpp"
#include "engine/sync_erasure.hpp"
#include "engine/sync_shelf.hpp"
#include "ports/commands/sync.hpp"

namespace belfry::engine {

// What devices tell each other. A change says that a record is another one; what is told is the record as it is by now,
// and whoever hears of it merges it with what he knows. So the order in which things come does not matter, nor does it
// when they come twice.
class Sync final : public Capability {
public:
    Sync(ChangeLog& log, PeerBook& peers, Changes& changes, AgentBook& agents, Journal& journal, SyncShelf& shelf,
         SyncErasure& erasure)
        : log_(log),
          peers_(peers),
          changes_(changes),
          agents_(agents),
          journal_(journal),
          shelf_(shelf),
          erasure_(erasure) {}

    [[nodiscard]] std::vector<std::type_index> handles() const override;
    base::Result<void> rebuild(Unit& unit) override { return peers_.rebuild(unit); }
    base::Result<void> apply(ports::Command& command, Unit& unit) override;
    void committed(Effects& effects) override {
        peers_.committed(effects);
        for (DestroyedAgent& one : shelf_.take_destroyed()) effects.destroyed.push_back(std::move(one));
    }
    void dropped() override {
        peers_.dropped();
        (void)shelf_.take_destroyed();
    }

private:
    using Places = std::map<std::string, ports::HostPlace>;  // by host
    // Everything that this transaction has done so far is in the store.
    base::Result<void> write_all(Unit& unit);
    static base::Result<Places> places(Unit& unit);
    // The peer, where it may speak; else the command was refused.
    template <class C>
    const model::Peer* admitted(C& command);

    // sync_give.cpp
    base::Result<void> give(ports::GiveChanges& command, Unit& unit);
    // Changes of a host after a counter, `through` at the most; nothing where there are none.
    base::Result<std::optional<model::SyncFrame>> frame_of(const std::string& host, std::uint64_t after,
                                                           std::uint64_t through, Unit& unit);
    base::Result<void> fill(model::SyncFrame& frame, std::vector<model::Change>& changes, Unit& unit);

    // sync_whole.cpp
    base::Result<model::SyncFrame> page_of_whole(const std::string& cursor, Unit& unit);
    base::Result<void> take_page(const model::Peer& peer, const model::SyncFrame& frame, Unit& unit);
    base::Result<void> digest(ports::TakeDigest& command, Unit& unit);

    // sync_take.cpp
    base::Result<void> take(ports::TakeChanges& command, Unit& unit);
    base::Result<base::Result<void>> check(const model::SyncFrame& frame, Unit& unit);
    struct Taken {
        ports::TakenChanges reply;
        std::map<RecordKey, SyncShelf::Tokens> tokens;  // of the records of the frame
        std::set<RecordKey> nobodys;                    // of people who were erased
    };
    base::Result<void> take_records(const model::SyncFrame& frame, Taken& taken, Unit& unit);
    base::Result<void> merge(std::span<const model::SyncRecord> told, Taken& taken, Unit& unit);
    base::Result<void> take_erasure(const model::SyncRecord& record, Unit& unit);
    // Those of its records that are of somebody who was erased since.
    base::Result<std::set<RecordKey>> void_in(const model::SyncFrame& frame, Unit& unit);
    base::Result<void> take_units(const model::SyncFrame& frame, const Taken& taken, Unit& unit);
    base::Result<void> note_missing(const std::string& peer_id, const model::SyncFrame& frame, Unit& unit);
    // What this peer is asked to confirm, if anything.
    base::Result<std::optional<model::SyncAck>> ask_of(const model::Peer& peer, Unit& unit);
    base::Result<model::SyncAck> ack_of(const std::string& peer_id, const std::string& host, Unit& unit);

    // sync_peers.cpp
    // Those of these changes whose records are not here any more.
    base::Result<std::vector<model::Change>> gone_among(const std::vector<model::Change>& changes, Unit& unit);
    base::Result<void> confirm_gone(ports::ConfirmGone& command, Unit& unit);
    base::Result<void> accept_gone(ports::AcceptGone& command, Unit& unit);
    base::Result<void> ask_others(std::vector<ports::MissingChange> unsure, Unit& unit);
    base::Result<void> mark_gone(const model::CounterRange& range, Unit& unit);
    base::Result<void> add_peer(ports::AddPeer& command, Unit& unit);
    base::Result<void> revoke_peer(ports::RevokePeer& command, Unit& unit);
    base::Result<void> note_peer(ports::NotePeer& command, Unit& unit);
    base::Result<base::Result<void>> take_hello(const model::Peer& peer, const model::SyncHello& hello, Unit& unit);
    base::Result<base::Result<void>> take_seals(const model::Peer& peer, const model::SyncHello& hello, Unit& unit);
    base::Result<void> say_hello(ports::SayHello& command, Unit& unit);

    ChangeLog& log_;
    PeerBook& peers_;
    Changes& changes_;
    AgentBook& agents_;
    Journal& journal_;
    SyncShelf& shelf_;
    SyncErasure& erasure_;
};

template <class C>
const model::Peer* Sync::admitted(C& command) {
    const model::Peer* const peer = peers_.find(command.peer_id);
    if (peer != nullptr && !peer->revoked_at) return peer;
    command.refuse(
        base::error(base::Code::forbidden, "this device was not paired with that one", "peer_id", "unknown_peer"));
    return nullptr;
}

}  // namespace belfry::engine
