#include "daemon/couriers.hpp"

#include <chrono>

namespace belfry::daemon {

Couriers::Couriers(std::size_t threads) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
}

Couriers::~Couriers() {
    stop();
}

void Couriers::run(Work work) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
        waiting_.push_back(std::move(work));
    }
    arrived_.notify_one();
}

void Couriers::stop(base::Duration patience) {
    {
        std::unique_lock lock(mutex_);
        stopping_ = true;
        waiting_.clear();
        ended_.wait_for(lock, std::chrono::microseconds(patience.us), [this] { return under_way_ == 0; });
    }
    interrupt_.raise();
    arrived_.notify_all();
    for (std::thread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

void Couriers::serve() {
    while (true) {
        Work work;
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
            if (stopping_) return;
            work = std::move(waiting_.front());
            waiting_.pop_front();
            ++under_way_;
        }
        work(interrupt_);
        const std::lock_guard lock(mutex_);
        --under_way_;
        ended_.notify_all();
    }
}

}  // namespace belfry::daemon
