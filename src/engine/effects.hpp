#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/log.hpp"
#include "model/principal.hpp"
#include "model/sync.hpp"
#include "ports/commands/command.hpp"
#include "ports/store.hpp"

namespace belfry::engine {

using TokenList = std::shared_ptr<const std::vector<model::AccessToken>>;
using PeerList = std::shared_ptr<const std::vector<model::Peer>>;

struct Figures {
    std::uint64_t events_accepted = 0;
    std::uint64_t events_refused = 0;
    std::uint64_t events_replayed = 0;
    std::uint64_t notifications_made = 0;
    std::uint64_t notifications_gave_way = 0;
    std::uint64_t notifications_handed_over = 0;
    std::uint64_t notifications_acknowledged = 0;
    std::uint64_t runs_created = 0;
    std::uint64_t run_events = 0;
    std::uint64_t blocks_dropped = 0;
    std::uint64_t obligations_claimed = 0;
    std::uint64_t obligations_finished = 0;
    std::uint64_t obligations_failed = 0;
    std::uint64_t commits = 0;
    std::uint64_t commits_failed = 0;
    std::uint64_t commits_unknown = 0;
    std::uint64_t reopened = 0;
};

// An agent that lived here until another device told of its destruction.
struct DestroyedAgent {
    std::string id;
    base::Timestamp at;  // by the clock of the device that destroyed it
};

// What a step lets out, after its commit and never before. Everything here but `owed` is a hint: readers that miss one
// read again. What is owed stands in the outbox and comes again until it is done.
struct Effects {
    std::vector<ports::AnyCommand> answered;    // deliver each
    std::vector<model::SharedBlock> published;  // new entries of the log, in position order
    std::vector<model::StreamInfo> streams;     // all of them, after the memory was built anew
    std::vector<model::StreamInfo> opened;      // streams that came into being, before what is published
    std::vector<model::StreamInfo> floors;      // id and floor of streams that were trimmed
    std::vector<model::StreamId> removed;       // streams that are no more
    bool forget_tail = false;                   // what readers keep in memory was changed in the store
    bool erased = false;                        // an erasure has ended: what it removed is to leave the disk soon
    TokenList tokens;                           // all access tokens, where they changed
    PeerList peers;                             // all paired devices, where one came or was revoked, and at the opening
    std::vector<ports::Obligation> owed;        // claimed just now: perform them
    std::vector<base::Duration> deliveries;     // of what was shown or has arrived: how long after its event
    std::vector<std::string> complaints;        // about subscribers' templates, for the log
    std::vector<DestroyedAgent> destroyed;      // by other devices, while they lived here, for the log
    std::vector<std::string> setbacks;          // of what the clock brings, for the log: it is tried again later
    bool has_wakes = false;                     // something is ready for workflows of Belfry's own
    bool has_folds = false;                     // something of what agents remember is to be folded
    bool has_news = false;                      // changes came into a batch: other devices can be told of them
    bool is_behind = false;                     // something of it is due and rests, for it failed
    Figures figures;
};

}  // namespace belfry::engine
