#pragma once

#include <optional>

#include "engine/capability.hpp"
#include "engine/change_log.hpp"
#include "engine/ledger.hpp"
#include "engine/peer_book.hpp"
#include "model/sync.hpp"

namespace belfry::engine {

// What a person has done with his notifications, as his devices tell it to each other. It never goes back: of two times
// at which he has seen something the earlier one counts.
class ReadMarks {
public:
    ReadMarks(ChangeLog& log, const PeerBook& peers, Ledger& ledger) : log_(log), peers_(peers), ledger_(ledger) {}

    // Something was marked here. Where there is nobody to be told, nothing is written.
    base::Result<void> note(const model::Notification& row, Unit& unit);
    // What was marked elsewhere: the notification is marked, too, where it is here.
    base::Result<void> take(const model::SyncRecord& record, Unit& unit);

private:
    ChangeLog& log_;
    const PeerBook& peers_;
    Ledger& ledger_;
};

}  // namespace belfry::engine
