#pragma once

#include <deque>
#include <string>
#include <vector>

#include "sim/places.hpp"
#include "sim/random.hpp"
#include "sim/sent.hpp"

namespace belfry::sim {

// What agents' runtimes, conversations and people come up with. Agents remember what they were handed, and confirm it
// late, twice, under an old lease, or not at all.
class Agents {
public:
    Agents(SeededRandom random, const Places& places) : random_(random), places_(places) {}

    Sent act();
    SentPull pull();
    SentAcknowledge acknowledge();
    void handed(const SentPull& sent, const ports::PullReply& reply);
    [[nodiscard]] bool has_something() const { return !handed_.empty(); }

private:
    struct HandedOver {
        std::string session_id;
        base::Uuid pull_id;
        std::vector<ports::Acknowledge::Item> items;  // those that were not part of a summary
    };

    const HandedOver& some_handed();
    Sent report();
    Sent settings();
    std::string session();

    SeededRandom random_;
    const Places& places_;
    std::deque<HandedOver> handed_;
    std::uint64_t count_ = 0;
};

}  // namespace belfry::sim
