#pragma once

#include <atomic>
#include <functional>

#include "daemon/command_queue.hpp"

namespace belfry::daemon {

// The queue as the network's thread uses it. Requests come in bunches, all that were ready at one look at the sockets;
// the engine is woken once for a bunch, after it, so that they share a commit.
class NetworkGate final : public ports::Gateway {
public:
    using Soon =
        std::function<void(std::function<void()>)>;  // runs it on the network's thread, after what is ready now

    NetworkGate(CommandQueue& queue, Soon soon) : queue_(queue), soon_(std::move(soon)) {}

    base::Result<void> submit(ports::AnyCommand& command) override {
        if (stalls_) return base::error(base::Code::unavailable, "the store does not answer; try again later");
        TRY(queue_.put(command));
        if (rings_soon_) return {};
        rings_soon_ = true;
        soon_([this] {
            rings_soon_ = false;
            queue_.ring();
        });
        return {};
    }

    // While the engine waits for a store that does not answer nobody else begins to. From any thread.
    void set_stalls(bool stalls) { stalls_ = stalls; }

private:
    CommandQueue& queue_;
    Soon soon_;
    std::atomic<bool> stalls_{false};
    bool rings_soon_ = false;
};

}  // namespace belfry::daemon
