#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/samples.hpp"
#include "protocols/conversation.hpp"

namespace belfry::bench {

struct FanoutPlan {
    std::uint16_t port = 0;
    std::size_t readers = 1000;
    std::vector<std::string> subscriptions;  // the bytes by which a reader asks for a stream; each in turn
    std::size_t stalled = 0;                 // further readers of the first stream that never read
    std::size_t at_once = 1;                 // events published together; more than 1 is a burst
    double rate = 0;                         // publications a second; 0: the next when every reader has the last
    std::int64_t warm_ns = 0;                // publications of this time are not counted
    std::int64_t run_ns = 0;
};

struct FanoutResult {
    std::uint64_t events = 0;      // published in the counted time
    std::uint64_t deliveries = 0;  // of those events, one for each reader
    std::int64_t elapsed_ns = 0;   // from the first counted publication until the last reader had the last event
    std::int64_t cpu_ns = 0;       // of this program in that time
    Samples complete;              // from an event's publication until the last reader had it
};

// Opens all readers, publishes, and checks that each reader gets each event once and in order: the program ends if
// not. A surplus delivery is waited for at the end.
FanoutResult run_fanout(const FanoutPlan& plan, std::unique_ptr<Conversation> publisher);

// Opens all readers, says "open" on stdout and holds them until stdin ends.
void hold_readers(const FanoutPlan& plan);

}  // namespace belfry::bench
