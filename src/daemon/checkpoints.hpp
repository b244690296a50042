#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "host/log.hpp"
#include "store/open_store.hpp"
#include "store/sqlite_checkpointer.hpp"

namespace belfry::daemon {

// The thread that brings SQLite's write-ahead log back into the database, on a connection of its own, so that no commit
// has to. Sleeps until the writer says that the log has grown. Nothing to do for PostgreSQL.
class Checkpoints {
public:
    Checkpoints(const store::StoreLocation& location, host::Logger& log);
    ~Checkpoints() { stop(); }
    Checkpoints(const Checkpoints&) = delete;
    Checkpoints& operator=(const Checkpoints&) = delete;

    void start();
    void stop();
    // From the writer, after a commit: how many pages the log holds. Waits where a checkpoint needs the writer's lock.
    void notice(std::int64_t pages);
    // Empties the log soon, however small it is: what was erased stands in it until then. From any thread.
    void fold_soon();

private:
    void run();
    void move(std::int64_t pages);
    bool fold();

    host::Logger& log_;
    std::unique_ptr<store::SqliteCheckpointer> checkpointer_;  // of SQLite only
    std::mutex mutex_;
    std::condition_variable grown_;
    std::int64_t pages_ = 0;
    bool wants_fold_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace belfry::daemon
