#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/samples.hpp"
#include "model/subscriber.hpp"
#include "notifications/mix.hpp"

namespace belfry::bench {

// A notification as it was stored.
struct Told {
    std::string subscriber_id;
    std::string content;
    std::int64_t model_tokens = 0;
    std::string events_json;  // [{"id":…,"sequence":…,"count":…,"dedupe_key":…}]
};

struct EngineRun {
    MixKind mix = MixKind::usual;
    std::size_t sessions = 1000;
    std::vector<Told>* told = nullptr;  // gets all of them, in their order, where it is there
    std::uint64_t events = 0;
    std::string folder;  // the store is made in it and removed at the end
    std::shared_ptr<const model::Catalogue> subscribers;
};

struct EngineFigures {
    double seconds = 0;      // inside the engine and its store, the last window's end included
    double cpu_seconds = 0;  // of this thread meanwhile: what is left of them went to the disk, and to other people
    std::uint64_t commits = 0;
    std::uint64_t wanted = 0;
    std::uint64_t notifications = 0;
    std::uint64_t groups = 0;
    std::int64_t store_bytes = 0;
    Samples group;  // one group of commands, from its start to its commit
};

// The shipped subscribers, and so many more that the sum is `count`: a third of them of other types from any source, a
// third of other types from sources that the mix has, a third of types that the mix has from other sources.
std::shared_ptr<const model::Catalogue> catalogue_of(std::size_t count);

// Gives the engine the events in commands of 100, in groups as the daemon makes them, over a store on the disk as the
// daemon opens it. Time is given: it goes on by 10 us an event, as at 100,000 events a second, and at the end by more
// than every window is long. Only the engine's calls are timed, not the making of events. Fails unless the store then
// holds every event, and each that a subscriber wants in a notification, counted once.
EngineFigures run_engine(const EngineRun& plan);

}  // namespace belfry::bench
