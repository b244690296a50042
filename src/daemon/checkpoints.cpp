#include "daemon/checkpoints.hpp"

#include "base/limits.hpp"

namespace belfry::daemon {

Checkpoints::Checkpoints(const store::StoreLocation& location, host::Logger& log) : log_(log) {
    if (location.backend != store::Backend::sqlite) return;
    store::SqliteCheckpointerOptions options;
    options.path = location.sqlite_path;
    checkpointer_ = std::make_unique<store::SqliteCheckpointer>(std::move(options));
}

void Checkpoints::start() {
    if (checkpointer_) thread_ = std::thread([this] { run(); });
}

void Checkpoints::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    grown_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Checkpoints::notice(std::int64_t pages) {
    {
        const std::lock_guard lock(mutex_);
        pages_ = pages;
    }
    if (pages >= base::limits::wal_checkpoint_pages) grown_.notify_one();
    checkpointer_->give_way();
}

void Checkpoints::run() {
    std::int64_t seen = 0;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            grown_.wait(lock,
                        [&] { return stopping_ || (pages_ >= base::limits::wal_checkpoint_pages && pages_ != seen); });
            if (stopping_) return;
            seen = pages_;
        }
        const auto round = checkpointer_->run_once(seen);
        if (!round.ok()) log_.warning("the write-ahead log could not be folded in", {{"why", round.error().message}});
    }
}

}  // namespace belfry::daemon
