#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ports/beside.hpp"
#include "ports/metrics.hpp"
#include "ports/streams.hpp"

namespace belfry::view {

// Following streams: the newest blocks are kept in memory for all readers together, what lies before them is read from
// the store. Nothing is queued for a reader: it has a place, and asks.
class Follow final : public ports::Streams {
public:
    Follow(ports::Beside& beside, ports::Metrics& metrics);
    ~Follow() override;

    [[nodiscard]] base::Result<std::vector<model::StreamInfo>> list(const model::Principal& who) const override;
    base::Result<std::unique_ptr<ports::Cursor>> open(const ports::OpenStream& request) override;
    ports::ReadState read(ports::Cursor& cursor, std::size_t bytes_max, std::size_t entries_max,
                          ports::StreamBatch& batch) override;
    void fetch(ports::Cursor& cursor, std::function<void(base::Result<void>)> done) override;
    void set_listener(Listener listener) override { listener_ = std::move(listener); }

    // After a commit: its blocks, in order.
    void publish(const std::vector<model::SharedBlock>& blocks);
    // After the engine rebuilt its memory: the streams as they are now. Readers go on from the store where they must.
    void adopt(const std::vector<model::StreamInfo>& streams);
    // Streams that came into being.
    void add(const std::vector<model::StreamInfo>& streams);
    // On a node that only reads: the streams as another node has written them; readers go on from the store.
    void advance(const std::vector<model::StreamInfo>& streams);
    void raise_floors(const std::vector<model::StreamInfo>& floors);
    // What is in memory is not what is stored any more.
    void forget();

    [[nodiscard]] std::vector<model::StreamInfo> streams() const;

private:
    struct Run {  // consecutive entries of one stream in a block
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };
    struct Share {  // what one block holds of one stream
        model::SharedBlock block;
        model::Sequence first = 0;
        model::Sequence last = 0;
        std::vector<Run> runs;
    };
    struct Stream {
        model::StreamInfo info;
        std::deque<Share> tail;  // without a gap, ending at the head
    };
    struct Place;
    class PlaceCursor;

    static std::vector<Run> runs_of(const model::Block& block, model::StreamId stream, model::Sequence& first,
                                    model::Sequence& last);
    void add_to_tail(const model::SharedBlock& block, std::vector<model::StreamId>& touched);
    void trim_tail();
    void take(Place& place, const Share& share, std::size_t& bytes, std::size_t& entries, std::size_t bytes_max,
              std::size_t entries_max, ports::StreamBatch& batch) const;

    ports::Beside& beside_;
    ports::Metrics& metrics_;
    Listener listener_;
    std::unordered_map<model::StreamId, Stream> streams_;
    std::deque<model::SharedBlock> recent_;  // all blocks in the tails, oldest first
    std::size_t recent_bytes_ = 0;
    std::uint64_t generation_ = 0;  // counts up when what was read before must not be used any more
};

}  // namespace belfry::view
