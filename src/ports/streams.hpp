#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/log.hpp"
#include "model/principal.hpp"

// Following streams, as the network's thread sees it. Everything here is called on that one thread and calls back on
// it.
namespace belfry::ports {

enum class StartAt : std::uint8_t { beginning, after, live };

struct OpenStream {
    model::Principal principal;
    std::string stream;
    model::StreamFilter filter;
    StartAt start = StartAt::live;
    model::Sequence after = 0;  // with StartAt::after: the last one that the reader has
};

// A reader's place in a stream: all that is kept for it. Made by `Streams::open`, owned by the connection.
class Cursor {
public:
    virtual ~Cursor() = default;
    [[nodiscard]] virtual model::StreamId stream() const = 0;
    // The last sequence that was considered, whether it passed the filter or not: where a later reader goes on.
    [[nodiscard]] virtual model::Sequence at() const = 0;
};

// Consecutive entries of one block: block->entries[first .. first + count).
struct BlockSlice {
    model::SharedBlock block;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

struct Gap {  // entries from..to are gone for good (retention)
    model::Sequence from = 0;
    model::Sequence to = 0;
};

struct StreamBatch {
    std::optional<Gap> gap;          // comes before the slices
    std::vector<BlockSlice> slices;  // in sequence order; erased entries have an empty body
    bool ended = false;              // nothing will ever follow: the cursor is past the entry that ends its stream
    void clear() {
        gap.reset();
        slices.clear();
        ended = false;
    }
};

enum class ReadState : std::uint8_t {
    entries,  // the batch holds something; read again for more
    at_head,  // nothing more now: the listener will be told
    behind,   // what comes next is not in memory: fetch, then read again
    gone,     // the stream is no more (the run has expired, or its user was erased)
};

class Streams {
public:
    virtual ~Streams() = default;

    // The streams that this principal may follow, by id.
    struct Question {
        model::StreamId after = 0;  // the last id of the page before
        std::size_t limit = 0;
        std::string name;  // only the one of this name; empty: all
    };
    [[nodiscard]] virtual base::Result<std::vector<model::StreamInfo>> list(const model::Principal& who,
                                                                            const Question& question) const = 0;

    // The last sequence of the stream of this name; 0 where there is none.
    [[nodiscard]] virtual model::Sequence head(std::string_view stream) const = 0;

    // not_found, forbidden, or a place. A position beyond the head is refused as invalid.
    virtual base::Result<std::unique_ptr<Cursor>> open(const OpenStream& request) = 0;

    // Fills `batch` (cleared first) from memory with about `bytes_max` at the most, and at most `entries_max` entries,
    // and moves the cursor. Never blocks. A filtered cursor may move without anything in the batch: then `entries` is
    // returned all the same while there is more to look at.
    virtual ReadState read(Cursor& cursor, std::size_t bytes_max, std::size_t entries_max, StreamBatch& batch) = 0;

    // Brings the next blocks from the store beside the engine, then calls `done` (never before `fetch` returned). The
    // cursor may be destroyed meanwhile: then `done` is still called, with an error of code `timeout`.
    virtual void fetch(Cursor& cursor, std::function<void(base::Result<void>)> done) = 0;

    // Told after new entries of these streams were committed.
    using Listener = std::function<void(const std::vector<model::StreamId>& streams)>;
    virtual void set_listener(Listener listener) = 0;
};

}  // namespace belfry::ports
