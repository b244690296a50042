#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/limits.hpp"
#include "base/result.hpp"

namespace belfry::store {

struct SqliteCheckpointerOptions {
    std::string path;
    // From this size of the log on, the writer is held for a moment so that the log can begin again.
    std::int64_t restart_bytes = base::limits::wal_bytes_max / 4;
    // From this size on, readers may make the writer wait longer, and the file is cut.
    std::int64_t insist_bytes = base::limits::wal_bytes_max;
    // Fewer pages than these are not worth a round.
    std::int64_t round_pages_min = base::limits::wal_checkpoint_pages;
};

// Moves what is in the write-ahead log into the database, on a connection and a thread of its own, so that no commit
// pays for it.
//
// A passive checkpoint disturbs nobody, and the log begins again by itself once all of it was moved. Under constant
// load that never comes to pass: the writer is always ahead, and the log grows without bound. So above `restart_bytes`
// a second passive round makes the rest small, and then the writer is held off while that rest is moved and the readers
// of the old log leave.
//
// Taking SQLite's write lock from a busy writer is a matter of luck: it is free for microseconds between two commits,
// and polling for it every 50 us for 20 ms never found it on a slow disk. So the writer gives way by itself: after each
// commit it calls `give_way`, which waits while a round wants the lock.
//
// A reader who stays keeps the log from beginning again, and no waiting of the writer helps. So it is asked to give way
// only when nobody reads what is older than the round, and after a try in vain not before the log has grown by
// `restart_bytes` (by `insist_bytes` where it is larger than that): a log that is held grows, and commits go on.
//
// Measured with commits of 100 entries of 400 bytes one after another, on a loaded 2-core machine: passive rounds alone
// let the log grow to 720 MB in 8 s at 1,600 commits/s; with restarts at 64 MB it stayed at 70 MB at the same speed.
// p99 of the commits is the same with and without (4.3 and 4.5 ms there). A restart held the writer for 1 to 5 ms, at
// most 25 ms, once in 64 MB of log; most of that is the sync of the database. Restarting at 16 MB held it no shorter,
// but four times as often. A round for every commit, instead of every 1,000 pages, competed with the writer's own
// syncs.
class SqliteCheckpointer {
public:
    struct Round {
        std::int64_t log_pages = 0;    // in the log when the round ended
        std::int64_t moved_pages = 0;  // of them, how many the database has
        bool restarted = false;        // the next commit writes at the log's beginning
        bool asked_writer = false;     // it was to give way, for whatever came of it
    };

    explicit SqliteCheckpointer(SqliteCheckpointerOptions options);
    ~SqliteCheckpointer();
    SqliteCheckpointer(const SqliteCheckpointer&) = delete;
    SqliteCheckpointer& operator=(const SqliteCheckpointer&) = delete;

    // One round, on the checkpointer's thread. `wal_pages` is what the last commit told (SqliteOptions::on_wal_pages);
    // where fewer than `round_pages_min` of them wait to be moved, there is nothing to do. The database must
    // be there by now.
    base::Result<Round> run_once(std::int64_t wal_pages);

    // On the same thread: moves all of the log, however small it is, and cuts the file, so that nothing stands in it
    // any more. Where a reader is in the way it is not `restarted`, and to be tried again.
    base::Result<Round> fold_in();

    // On the writer's thread, outside a transaction: best from on_wal_pages. Returns at once unless a round waits.
    void give_way();

private:
    struct State;
    base::Result<void> connect();
    base::Result<Round> move_pages();
    base::Result<Round> checkpoint(int mode);
    base::Result<Round> empty_log();
    base::Result<Round> restart(int mode, bool insist);

    std::unique_ptr<State> state_;
};

}  // namespace belfry::store
