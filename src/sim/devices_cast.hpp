#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/timer.hpp"
#include "model/wake.hpp"
#include "sim/devices_node.hpp"
#include "sim/devices_witness.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// The people who use the devices, on whichever they have at hand: they make, change, link and delete what they have
// there, often the same on two devices that are apart.
class DevicesCast {
public:
    static constexpr const char* worker_agents[] = {"coach", "planner"};
    static constexpr const char* victim = "victim";  // an agent that is destroyed some time

    DevicesCast(SeededRandom random, DevicesWitness& witness) : random_(random), witness_(witness) {}

    // Agents, categories and timers, on the first of the devices; the others hear of them.
    void make_beginning(DeviceNode& device);
    void act(DeviceNode& device);
    // Somebody wants to be forgotten; seldom.
    void erase(DeviceNode& device);

private:
    void write_own(DeviceNode& device);
    void write_task(DeviceNode& device);
    void write_other(DeviceNode& device);
    void write_plan(DeviceNode& device);
    void link(DeviceNode& device);
    void change_agent(DeviceNode& device);
    void change_state(DeviceNode& device);
    void change_timer(DeviceNode& device);
    void change_subscription(DeviceNode& device);
    void mark_read(DeviceNode& device);
    std::string some_text();
    std::string some_task();
    std::string some_agent();

    SeededRandom random_;
    DevicesWitness& witness_;
    std::uint64_t texts_ = 0;
    std::map<std::size_t, std::uint64_t> own_;  // how many tasks of its own a device has made
    std::vector<std::pair<std::string, model::TimerId>> timers_;
    std::vector<std::pair<std::string, model::SubscriptionId>> subscriptions_;
};

}  // namespace belfry::sim
