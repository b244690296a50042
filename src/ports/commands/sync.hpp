#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/sync_message.hpp"
#include "ports/commands/command.hpp"

// What devices tell each other, as the engine gives and takes it; and who those devices are.
namespace belfry::ports {

// The next of what somebody who has `has` is to be told. `asked`: gaps that he has noticed, which come first.
// `whole_cursor`: where he is in the whole; it is told where the log does not reach back to what he has. Only changes
// that are in a batch are told: those who hear of them then make the same keys of them.
struct GivenChanges {
    std::optional<model::SyncFrame> frame;  // nothing: he has all
    std::optional<model::SyncAck> ask;      // whether what nobody here can give is gone for good
};
struct GiveChanges final : CommandOf<GivenChanges> {
    std::string peer_id;
    model::VectorClock has;
    std::vector<model::CounterRange> asked;
    std::string whole_cursor;
    bool in_whole = false;  // a page of the whole went before
};

// What a peer has told. All of a frame is taken in one transaction, or nothing of it: `invalid` with the field where it
// is wrong, `forbidden` where the peer may not say it (`forged_host`, `unknown_host`, `unknown_peer`). What is known
// already changes nothing.
struct TakenChanges {
    model::SyncAck ack;
    std::size_t records = 0;  // that were new or changed something
    std::size_t merged = 0;   // of them, that both had changed
};
struct TakeChanges final : CommandOf<TakenChanges> {
    std::string peer_id;
    model::SyncFrame frame;
};

// Which of these can really not be given any more, as far as we know it for sure.
struct ConfirmGone final : CommandOf<model::SyncGone> {
    std::string peer_id;
    std::vector<model::CounterRange> ranges;
};
// A peer has confirmed it: they are not asked for any more.
struct AcceptGone final : CommandOf<model::SyncAck> {
    std::string peer_id;
    std::vector<model::CounterRange> ranges;
};

// A device was paired: it is known from now on, or known anew after it was revoked.
struct AddPeer final : CommandOf<model::Peer> {
    model::Peer peer;
};
// `key`: id, the beginning of it that only one has, or its name. What it told stays; it is not listened to any more.
struct RevokePeer final : CommandOf<model::Peer> {
    std::string key;
};
// What a link has to note of its peer: that it was here, as which host, with which seals, and what it has; or why it
// could not be reached. `conflict` with `forged_host` where a seal names another key than is known for that host.
struct NotePeer final : CommandOf<model::Peer> {
    std::string peer_id;
    std::optional<model::SyncHello> hello;
    std::optional<model::VectorClock> has;
    std::string error;
};

// Our own hello for this peer. The seal of this host is made by `seal` where it has none yet: the engine knows the
// host, the key lies beside it.
struct SayHello final : CommandOf<model::SyncHello> {
    std::string peer_id;
    std::optional<model::HostSeal> seal;
};

// What two devices compare, of all that they have in common: the same where they know the same. `changes` as far as
// it goes. It reads everything.
struct SyncDigest {
    std::string digest;
    std::int64_t records = 0;
    model::VectorClock has;
};
struct TakeDigest final : CommandOf<SyncDigest> {};

}  // namespace belfry::ports
