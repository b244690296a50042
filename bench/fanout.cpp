// bench_fanout: one stream, many readers of server-sent events, and how many deliveries a second reach them.
#include <string>

#include "common/clock.hpp"
#include "common/fail.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "common/socket.hpp"
#include "common/sse_reader.hpp"
#include "fanout_loop.hpp"
#include "protocols/http.hpp"

namespace belfry::bench {

namespace {

struct Server {
    std::string stream;
    HttpDialect dialect;
};

Server server_of(const std::string& protocol, const ConversationPlan& plan) {
    if (protocol == "belfry" && plan.event.of_run) {
        return {"/v1/runs/1/events?from=live", belfry_run_dialect(plan, 1)};
    }
    if (protocol == "belfry") return {"/v1/streams/events?from=live", belfry_dialect(plan)};
    if (protocol == "nchan") return {"/sub/events", nchan_dialect(plan)};
    fail("unknown protocol " + protocol);
}

void run(const Options& options) {
    const std::string protocol = options.text("protocol");
    ConversationPlan each;
    each.port = static_cast<std::uint16_t>(options.number("port"));
    each.token = options.text("token", "");
    each.batch = static_cast<std::size_t>(options.number("at-once", 1));
    each.event.bytes = static_cast<std::size_t>(options.number("bytes", 400));
    const auto runs = static_cast<std::size_t>(options.number("runs", 0));
    each.event.of_run = runs > 0;
    const Server server = server_of(protocol, each);

    FanoutPlan plan;
    plan.port = each.port;
    plan.readers = static_cast<std::size_t>(options.number("readers", 1000));
    plan.subscriptions.push_back(sse_request(plan.port, server.stream, each.token));
    for (std::size_t run = 2; run <= runs; ++run) {
        const std::string stream = "/v1/runs/" + std::to_string(run) + "/events?from=live";
        plan.subscriptions.push_back(sse_request(plan.port, stream, each.token));
    }
    plan.stalled = static_cast<std::size_t>(options.number("stalled", 0));
    plan.at_once = each.batch;
    plan.rate = options.real("rate", 0);
    plan.warm_ns = static_cast<std::int64_t>(options.real("warm", 1) * second_ns);
    plan.run_ns = static_cast<std::int64_t>(options.real("seconds", 5) * second_ns);
    if (plan.at_once == 0 || plan.readers == 0 || plan.run_ns == 0) fail("nothing to do");
    if (options.number("hold", 0) != 0) return hold_readers(plan);

    FanoutResult result = run_fanout(plan, http_conversation(each, server.dialect));
    const double seconds = static_cast<double>(result.elapsed_ns) / second_ns;
    Report()
        .add("protocol", protocol)
        .add("readers", plan.readers)
        .add("at_once", plan.at_once)
        .add("rate", plan.rate)
        .add("event_bytes", each.event.bytes)
        .add("seconds", seconds)
        .add("events", result.events)
        .add("deliveries", result.deliveries)
        .add("deliveries_per_s", static_cast<double>(result.deliveries) / seconds)
        .add("complete_p50_us", result.complete.percentile_us(50))
        .add("complete_p99_us", result.complete.percentile_us(99))
        .add("client_cpu", static_cast<double>(result.cpu_ns) / static_cast<double>(result.elapsed_ns))
        .print();
}

}  // namespace

}  // namespace belfry::bench

int main(int count, char** words) {
    using namespace belfry::bench;
    raise_descriptor_limit();
    run(Options(count, words,
                {"protocol", "port", "token", "readers", "at-once", "rate", "bytes", "seconds", "warm", "hold", "runs",
                 "stalled"}));
    return 0;
}
