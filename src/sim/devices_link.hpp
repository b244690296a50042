#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/sync_message.hpp"
#include "rules/sync_talk.hpp"
#include "sim/devices_node.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

using Complaints = std::vector<std::string>;

// What can befall a message between two devices. Of a thousand messages, so many.
struct LinkWeather {
    std::uint64_t lost = 0;
    std::uint64_t doubled = 0;
    std::uint64_t reordered = 0;  // comes later than it should, and others before it
    base::Duration delay_max;
};

// A link between two devices: on both ends the talk that decides what is said, between them a way on which messages are
// lost, doubled, late and in any order. What the talks want of their engines is done here.
class DevicesLink {
public:
    struct Tally {
        std::uint64_t opened = 0;
        std::uint64_t cut = 0;
        std::uint64_t messages = 0;
        std::uint64_t frames = 0;
        std::uint64_t whole_pages = 0;
        std::uint64_t units = 0;
        std::uint64_t records = 0;  // that were new or changed something
        std::uint64_t merged = 0;   // of them, that both had changed
        std::uint64_t lost = 0;
        std::uint64_t doubled = 0;
        std::uint64_t reordered = 0;
        std::uint64_t gaps = 0;       // ranges that an acknowledgement missed
        std::uint64_t confirmed = 0;  // ranges that were said to be gone for good
        std::uint64_t refused = 0;
        std::uint64_t bytes = 0;

        Tally& operator+=(const Tally& other);
    };

    DevicesLink(DeviceNode& a, DeviceNode& b, SeededRandom random) : ends_{End{a}, End{b}}, random_(random) {}

    [[nodiscard]] bool is_open() const { return ends_[0].talk != nullptr; }
    [[nodiscard]] bool joins(const DeviceNode& device) const {
        return ends_[0].device == &device || ends_[1].device == &device;
    }
    void open(base::Timestamp now);
    // Whatever is on its way is lost.
    void cut();
    // Everything that has arrived by now, and what is said to it. How much that was.
    std::size_t carry(base::Timestamp now, const LinkWeather& weather);
    // There is something new on a device.
    void changed(const DeviceNode& device);
    void tick();
    [[nodiscard]] bool is_quiet() const;

    [[nodiscard]] const Tally& tally() const { return tally_; }
    // Words with which a link was ended that should not have been, since the last time.
    Complaints take_refusals() { return std::exchange(refusals_, {}); }

    // A mistake that is made on purpose, to see that it is found.
    std::function<void(model::SyncMessage&)> spoil;

private:
    void tell_end();
    struct Letter {
        base::Timestamp arrives;
        std::uint64_t number = 0;
        std::string bytes;
    };
    struct End {
        explicit End(DeviceNode& node) : device(&node) {}
        DeviceNode* device;
        std::unique_ptr<rules::SyncTalk> talk = {};
        std::vector<Letter> arriving = {};
    };

    bool greet(End& end, const End& other);
    void serve(std::size_t from, base::Timestamp now, const LinkWeather& weather);
    void carry_out(std::size_t from, rules::SyncTalk::Wish& wish, base::Timestamp now, const LinkWeather& weather);
    void give(End& end, const End& other);
    void take(End& end, const End& other, model::SyncFrame frame);
    void post(End& to, model::SyncMessage message, base::Timestamp now, const LinkWeather& weather);
    void count(const model::SyncMessage& message);
    bool hear_next(End& end, base::Timestamp now);
    [[nodiscard]] bool has_died() const { return ends_[0].device->is_dead() || ends_[1].device->is_dead(); }

    std::array<End, 2> ends_;
    SeededRandom random_;
    std::uint64_t letters_ = 0;
    Tally tally_;
    Complaints refusals_;
};

}  // namespace belfry::sim
