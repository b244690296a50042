#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "observation.hpp"
#include "schedule.hpp"

namespace observer::sim {

// The order and the time at which a request left.
struct Began {
    std::uint64_t order = 0;
    std::int64_t ms = -1;
};

// Records what the parties of a simulated world see, in one order.
class Recorder {
public:
    explicit Recorder(const Schedule& schedule) : schedule_(schedule) {}

    Began tick() { return {++order_, now_ms()}; }

    void add(const std::string& actor, Body body, Began began = {}) {
        Observation& seen = seen_.emplace_back();
        seen.order = ++order_;
        seen.began = began.order;
        seen.at_ms = now_ms();
        seen.began_ms = began.ms;
        seen.actor = actor;
        seen.body = std::move(body);
    }

    // Returns 1, 2, 3 … for each name.
    std::uint64_t count(const std::string& name) { return ++counts_[name]; }
    std::string mark(char letter) {
        std::string made{'#', letter};
        return made + std::to_string(count(made)) + '#';
    }

    [[nodiscard]] std::int64_t now_ms() const { return schedule_.now_us() / 1000; }
    [[nodiscard]] const std::deque<Observation>& all() const { return seen_; }

private:
    const Schedule& schedule_;
    std::uint64_t order_ = 0;
    std::deque<Observation> seen_;
    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace observer::sim
