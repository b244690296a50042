#include "daemon/command_queue.hpp"

#include <chrono>

#include "base/limits.hpp"

namespace belfry::daemon {

base::Result<void> CommandQueue::submit(ports::AnyCommand& command) {
    TRY(put(command));
    ring();
    return {};
}

base::Result<void> CommandQueue::put(ports::AnyCommand& command) {
    const std::lock_guard lock(mutex_);
    if (closed_) return base::error(base::Code::unavailable, "Belfry is stopping");
    const std::size_t waiting = control_.commands.size() + data_.commands.size();
    if (waiting >= commands_max_ || bytes_ + command->bytes > bytes_max_) {
        ++metrics_.commands_refused_overload;
        return base::error(base::Code::overloaded, "the queue is full (" + std::to_string(waiting) + " commands, " +
                                                       std::to_string(bytes_) + " bytes); try again shortly");
    }
    bytes_ += command->bytes;
    const std::uint64_t producer = command->producer;
    // A control command goes ahead of others' data, but stays behind earlier data of its own producer.
    const bool ahead = command->lane == ports::Lane::control && !data_of_producer_.contains(producer);
    if (!ahead && producer != 0) ++data_of_producer_[producer];
    (ahead ? control_ : data_).commands.push_back(std::move(command));
    return {};
}

void CommandQueue::ring() {
    {
        const std::lock_guard lock(mutex_);
        if (!engine_waits_) return;
        engine_waits_ = false;
    }
    arrived_.notify_one();
}

bool CommandQueue::take_from(Lane& lane, std::vector<ports::AnyCommand>& group, std::size_t& bytes) {
    while (!lane.commands.empty()) {
        const std::size_t size = lane.commands.front()->bytes;
        const bool is_full = group.size() >= base::limits::group_commands_max ||
                             (!group.empty() && bytes + size > base::limits::group_bytes_max);
        if (is_full) return false;
        bytes += size;
        bytes_ -= size;
        if (&lane == &data_ && lane.commands.front()->producer != 0) {
            const auto count = data_of_producer_.find(lane.commands.front()->producer);
            if (--count->second == 0) data_of_producer_.erase(count);
        }
        group.push_back(std::move(lane.commands.front()));
        lane.commands.pop_front();
    }
    return true;
}

std::vector<ports::AnyCommand> CommandQueue::take(base::Duration patience) {
    std::unique_lock lock(mutex_);
    const auto has_something = [this] { return !control_.commands.empty() || !data_.commands.empty() || closed_; };
    if (!has_something()) {
        const auto is_woken = [&] {
            engine_waits_ = !has_something();
            return !engine_waits_;
        };
        arrived_.wait_for(lock, std::chrono::microseconds(patience.us), is_woken);
        engine_waits_ = false;
    }
    std::vector<ports::AnyCommand> group;
    group.reserve(64);
    std::size_t bytes = 0;
    if (take_from(control_, group, bytes)) take_from(data_, group, bytes);
    metrics_.queue_commands = static_cast<std::int64_t>(control_.commands.size() + data_.commands.size());
    metrics_.queue_bytes = static_cast<std::int64_t>(bytes_);
    return group;
}

void CommandQueue::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    arrived_.notify_all();
}

bool CommandQueue::is_drained() const {
    const std::lock_guard lock(mutex_);
    return closed_ && control_.commands.empty() && data_.commands.empty();
}

}  // namespace belfry::daemon
