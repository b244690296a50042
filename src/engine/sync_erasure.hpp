#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "engine/access.hpp"
#include "engine/capability.hpp"
#include "engine/changes.hpp"
#include "engine/journal.hpp"
#include "engine/outbox.hpp"
#include "engine/peer_book.hpp"
#include "engine/sync_shelf.hpp"
#include "engine/timers.hpp"
#include "engine/wakes.hpp"

namespace belfry::engine {

// That a person was erased is told to his other devices: what they knew of him by then is void, and whatever of it
// comes later is not taken. What he does afterwards is as anybody's.
class SyncErasure {
public:
    SyncErasure(ChangeLog& log, const PeerBook& peers, SyncShelf& shelf, Timers& timers, Wakes& wakes, Journal& journal,
                Changes& changes, Outbox& outbox, Access& access)
        : log_(log),
          peers_(peers),
          shelf_(shelf),
          timers_(timers),
          wakes_(wakes),
          journal_(journal),
          changes_(changes),
          outbox_(outbox),
          access_(access) {}

    // He was erased here. Where nobody else knows of him, nothing is left of that.
    base::Result<void> note(const std::string& user_id, Unit& unit);

    // He was erased elsewhere: what was known of him up to this clock goes at once, the rest of what is his here, which
    // no other device knows, in slices.
    base::Result<void> take(const std::string& user_id, const model::VectorClock& clock, Unit& unit);

    // Of these people those who were erased, and what was known of them then.
    using Clocks = std::map<std::string, model::VectorClock>;
    static base::Result<Clocks> of(const std::set<std::string>& users, Unit& unit);

private:
    // What was done with his records after that clock: it stays.
    base::Result<std::vector<model::Change>> changes_beyond(const std::string& user_id, const model::VectorClock& clock,
                                                            Unit& unit);
    base::Result<void> add_beyond(const std::string& user_id, const model::VectorClock& clock,
                                  SyncShelf::Records& alive, Unit& unit);
    base::Result<void> erase(const std::string& user_id, Unit& unit);
    base::Result<void> put_back(const std::vector<model::Change>& changes, SyncShelf::Records records, Unit& unit);

    ChangeLog& log_;
    const PeerBook& peers_;
    SyncShelf& shelf_;
    Timers& timers_;
    Wakes& wakes_;
    Journal& journal_;
    Changes& changes_;
    Outbox& outbox_;
    Access& access_;
};

// The member of an erasure that is owed: only what no other device knows is to go.
inline constexpr std::string_view local_erasure_member = "local";

}  // namespace belfry::engine
