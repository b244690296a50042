// bench_load: many producers on one thread against one server, and what it took of them a second.
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "common/socket.hpp"
#include "load_loop.hpp"
#include "protocols/http.hpp"
#include "protocols/nats.hpp"
#include "protocols/postgres.hpp"
#include "protocols/redis.hpp"

namespace belfry::bench {

namespace {

std::unique_ptr<Conversation> make_conversation(const std::string& protocol, const ConversationPlan& plan) {
    if (protocol == "belfry") return http_conversation(plan, belfry_dialect(plan));
    if (protocol == "redis") return redis_conversation(plan);
    if (protocol == "nats") return nats_conversation(plan);
    if (protocol == "postgres") return postgres_conversation(plan);
    fail("unknown protocol " + protocol);
}

// Runs 1, 2, 3 … are divided among the producers; with fewer runs than producers several share one.
std::unique_ptr<Conversation> run_conversation(const ConversationPlan& plan, std::size_t runs, std::size_t producer,
                                               std::size_t producers) {
    std::vector<std::unique_ptr<Conversation>> all;
    for (std::size_t run = producer % runs; run < runs; run += producers) {
        all.push_back(http_conversation(plan, belfry_run_dialect(plan, run + 1)));
    }
    return rotating_conversation(std::move(all));
}

void run(const Options& options) {
    const std::string protocol = options.text("protocol");
    LoadPlan plan;
    plan.port = static_cast<std::uint16_t>(options.number("port"));
    plan.connections = static_cast<std::size_t>(options.number("connections", 64));
    plan.batch = static_cast<std::size_t>(options.number("batch", 1));
    plan.run_ns = static_cast<std::int64_t>(options.real("seconds", 5) * second_ns);
    plan.warm_ns = static_cast<std::int64_t>(options.real("warm", 1) * second_ns);
    plan.events = static_cast<std::uint64_t>(options.number("events", 0));
    if (plan.batch == 0 || plan.connections == 0 || plan.run_ns == 0) fail("nothing to do");

    ConversationPlan each;
    each.port = plan.port;
    each.batch = plan.batch;
    each.token = options.text("token", "");
    each.event.bytes = static_cast<std::size_t>(options.number("bytes", 400));
    each.event.with_id = options.number("ids", 0) != 0;
    each.event.run = static_cast<std::uint64_t>(now_ns());
    const auto runs = static_cast<std::size_t>(options.number("runs", 0));
    each.event.of_run = runs > 0;
    LoadResult result = run_load(plan, [&](std::size_t i) {
        each.event.producer = i;
        if (runs > 0) return run_conversation(each, runs, i, plan.connections);
        return make_conversation(protocol, each);
    });

    const double seconds = static_cast<double>(result.elapsed_ns) / second_ns;
    Report()
        .add("protocol", protocol)
        .add("connections", plan.connections)
        .add("batch", plan.batch)
        .add("event_bytes", each.event.bytes)
        .add("seconds", seconds)
        .add("requests", result.requests)
        .add("events", result.events)
        .add("events_total", result.events_total)
        .add("events_per_s", static_cast<double>(result.events) / seconds)
        .add("p50_us", result.latency.percentile_us(50))
        .add("p99_us", result.latency.percentile_us(99))
        .add("client_cpu", static_cast<double>(result.cpu_ns) / static_cast<double>(result.elapsed_ns))
        .print();
}

}  // namespace

}  // namespace belfry::bench

int main(int count, char** words) {
    using namespace belfry::bench;
    raise_descriptor_limit();
    run(Options(
        count, words,
        {"protocol", "port", "connections", "batch", "seconds", "warm", "events", "token", "bytes", "ids", "runs"}));
    return 0;
}
