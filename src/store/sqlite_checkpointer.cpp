#include "store/sqlite_checkpointer.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sqlite3.h>
#include <thread>
#include <utility>

namespace belfry::store {
namespace {

using base::Code;
using SteadyClock = std::chrono::steady_clock;

constexpr auto poll_pause = std::chrono::microseconds(50);

struct Patience {
    std::chrono::milliseconds for_the_lock;     // until the writer has finished what it is at
    std::chrono::milliseconds with_the_writer;  // how long it may be kept waiting
};
constexpr Patience restart_patience{std::chrono::milliseconds(100), std::chrono::milliseconds(20)};
constexpr Patience insist_patience{std::chrono::milliseconds(1000), std::chrono::milliseconds(500)};

struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
};

}  // namespace

struct SqliteCheckpointer::State {
    SqliteCheckpointerOptions options;
    std::unique_ptr<sqlite3, Closer> handle;
    std::int64_t page_bytes = 4096;
    std::int64_t moved_pages = 0;  // of the present log, by the last round
    // The size of the log when readers last kept it from beginning again, and the one at which to try anew.
    std::int64_t refused_at_bytes = 0;
    std::int64_t try_again_at_bytes = 0;

    // Between the two threads.
    std::atomic<bool> wants_writer = false;
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<SteadyClock::time_point> writer_waits_since;

    Patience patience = restart_patience;
    SteadyClock::time_point asked_at;

    bool is_out_of_patience() {
        const std::lock_guard lock(mutex);
        const auto now = SteadyClock::now();
        if (now - asked_at > patience.for_the_lock) return true;
        return writer_waits_since && now - *writer_waits_since > patience.with_the_writer;
    }

    // SQLite's own waiting sleeps for milliseconds at a time; all that while the writer would stand.
    static int wait(void* self, int) {
        auto* state = static_cast<State*>(self);
        if (!state->wants_writer || state->is_out_of_patience()) return 0;
        std::this_thread::sleep_for(poll_pause);
        return 1;
    }
};

SqliteCheckpointer::SqliteCheckpointer(SqliteCheckpointerOptions options) : state_(std::make_unique<State>()) {
    state_->options = std::move(options);
}
SqliteCheckpointer::~SqliteCheckpointer() = default;

base::Result<void> SqliteCheckpointer::connect() {
    if (state_->handle) return {};
    const std::string& path = state_->options.path;
    sqlite3* raw = nullptr;
    const int opened = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    std::unique_ptr<sqlite3, Closer> handle(raw);
    if (opened != SQLITE_OK) return base::error(Code::io, "cannot open " + path + ": " + sqlite3_errstr(opened));
    const auto take_number = [](void* out, int, char** values, char**) {
        *static_cast<std::int64_t*>(out) = std::atoll(values[0]);
        return 0;
    };
    sqlite3_busy_timeout(raw, static_cast<int>(insist_patience.for_the_lock.count()));
    if (sqlite3_exec(raw, "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL", nullptr, nullptr, nullptr) !=
            SQLITE_OK ||
        sqlite3_exec(raw, "PRAGMA page_size", take_number, &state_->page_bytes, nullptr) != SQLITE_OK) {
        return base::error(Code::io, "cannot set up " + path + ": " + sqlite3_errmsg(raw));
    }
    sqlite3_busy_handler(raw, &State::wait, state_.get());
    state_->handle = std::move(handle);
    return {};
}

base::Result<SqliteCheckpointer::Round> SqliteCheckpointer::run_once(std::int64_t wal_pages) {
    // The log began again since: what was moved of the former one does not count.
    if (wal_pages < state_->moved_pages) state_->moved_pages = 0;
    // A round syncs the log and the database, beside the writer's own syncs: it must be worth it.
    if (wal_pages - state_->moved_pages < state_->options.round_pages_min) {
        return Round{wal_pages, state_->moved_pages, false};
    }
    TRY(connect());
    auto round = move_pages();
    if (round.ok()) state_->moved_pages = round->moved_pages;
    else state_->handle.reset();
    return round;
}

base::Result<SqliteCheckpointer::Round> SqliteCheckpointer::fold_in() {
    TRY(connect());
    auto round = empty_log();
    if (!round.ok()) state_->handle.reset();
    else if (round->restarted) state_->moved_pages = 0;
    else state_->moved_pages = round->moved_pages;
    return round;
}

base::Result<SqliteCheckpointer::Round> SqliteCheckpointer::empty_log() {
    TRY_ASSIGN(const Round first, checkpoint(SQLITE_CHECKPOINT_PASSIVE));
    if (first.moved_pages < first.log_pages) return first;
    return restart(SQLITE_CHECKPOINT_TRUNCATE, false);
}

base::Result<SqliteCheckpointer::Round> SqliteCheckpointer::move_pages() {
    TRY_ASSIGN(const Round first, checkpoint(SQLITE_CHECKPOINT_PASSIVE));
    const std::int64_t bytes = first.log_pages * state_->page_bytes;
    if (bytes < state_->refused_at_bytes) state_->refused_at_bytes = state_->try_again_at_bytes = 0;
    if (bytes <= state_->options.restart_bytes || bytes < state_->try_again_at_bytes) return first;
    // What was written during the first round is moved now, still beside the writer.
    TRY_ASSIGN(const Round second, checkpoint(SQLITE_CHECKPOINT_PASSIVE));
    // Somebody reads what is older than the first round. He may do so for long, and the writer would wait in vain.
    if (second.moved_pages < first.log_pages) return second;
    const bool insist = bytes > state_->options.insist_bytes;
    // A log that outgrew its bound gives its space back too; otherwise the file is better kept, because overwriting
    // is cheaper to sync than growing.
    TRY_ASSIGN(const Round last, restart(insist ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART, insist));
    state_->refused_at_bytes = last.restarted ? 0 : bytes;
    state_->try_again_at_bytes =
        last.restarted ? 0 : bytes + (insist ? state_->options.insist_bytes : state_->options.restart_bytes);
    return last;
}

base::Result<SqliteCheckpointer::Round> SqliteCheckpointer::restart(int mode, bool insist) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->patience = insist ? insist_patience : restart_patience;
        state_->asked_at = SteadyClock::now();
        state_->wants_writer = true;
    }
    auto round = checkpoint(mode);
    {
        const std::lock_guard lock(state_->mutex);
        state_->wants_writer = false;
    }
    state_->changed.notify_all();
    if (round.ok()) round->asked_writer = true;
    return round;
}

base::Result<SqliteCheckpointer::Round> SqliteCheckpointer::checkpoint(int mode) {
    int log = 0;
    int moved = 0;
    const int code = sqlite3_wal_checkpoint_v2(state_->handle.get(), nullptr, mode, &log, &moved);
    // Busy is no failure: somebody was in the way, and the next round goes on.
    if (code != SQLITE_OK && (code & 0xFF) != SQLITE_BUSY) {
        return base::error(Code::io,
                           "cannot checkpoint " + state_->options.path + ": " + sqlite3_errmsg(state_->handle.get()));
    }
    return Round{log, moved, mode != SQLITE_CHECKPOINT_PASSIVE && code == SQLITE_OK};
}

void SqliteCheckpointer::give_way() {
    if (!state_->wants_writer.load(std::memory_order_relaxed)) return;
    std::unique_lock lock(state_->mutex);
    state_->writer_waits_since = SteadyClock::now();
    // The round ends by itself when its patience does; the bound here is for a disk that stands still.
    state_->changed.wait_for(lock, insist_patience.for_the_lock, [&] { return !state_->wants_writer; });
    state_->writer_waits_since.reset();
}

}  // namespace belfry::store
