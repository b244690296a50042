#include "store/sync_reading.hpp"

#include <limits>

#include "store/snapshot.hpp"
#include "store/sync_row.hpp"

namespace belfry::store {
namespace {

constexpr std::uint64_t missing_shown = 100;

constexpr Sql select_host{"SELECT device, incarnation FROM this_host WHERE id = 1"};
constexpr Sql select_peers{BELFRY_PEERS};
constexpr Sql select_hosts{BELFRY_HOSTS};
constexpr Sql select_missing{BELFRY_MISSING};
constexpr Sql select_last_note{BELFRY_LAST_NOTE};
constexpr Sql list_notes{"SELECT " BELFRY_NOTE_COLUMNS
                         " FROM merge_notes WHERE note_no < $1 ORDER BY note_no DESC LIMIT $2"};

}  // namespace

base::Result<ports::SyncStatus> SqlSyncReading::status() {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    ports::SyncStatus status;
    TRY(database_.run(select_host, {}, [&](const Row& row) {
        if (row.bytes(0).empty() || row.bytes(1).empty()) return;
        status.host = std::string(row.bytes(0)) + '.' + std::string(row.bytes(1));
    }));
    TRY_ASSIGN(status.peers, select(database_, "peers", select_peers, {}, read_peer));
    TRY_ASSIGN(status.hosts, select(database_, "change_hosts", select_hosts, {}, read_host));
    TRY_ASSIGN(status.missing,
               select(database_, "sync_missing", select_missing, {number(missing_shown)}, read_missing));
    TRY(database_.run(select_last_note, {}, [&](const Row& row) { status.merges = row.number(0); }));
    return status;
}

base::Result<std::vector<model::MergeNote>> SqlSyncReading::notes(std::int64_t below, std::size_t limit) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    const std::int64_t end = below > 0 ? below : std::numeric_limits<std::int64_t>::max();
    return select(database_, "merge_notes", list_notes, {number(end), number(std::uint64_t{limit})}, read_note);
}

}  // namespace belfry::store
