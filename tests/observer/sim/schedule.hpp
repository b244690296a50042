#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace observer::sim {

// Steady time of a simulated world, in microseconds, and the actions that wait for their time. Actions of one instant
// run in the order in which they were added.
class Schedule {
public:
    using Action = std::function<void()>;

    void after(std::int64_t delay_us, Action action) {
        waiting_.push({now_us_ + (delay_us > 0 ? delay_us : 0), ++added_, std::move(action)});
    }
    [[nodiscard]] bool is_empty() const { return waiting_.empty(); }
    [[nodiscard]] std::int64_t next_us() const { return waiting_.top().at_us; }
    [[nodiscard]] std::int64_t now_us() const { return now_us_; }
    void advance_to(std::int64_t at_us) {
        if (at_us > now_us_) now_us_ = at_us;
    }
    // Runs the first action. Its time has come.
    void run_next() {
        const Action action = std::move(const_cast<Waiting&>(waiting_.top()).action);
        waiting_.pop();
        action();
    }

private:
    struct Waiting {
        std::int64_t at_us = 0;
        std::uint64_t number = 0;
        Action action;
        bool operator<(const Waiting& other) const {  // the queue has the greatest first
            return std::pair(at_us, number) > std::pair(other.at_us, other.number);
        }
    };
    std::int64_t now_us_ = 0;
    std::uint64_t added_ = 0;
    std::priority_queue<Waiting> waiting_;
};

}  // namespace observer::sim
