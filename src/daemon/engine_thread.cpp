#include "daemon/engine_thread.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "base/timer_limits.hpp"

namespace belfry::daemon {
namespace {

// A machine that was asleep for less has kept its connections.
constexpr base::Duration sleep_min = base::seconds(5);

}  // namespace

base::Duration patience_until(std::optional<base::Timestamp> due, base::Timestamp now) {
    constexpr base::Duration most = base::limits::watch_pause_max;
    return due ? std::clamp(*due - now, base::Duration{0}, most) : most;
}

bool has_slept(base::Duration jumped) {
    return jumped > sleep_min;
}

EngineThread::EngineThread(engine::Engine& engine, CommandQueue& queue, const ports::Clock& clock,
                           ports::Metrics& metrics, HandOver hand_over)
    : engine_(engine), queue_(queue), clock_(clock), metrics_(metrics), hand_over_(std::move(hand_over)) {}

EngineThread::~EngineThread() {
    drain();
}

void EngineThread::start() {
    thread_ = std::thread([this] { run(); });
}

void EngineThread::drain() {
    queue_.close();
    if (thread_.joinable()) thread_.join();
}

base::Timestamp EngineThread::look_at_clock() {
    const base::Timestamp now = clock_.now();
    const base::Duration steady = clock_.monotonic();
    if (now < seen_) engine_.clock_was_set_back(seen_ - now);
    const bool is_first = seen_ == base::Timestamp{};
    const base::Duration jumped = (now - seen_) - (steady - steady_seen_);
    if (!is_first && has_slept(jumped)) engine_.clock_jumped_ahead();
    if (!is_first && jumped >= base::limits::clock_jump_min) engine_.clock_was_set_ahead(now, jumped);
    seen_ = now;
    steady_seen_ = steady;
    return now;
}

// What waits in the queue comes before what the clock brings: some of that leaves in its commit.
void EngineThread::run() {
    while (true) {
        std::vector<ports::AnyCommand> group = queue_.take(patience_until(engine_.next_due(), look_at_clock()));
        if (!group.empty()) {
            const base::Duration began = clock_.monotonic();
            ++steps_;
            engine::Effects effects = engine_.step(look_at_clock(), std::move(group));
            ++steps_;
            const auto us = static_cast<std::uint64_t>((clock_.monotonic() - began).us);
            metrics_.commit.observe(us);
            act(std::move(effects));
        } else if (queue_.is_drained()) {
            return;
        }
        const base::Timestamp now = look_at_clock();
        const auto due = engine_.next_due();
        if (due && *due <= now) {
            ++steps_;
            engine::Effects effects = engine_.tend(now);
            ++steps_;
            act(std::move(effects));
        }
    }
}

void EngineThread::act(engine::Effects effects) {
    const engine::Figures& figures = effects.figures;
    metrics_.events_accepted += figures.events_accepted;
    metrics_.events_refused += figures.events_refused;
    metrics_.events_replayed += figures.events_replayed;
    metrics_.notifications_made += figures.notifications_made;
    metrics_.notifications_gave_way += figures.notifications_gave_way;
    metrics_.notifications_handed_over += figures.notifications_handed_over;
    metrics_.notifications_acknowledged += figures.notifications_acknowledged;
    metrics_.runs_created += figures.runs_created;
    metrics_.run_events += figures.run_events;
    metrics_.blocks_dropped += figures.blocks_dropped;
    metrics_.obligations_claimed += figures.obligations_claimed;
    metrics_.obligations_finished += figures.obligations_finished;
    metrics_.obligations_failed += figures.obligations_failed;
    metrics_.commits += figures.commits;
    metrics_.commits_failed += figures.commits_failed;
    metrics_.commits_unknown += figures.commits_unknown;
    metrics_.store_reopened += figures.reopened;
    for (const base::Duration took : effects.deliveries) metrics_.delivery.observe(static_cast<std::uint64_t>(took.us));
    hand_over_(std::move(effects));
}

}  // namespace belfry::daemon
