#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "ports/beside.hpp"
#include "ports/clock.hpp"

namespace belfry::daemon {

// Threads that read the store beside the engine, each with a connection of its own, opened when it is first needed and
// opened again after a failure. Where that fails and takes its time, one thread tries again every other second; who
// asks meanwhile is told at once that it failed, and does not wait for his turn to try.
class Readers final : public ports::Beside {
public:
    using Connect = std::function<base::Result<std::unique_ptr<ports::Reading>>()>;
    using Post = std::function<void(std::function<void()>)>;  // onto the network's thread

    Readers(Connect connect, Post post, const ports::Clock& clock, std::size_t threads);
    ~Readers() override;

    void read(std::function<void(ports::Reading&)> job, std::function<void()> then) override;
    void stop();

private:
    struct Job {
        std::function<void(ports::Reading&)> work;
        std::function<void()> then;
    };
    void run();
    // Another connection, unless it is known that there is none to be had.
    base::Result<std::unique_ptr<ports::Reading>> connect();

    Connect connect_;
    Post post_;
    const ports::Clock& clock_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Job> jobs_;
    bool stopping_ = false;
    std::optional<base::Error> failure_;  // of the last attempt to connect
    base::Duration try_again_at_;         // on the monotonic clock
    bool is_trying_ = false;              // some thread, after a failure
    std::vector<std::thread> threads_;
};

}  // namespace belfry::daemon
