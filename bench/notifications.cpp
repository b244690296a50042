// bench_notifications: events through match, dedupe, batch, render and commit, by the engine over its store on the
// disk. One thread decides; the one that brings SQLite's log back into the database runs beside it, as in the daemon.
#include <string>
#include <unistd.h>

#include "common/fail.hpp"
#include "common/options.hpp"
#include "common/report.hpp"
#include "notifications/run_engine.hpp"

namespace belfry::bench {
namespace {

void measure(EngineRun plan, std::size_t subscribers, std::int64_t round) {
    EngineFigures figures = run_engine(plan);
    Report()
        .add("mix", plan.mix == MixKind::usual ? "usual" : "worst")
        .add("subscribers", plan.subscribers->subscribers.size())
        .add("asked_subscribers", subscribers)
        .add("round", round)
        .add("events", plan.events)
        .add("wanted", figures.wanted)
        .add("notifications", figures.notifications)
        .add("events_per_s", static_cast<double>(plan.events) / figures.seconds)
        .add("notifications_per_s", static_cast<double>(figures.notifications) / figures.seconds)
        .add("events_per_cpu_s", static_cast<double>(plan.events) / figures.cpu_seconds)
        .add("commits", figures.commits)
        .add("groups", figures.groups)
        .add("group_p50_us", figures.group.percentile_us(50))
        .add("group_p99_us", figures.group.percentile_us(99))
        .add("store_mb", static_cast<double>(figures.store_bytes) / 1e6)
        .print();
}

void run(const Options& options) {
    EngineRun plan;
    plan.folder = options.text("folder") + "/bench-notifications-" + std::to_string(getpid());
    const std::int64_t few = options.number("few", 10);
    const std::int64_t many = options.number("many", 100'000);
    const auto few_subscribers = catalogue_of(static_cast<std::size_t>(few));
    const auto many_subscribers = many > 0 ? catalogue_of(static_cast<std::size_t>(many)) : nullptr;
    for (std::int64_t round = 0; round < options.number("rounds", 1); ++round) {
        plan.mix = MixKind::usual;
        plan.events = static_cast<std::uint64_t>(options.number("events", 1'000'000));
        plan.subscribers = few_subscribers;
        if (plan.events > 0) measure(plan, static_cast<std::size_t>(few), round);
        plan.subscribers = many_subscribers;
        if (plan.events > 0 && many > 0) measure(plan, static_cast<std::size_t>(many), round);
        plan.mix = MixKind::worst;
        plan.events = static_cast<std::uint64_t>(options.number("worst-events", 100'000));
        plan.subscribers = few_subscribers;
        if (plan.events > 0) measure(plan, static_cast<std::size_t>(few), round);
    }
}

}  // namespace
}  // namespace belfry::bench

int main(int count, char** words) {
    using namespace belfry::bench;
    run(Options(count, words, {"folder", "events", "worst-events", "rounds", "few", "many"}));
    return 0;
}
