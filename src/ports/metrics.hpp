#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace belfry::ports {

// What is counted while Belfry runs. Written from any thread, read by `/metrics`. A counter only grows.
struct Metrics {
    using Counter = std::atomic<std::uint64_t>;

    Counter events_accepted{0};
    Counter events_refused{0};
    Counter events_replayed{0};
    Counter notifications_made{0};
    Counter notifications_gave_way{0};
    Counter notifications_handed_over{0};
    Counter notifications_acknowledged{0};
    Counter runs_created{0};
    Counter run_events{0};
    Counter commands_refused_overload{0};
    Counter commits{0};
    Counter commits_failed{0};
    Counter commits_unknown{0};
    Counter commit_us_total{0};
    Counter store_reopened{0};
    Counter blocks_dropped{0};
    Counter obligations_claimed{0};
    Counter obligations_finished{0};
    Counter obligations_failed{0};

    Counter http_requests{0};
    Counter http_errors_client{0};
    Counter http_errors_server{0};
    Counter http_connections_opened{0};
    Counter http_connections_refused{0};
    Counter authentications_failed{0};
    Counter stream_entries_sent{0};
    Counter stream_readers_opened{0};
    Counter stream_readers_closed_slow{0};
    Counter stream_fetches{0};

    // Gauges
    std::atomic<std::int64_t> connections{0};
    std::atomic<std::int64_t> stream_readers{0};
    std::atomic<std::int64_t> queue_commands{0};
    std::atomic<std::int64_t> queue_bytes{0};

    // Commit latency: counts of commits that took at most so many microseconds; the last bucket takes all.
    static constexpr std::array<std::uint64_t, 10> commit_us_buckets{100,  250,   500,   1000,   2500,
                                                                     5000, 10000, 50000, 250000, 1000000};
    std::array<Counter, commit_us_buckets.size() + 1> commit_us_counts{};
};

}  // namespace belfry::ports
