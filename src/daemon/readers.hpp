#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ports/beside.hpp"

namespace belfry::daemon {

// Threads that read the store beside the engine, each with a connection of its own, opened when it is first needed and
// opened again after a failure.
class Readers final : public ports::Beside {
public:
    using Connect = std::function<base::Result<std::unique_ptr<ports::Reading>>()>;
    using Post = std::function<void(std::function<void()>)>;  // onto the network's thread

    Readers(Connect connect, Post post, std::size_t threads);
    ~Readers() override;

    void read(std::function<void(ports::Reading&)> job, std::function<void()> then) override;
    void stop();

private:
    struct Job {
        std::function<void(ports::Reading&)> work;
        std::function<void()> then;
    };
    void run();

    Connect connect_;
    Post post_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Job> jobs_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace belfry::daemon
