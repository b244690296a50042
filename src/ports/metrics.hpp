#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace belfry::ports {

// How long something took: counts of what took at most so many microseconds; the last one takes all.
template <std::size_t size>
struct Histogram {
    std::array<std::uint64_t, size> bounds_us;
    std::array<std::atomic<std::uint64_t>, size + 1> counts{};
    std::atomic<std::uint64_t> us_total{0};

    void observe(std::uint64_t us) {
        us_total.fetch_add(us, std::memory_order_relaxed);
        const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(bounds_us, us) - bounds_us.begin());
        counts[bucket].fetch_add(1, std::memory_order_relaxed);
    }
};

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

    // Of links with other devices; bytes before they are packed.
    Counter sync_links_opened{0};
    Counter sync_refusals{0};
    Counter sync_messages_sent{0};
    Counter sync_messages_received{0};
    Counter sync_bytes_sent{0};
    Counter sync_bytes_received{0};
    Counter sync_records_taken{0};
    Counter sync_records_merged{0};

    // Gauges
    std::atomic<std::int64_t> connections{0};
    std::atomic<std::int64_t> stream_readers{0};
    std::atomic<std::int64_t> queue_commands{0};
    std::atomic<std::int64_t> queue_bytes{0};
    std::atomic<std::int64_t> sync_links{0};

    Histogram<10> commit{{100, 250, 500, 1000, 2500, 5000, 10000, 50000, 250000, 1000000}};
    // From a whole request to its answer; streams have none.
    Histogram<12> http{{100, 250, 500, 1000, 2500, 5000, 10000, 25000, 100000, 500000, 2500000, 10000000}};
    // From the event, as its id tells its time, until its notification was shown or had arrived.
    Histogram<12> delivery{{10'000, 50'000, 100'000, 500'000, 1'000'000, 2'500'000, 5'000'000, 15'000'000, 60'000'000,
                            300'000'000, 1'800'000'000, 21'600'000'000}};
};

}  // namespace belfry::ports
