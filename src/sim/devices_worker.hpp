#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/agent_message.hpp"
#include "model/wake.hpp"
#include "sim/devices_node.hpp"
#include "sim/devices_witness.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// Whoever works for the agents on one device: he claims what wakes them, plans, calls tools and tells what he thinks.
// What he does comes of the run alone, as with one who follows a script.
class DevicesWorker {
public:
    DevicesWorker(SeededRandom random, DevicesWitness& witness) : random_(random), witness_(witness) {}

    // The next thing; true where there was one.
    bool work(DeviceNode& device);
    // He dies with his device, and the next one knows nothing.
    void forget() { held_.reset(); }
    [[nodiscard]] bool is_at_work() const { return held_.has_value(); }

    // Tools that others carry out are known on each device by itself.
    static void register_tools(DeviceNode& device);

private:
    struct Held {
        model::Wake wake;
        std::vector<model::PlannedAction> actions;
        bool is_planned = false;
        std::size_t done = 0;
        bool has_thought = false;
    };

    bool claim(DeviceNode& device);
    void plan(DeviceNode& device);
    void call(DeviceNode& device);
    void carry_out(DeviceNode& device, const model::PlannedAction& action);
    void think(DeviceNode& device);
    void end(DeviceNode& device);
    [[nodiscard]] static std::string title_of(const model::Wake& wake) { return "run " + wake.run_key; }

    SeededRandom random_;
    DevicesWitness& witness_;
    std::optional<Held> held_;
};

}  // namespace belfry::sim
