#include "daemon/checkpoints.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/limits.hpp"

namespace belfry::daemon {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr auto fold_pause_min = std::chrono::milliseconds(500);
constexpr auto fold_pause_max = std::chrono::milliseconds(60'000);

}  // namespace

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

void Checkpoints::fold_soon() {
    if (!checkpointer_) return;
    {
        const std::lock_guard lock(mutex_);
        wants_fold_ = true;
    }
    grown_.notify_one();
}

void Checkpoints::run() {
    std::int64_t seen = 0;
    // A reader may be in the way of a fold; it is tried again, ever less often.
    std::optional<SteadyClock::time_point> fold_at;
    auto pause = fold_pause_min;
    while (true) {
        bool grown = false;
        {
            std::unique_lock lock(mutex_);
            const auto has_grown = [&] { return pages_ >= base::limits::wal_checkpoint_pages && pages_ != seen; };
            const auto is_woken = [&] { return stopping_ || wants_fold_ || has_grown(); };
            if (fold_at) grown_.wait_until(lock, *fold_at, is_woken);
            else grown_.wait(lock, is_woken);
            if (stopping_) return;
            grown = has_grown();
            if (grown) seen = pages_;
            if (wants_fold_) {
                fold_at = SteadyClock::now();
                pause = fold_pause_min;
                wants_fold_ = false;
            }
        }
        if (grown) move(seen);
        if (!fold_at || SteadyClock::now() < *fold_at) continue;
        fold_at.reset();
        if (fold()) continue;
        fold_at = SteadyClock::now() + pause;
        pause = std::min(pause * 2, fold_pause_max);
    }
}

void Checkpoints::move(std::int64_t pages) {
    const auto round = checkpointer_->run_once(pages);
    if (!round.ok()) log_.warning("the write-ahead log could not be folded in", {{"why", round.error().message}});
}

bool Checkpoints::fold() {
    const auto round = checkpointer_->fold_in();
    if (!round.ok()) log_.warning("the write-ahead log could not be emptied", {{"why", round.error().message}});
    return round.ok() && round->restarted;
}

}  // namespace belfry::daemon
