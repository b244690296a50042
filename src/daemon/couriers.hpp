#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/time.hpp"
#include "wire/interrupt.hpp"

namespace belfry::daemon {

// Threads for calls that wait for somebody else: a server, a program. When Belfry stops, what has not begun is dropped,
// and what is under way is interrupted unless it ends in time.
class Couriers {
public:
    using Work = std::function<void(const wire::Interrupt&)>;

    explicit Couriers(std::size_t threads);
    ~Couriers();

    void run(Work work);
    [[nodiscard]] std::size_t threads() const { return threads_.size(); }
    void stop(base::Duration patience = {});

private:
    void serve();

    wire::Interrupt interrupt_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::condition_variable ended_;
    std::deque<Work> waiting_;
    std::size_t under_way_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace belfry::daemon
