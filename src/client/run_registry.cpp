#include "client/run_registry.hpp"

#include <algorithm>
#include <utility>

namespace belfry::client {
namespace {

base::Result<void> check(RunId run_id) {
    if (run_id > 0) return {};
    return base::error(base::Code::invalid, "run_id must be positive, not " + std::to_string(run_id), "run_id");
}

template <class Function>
std::shared_ptr<const Function> shared(Function&& function) {
    if (!function) return nullptr;
    return std::make_shared<const Function>(std::forward<Function>(function));
}

}  // namespace

// Whatever is replaced is handed out and dies with the caller's variable, outside the lock.
base::Result<void> RunRegistry::register_callback(RunId run_id, EventCallback callback) {
    TRY(check(run_id));
    std::shared_ptr<const EventCallback> passing = shared(std::move(callback));
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[run_id];
    entry.callback.swap(passing);
    if (entry.is_idle()) entries_.erase(run_id);
    return {};
}

base::Result<void> RunRegistry::register_checker(RunId run_id, CancellationChecker checker) {
    TRY(check(run_id));
    std::shared_ptr<const CancellationChecker> passing = shared(std::move(checker));
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[run_id];
    entry.checker.swap(passing);
    if (entry.is_idle()) entries_.erase(run_id);
    return {};
}

base::Result<RunRegistration> RunRegistry::enter(RunId run_id, EventCallback callback, CancellationChecker checker) {
    TRY(check(run_id));
    Entry passing{shared(std::move(callback)), shared(std::move(checker)), 0};
    std::uint64_t entered = 0;
    {
        const std::lock_guard lock(mutex_);
        entered = passing.entered = ++last_entered_;
        std::swap(entries_[run_id], passing);
    }
    return RunRegistration(*this, run_id, entered);
}

void RunRegistry::deregister(RunId run_id) {
    Entry passing;
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(run_id);
    if (found == entries_.end()) return;
    // Whoever has entered the run is still inside, and takes what is registered from here on along when it leaves.
    passing.entered = found->second.entered;
    std::swap(passing, found->second);
    if (found->second.is_idle()) entries_.erase(found);
}

void RunRegistry::leave(RunId run_id, std::uint64_t entered) {
    Entry passing;
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(run_id);
    if (found == entries_.end() || found->second.entered != entered) return;
    std::swap(passing, found->second);
    entries_.erase(found);
}

std::shared_ptr<const EventCallback> RunRegistry::callback(RunId run_id) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(run_id);
    return found == entries_.end() ? nullptr : found->second.callback;
}

std::shared_ptr<const CancellationChecker> RunRegistry::checker(RunId run_id) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(run_id);
    return found == entries_.end() ? nullptr : found->second.checker;
}

bool RunRegistry::emit(const RunEvent& event) {
    const auto to = callback(event.run_id);
    if (!to) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    (*to)(event);
    return true;
}

bool RunRegistry::is_cancelled(RunId run_id) const {
    const auto ask = checker(run_id);
    return ask && (*ask)();
}

std::size_t RunRegistry::size() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::ranges::count_if(entries_, [](const auto& run) { return run.second.callback || run.second.checker; }));
}

RunRegistration::RunRegistration(RunRegistration&& other) noexcept
    : registry_(std::exchange(other.registry_, nullptr)), run_id_(other.run_id_), entered_(other.entered_) {}

RunRegistration& RunRegistration::operator=(RunRegistration&& other) noexcept {
    if (this == &other) return *this;
    end();
    registry_ = std::exchange(other.registry_, nullptr);
    run_id_ = other.run_id_;
    entered_ = other.entered_;
    return *this;
}

void RunRegistration::end() {
    if (registry_ == nullptr) return;
    std::exchange(registry_, nullptr)->leave(run_id_, entered_);
}

}  // namespace belfry::client
