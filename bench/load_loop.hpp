#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "common/samples.hpp"
#include "protocols/conversation.hpp"

namespace belfry::bench {

struct LoadPlan {
    std::uint16_t port = 0;
    std::size_t connections = 64;
    std::size_t batch = 1;     // events in one request
    std::int64_t warm_ns = 0;  // answered in this time: not counted
    std::int64_t run_ns = 0;   // answered in this time: counted
    std::uint64_t events = 0;  // not 0: so many events and no more, all counted, however long it takes
};

struct LoadResult {
    std::uint64_t requests = 0;  // answered in the counted time
    std::uint64_t events = 0;
    std::uint64_t events_total = 0;  // acknowledged since the beginning: so many must be in the store
    std::int64_t elapsed_ns = 0;
    std::int64_t cpu_ns = 0;  // of this program, in the counted time
    Samples latency;
};

// Runs all connections on this thread. Each is a closed loop: a request, its answer, the next request. At the end no
// request is left unanswered, so what the server acknowledged can be compared with what it holds.
LoadResult run_load(const LoadPlan& plan, const std::function<std::unique_ptr<Conversation>(std::size_t)>& make);

}  // namespace belfry::bench
