#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/time.hpp"
#include "ports/commands/command.hpp"
#include "ports/metrics.hpp"

namespace belfry::daemon {

// Where commands wait for the engine: bounded in number and bytes, two lanes. A full queue refuses; a queue that is
// closed refuses too, and is then emptied by the engine.
class CommandQueue final : public ports::Gateway {
public:
    CommandQueue(ports::Metrics& metrics, std::size_t commands_max, std::size_t bytes_max)
        : metrics_(metrics), commands_max_(commands_max), bytes_max_(bytes_max) {}

    base::Result<void> submit(ports::AnyCommand& command) override;

    // The same in two halves, for a producer with several commands at hand: put them all, then ring once.
    base::Result<void> put(ports::AnyCommand& command);
    void ring();

    // The next group: all that waits, up to the bounds of a group; waits for it at most `patience`. Empty when the
    // time is over, or when the queue is closed and empty.
    std::vector<ports::AnyCommand> take(base::Duration patience);

    void close();
    [[nodiscard]] bool is_drained() const;

private:
    struct Lane {
        std::deque<ports::AnyCommand> commands;
    };
    bool take_from(Lane& lane, std::vector<ports::AnyCommand>& group, std::size_t& bytes);

    ports::Metrics& metrics_;
    std::size_t commands_max_;
    std::size_t bytes_max_;

    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    Lane control_;
    Lane data_;
    std::unordered_map<std::uint64_t, std::size_t> data_of_producer_;  // how many of his wait in the data lane
    std::size_t bytes_ = 0;
    bool closed_ = false;
    bool engine_waits_ = false;
};

}  // namespace belfry::daemon
