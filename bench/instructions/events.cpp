#include <memory>
#include <vector>

#include "common/event_bytes.hpp"
#include "common/fail.hpp"
#include "instructions/count.hpp"
#include "instructions/http_client.hpp"
#include "instructions/in_process_daemon.hpp"
#include "instructions/paths.hpp"

namespace belfry::bench {
namespace {

constexpr std::size_t batch_events = 100;
constexpr std::size_t followers = 1000;

std::string batch_of(const std::string& event, std::size_t count) {
    std::string batch = "[";
    for (std::size_t i = 0; i < count; ++i) batch.append(i == 0 ? "" : ",").append(event);
    return batch + "]";
}

void count_requests(const std::string& folder, const char* path, const std::string& body, const Rounds& rounds) {
    InProcessDaemon daemon(folder);
    HttpClient client(daemon, daemon.token());
    Template bytes(client.request("POST", "/v1/events", body), places_in({}));
    const std::uint64_t events = path == std::string_view("ingest") ? 1 : batch_events;
    count(path, rounds,
          [&](std::int64_t i) { client.send(bytes.numbered(static_cast<std::uint64_t>(i) * events), "201"); });
}

}  // namespace

void count_ingest(const std::string& folder) {
    count_requests(folder, "ingest", event_json({}), {50, 200});
}

void count_batch_ingest(const std::string& folder) {
    count_requests(folder, "batch_ingest", batch_of(event_json({}), batch_events), {5, 20});
}

void count_fan_out(const std::string& folder) {
    InProcessDaemon daemon(folder);
    HttpClient client(daemon, daemon.token());
    std::vector<std::unique_ptr<HttpClient>> readers;
    for (std::size_t i = 0; i < followers; ++i) {
        readers.push_back(std::make_unique<HttpClient>(daemon, daemon.token()));
        readers.back()->follow("events");
    }
    Template bytes(client.request("POST", "/v1/events", event_json({})), places_in({}));
    const Rounds rounds{5, 20};
    const std::size_t before = readers.back()->output_bytes();
    count("fan_out", rounds,
          [&](std::int64_t i) { client.send(bytes.numbered(static_cast<std::uint64_t>(i)), "201"); });
    const std::size_t told = readers.back()->output_bytes() - before;
    if (told < event_json({}).size() * static_cast<std::size_t>(rounds.all()))
        fail("a follower missed events: " + std::to_string(told));
}

}  // namespace belfry::bench
