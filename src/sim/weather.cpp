#include "sim/weather.hpp"

namespace belfry::sim {
namespace {

std::uint64_t often_or_never(SeededRandom& random, std::uint64_t most) {
    return random.one_in(3) ? 0 : 1 + random.below(most);
}

}  // namespace

Weather::Weather(SeededRandom& random, std::uint64_t seed, bool is_crowd) {
    dies_in_operation = often_or_never(random, 40);
    dies_after_step = often_or_never(random, 20);
    restarts = often_or_never(random, 10);
    disk_fails = often_or_never(random, 60);
    disk_fills = often_or_never(random, 8);
    checkpoints = often_or_never(random, 80);
    long_waits = often_or_never(random, 30);
    erasures = often_or_never(random, 15);
    only_process_dies = random.below(60);
    group_max = 1 + random.below(12);
    index_blocks_lag = 1 + random.below(random.one_in(3) ? 400 : 40);
    if (random.one_in(2)) cache_pages = 8 + random.below(40);
    if (random.one_in(4)) {  // storms: failures in the middle of transactions that also write the index
        disk_fails = 100 + random.below(200);
        index_blocks_lag = 1 + random.below(3);
        cache_pages = 8;
    }
    has_subscribers = !random.one_in(5);
    if (has_subscribers) group_max = 1 + random.below(6);  // each event becomes several rows
    pulls = often_or_never(random, 150);
    confirmations = often_or_never(random, 120);
    reports = often_or_never(random, 150);
    moments = random.below(400);
    deliveries = random.one_in(2) ? 500 + random.below(450) : often_or_never(random, 300);
    has_sinks = random.one_in(3);
    if (random.one_in(2) || is_crowd) draw_crowd(random);
    waits = often_or_never(random, 80);
    months = random.one_in(3) ? 1 + random.below(6) : 0;
    catalogue_changes = often_or_never(random, 30);
    retention.pause = base::seconds(static_cast<std::int64_t>(1 + random.below(120)));
    retention.audit_kept = base::days(365);
    if (random.one_in(2)) {
        const auto minutes = static_cast<std::int64_t>(1 + random.below(600));
        retention.events_kept = base::minutes(minutes);
        retention.audit_kept = base::minutes(minutes * 2);
    }
    if (is_crowded) {
        months = 4 + random.below(8);
        waits = 20 + random.below(100);
    }
    if (is_crowded || random.one_in(3))
        retention.notifications_kept = base::minutes(static_cast<std::int64_t>(5 + random.below(600)));
    if (random.one_in(4)) {
        retention.events_bytes_kept = static_cast<std::int64_t>(1000 + random.below(300'000));
        drops_by_age_only = false;
    }
    if (seed % 8 == 3) draw_flood(random);
    if (seed % 8 == 6) draw_stumbles(random);
}

// Much happens between two troubles and two looks, and what has ended soon goes: this is where most commands are given.
void Weather::draw_crowd(SeededRandom& random) {
    is_crowded = true;
    deliveries = 800 + random.below(190);
    group_max = 10 + random.below(30);
    for (std::uint64_t* often : {&dies_in_operation, &dies_after_step, &restarts, &disk_fails, &erasures}) *often /= 4;
    if (cache_pages < 40) cache_pages = 40 + random.below(400);
}

// Agents come seldom to queues that have little room. People are rarely erased: sums tell what gave way only without.
void Weather::draw_flood(SeededRandom& random) {
    queue_rows_max = 3 + random.below(40);
    has_subscribers = true;
    group_max = 4 + random.below(16);
    deliveries = 200 + random.below(500);
    pulls = random.below(40);
    if (!random.one_in(4)) erasures = 0;
}

// What was decided in a group that failed must leave no trace where some of its commands fail once more and others do
// not.
void Weather::draw_stumbles(SeededRandom& random) {
    is_stumbling = true;
    disk_fails = 200 + random.below(400);
    disk_fills = 0;
    moments = 300;
    cache_pages = 8;
    group_max = 4 + random.below(16);
    deliveries = 800 + random.below(190);
    for (std::uint64_t* often : {&dies_in_operation, &dies_after_step, &restarts, &erasures}) *often /= 4;
}

void Weather::trouble(SeededRandom& random, Disk& disk) const {
    if (is_stumbling) {
        // The first meets a group that has come some way, the others meet its commands on their own.
        const std::uint64_t first = 1 + random.below(200);
        disk.fail_after(first, Fault::read_error);
        for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
            disk.fail_after(first + 1 + random.below(100), Fault::read_error);
        }
        return;
    }
    const std::uint64_t failures = random.one_in(4) ? 1 + random.below(4) : 1;
    for (std::uint64_t i = 0; i < failures; ++i) {
        switch (random.below(4)) {
            case 0: disk.fail_after(1 + random.below(30), Fault::no_space); break;
            case 1: disk.fail_after(1 + random.below(30), Fault::write_error); break;
            case 2: disk.fail_after(1 + random.below(30), Fault::read_error); break;
            default: disk.fail_after(1 + random.below(4), Fault::sync_error); break;
        }
    }
}

}  // namespace belfry::sim
