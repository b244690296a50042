#pragma once

#include <cstdint>

#include "base/limits.hpp"
#include "engine/retention.hpp"
#include "sim/disk.hpp"
#include "sim/random.hpp"

namespace belfry::sim {

// What kind of world a seed makes. Each seed leaves some troubles out, so that they do not always hide each other.
struct Weather {
    // Of eight seeds one floods small queues and one stumbles, by their number. `is_crowd` leaves nothing but crowds
    // beside these.
    Weather(SeededRandom& random, std::uint64_t seed, bool is_crowd);

    // Of a thousand steps, so many begin with …
    std::uint64_t dies_in_operation = 0;  // the process is to die at some disk operation
    std::uint64_t dies_after_step = 0;    // … right after a step whose answers went out
    std::uint64_t restarts = 0;           // a stop and a start in good order
    std::uint64_t disk_fails = 0;         // one failing write or sync, soon
    std::uint64_t disk_fills = 0;         // no more room, for a while
    std::uint64_t checkpoints = 0;
    std::uint64_t long_waits = 0;  // hours or days pass
    std::uint64_t waits = 0;       // minutes pass
    std::uint64_t months = 0;
    std::uint64_t erasures = 0;
    std::uint64_t catalogue_changes = 0;
    // Of a hundred deaths, so many leave the page cache alone.
    std::uint64_t only_process_dies = 20;

    // Of a thousand commands, so many are …
    std::uint64_t pulls = 0;
    std::uint64_t confirmations = 0;
    std::uint64_t reports = 0;     // and settings, and messages
    std::uint64_t deliveries = 0;  // what is emitted directly, and all that is done with it
    bool has_subscribers = true;
    bool has_sinks = false;
    std::uint64_t moments = 0;  // of a thousand steps, so many end some seconds later: windows and leases pass

    std::uint64_t group_max = 8;
    std::size_t index_blocks_lag = 0;
    std::uint64_t cache_pages = 1000;  // few: a large transaction writes before its commit
    engine::RetentionOptions retention;
    bool drops_by_age_only = true;

    bool is_crowded = false;
    bool is_stumbling = false;  // reads fail, several in a row: groups, and commands of them that are run again alone
    std::size_t queue_rows_max = base::limits::waiting_per_scope_max;

    // Lets some operation soon go wrong.
    void trouble(SeededRandom& random, Disk& disk) const;

private:
    void draw_crowd(SeededRandom& random);
    void draw_flood(SeededRandom& random);
    void draw_stumbles(SeededRandom& random);
};

}  // namespace belfry::sim
