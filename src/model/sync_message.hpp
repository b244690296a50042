#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/sync.hpp"

// What two devices say to each other on a link.
namespace belfry::model {

// The first word of both. Nothing else is said before it was understood.
struct SyncHello {
    std::int64_t protocol = 0;
    std::string version;  // of the program, for people
    std::string name;     // of the device, for people
    std::string host;
    VectorClock has;              // of each host all changes up to this are here
    std::vector<HostSeal> hosts;  // its own, and all others that it knows of
    std::string whole_cursor;     // where it is in what we told it as a whole; empty: it has not begun
    bool operator==(const SyncHello&) const = default;
};

// One change in a frame.
struct SyncUnit {
    std::uint64_t counter = 0;
    std::uint32_t batch = 0;  // its place in the frame's batches
    bool quiet = false;       // it wakes nobody

    bool operator==(const SyncUnit&) const = default;
};

// A record with the changes that it is told for: it is as it is now, whichever of them is asked about.
struct SyncEntry {
    SyncRecord record;
    std::vector<SyncUnit> units;  // rising; none in a frame of the whole

    bool operator==(const SyncEntry&) const = default;
};

// All changes of one host after `after` up to `through`: each stands at its record, or in `gone`, or is nobody's any
// more (`erased`). Of the whole: a page of all records, after which, at its last, all of `cover` is known.
struct SyncFrame {
    std::string host;  // empty: a page of the whole
    std::uint64_t after = 0;
    std::uint64_t through = 0;
    std::vector<std::string> batches;  // ids; a batch is never divided
    std::vector<SyncEntry> entries;
    std::vector<CounterRange> gone;           // cannot be given here; `host` is the frame's
    std::vector<CounterRange> gone_for_good;  // as their author has confirmed, or is
    std::vector<CounterRange> erased;

    std::string cursor;       // of a page of the whole: where it began; empty: at the beginning
    std::string next_cursor;  // and where to go on; empty: it was the last
    VectorClock cover;        // what is known after the last page, the same on all pages

    [[nodiscard]] bool is_whole() const { return host.empty(); }
    bool operator==(const SyncFrame&) const = default;
};

// What is here now. `missing`: gaps that were noticed. `confirm`: what was said to be gone; is it really?
struct SyncAck {
    VectorClock has;
    std::vector<CounterRange> missing;
    std::vector<CounterRange> confirm;
    std::string whole_cursor;  // after a page of the whole: where to go on; empty: it is complete

    bool operator==(const SyncAck&) const = default;
};

// The answer to `confirm`: its author says that these cannot be given any more, or one who was told so by him.
struct SyncGone {
    std::vector<CounterRange> ranges;
    bool operator==(const SyncGone&) const = default;
};

// The link ends, and why.
struct SyncRefusal {
    std::string code;  // `protocol`, `unknown_peer`, `forged_host`, `oversized`, …
    std::string message;
    bool operator==(const SyncRefusal&) const = default;
};

struct SyncPing {
    bool operator==(const SyncPing&) const = default;
};

using SyncMessage = std::variant<SyncHello, SyncFrame, SyncAck, SyncGone, SyncRefusal, SyncPing>;

}  // namespace belfry::model
