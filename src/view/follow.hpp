#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/limits.hpp"
#include "ports/beside.hpp"
#include "ports/metrics.hpp"
#include "ports/streams.hpp"
#include "view/shares.hpp"

namespace belfry::view {

// Following streams: the newest blocks are kept in memory for all readers together, what lies before them is read from
// the store. Nothing is queued for a reader: it has a place, and asks.
class Follow final : public ports::Streams {
public:
    // Of each run, the newest `run_events_kept` can be read; what lies before them counts as gone.
    Follow(ports::Beside& beside, ports::Metrics& metrics,
           std::int64_t run_events_kept = base::limits::run_events_kept_default);
    ~Follow() override;

    [[nodiscard]] base::Result<std::vector<model::StreamInfo>> list(const model::Principal& who,
                                                                    const Question& question) const override;
    [[nodiscard]] model::Sequence head(std::string_view stream) const override;
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
    // Streams that are no more; their readers are told.
    void remove(const std::vector<model::StreamId>& streams);
    void raise_floors(const std::vector<model::StreamInfo>& floors);
    // What is in memory is not what is stored any more.
    void forget();

    // All but those of runs and sessions, which are many and have routes of their own.
    [[nodiscard]] std::vector<model::StreamInfo> streams() const;

private:
    // Of the same, by id.
    [[nodiscard]] std::vector<model::StreamId> ids_after(model::StreamId after) const;

    struct Stream {
        model::StreamInfo info;
        Shares tail;  // without a gap, ending at the head
    };
    struct Place;
    class PlaceCursor;
    // A stream that readers follow before its first entry. Nothing is stored for it.
    struct Awaited {
        model::StreamId listened = 0;  // stands for the stream in the listener's news
        std::string name;
    };
    using WeakAwaited = std::weak_ptr<Awaited>;

    [[nodiscard]] model::Sequence floor_of(const model::StreamInfo& info) const;
    void put(const model::StreamInfo& info);
    base::Result<model::StreamInfo> find_or_expect(const std::string& name) const;
    std::shared_ptr<Awaited> await(const std::string& name);
    // Calls the listener, also for the readers that came before their stream.
    void tell(std::vector<model::StreamId> streams) const;
    void add_to_tail(const model::SharedBlock& block, std::vector<model::StreamId>& touched);
    void trim_tail();
    struct Room {  // what one reading may still take
        std::size_t bytes = 0;
        std::size_t entries = 0;
        [[nodiscard]] bool is_full() const { return bytes == 0 || entries == 0; }
    };
    static void take(Place& place, const model::StreamInfo& stream, const Share& share, Room& room,
                     ports::StreamBatch& batch);

    ports::Beside& beside_;
    ports::Metrics& metrics_;
    Listener listener_;
    std::int64_t run_events_kept_;
    std::unordered_map<model::StreamId, Stream> streams_;
    std::unordered_map<std::string_view, model::StreamId> by_name_;  // the names lie in streams_
    std::unordered_map<std::string, WeakAwaited> awaited_;           // by name
    std::unordered_map<model::StreamId, WeakAwaited> arrived_;       // by the stream that was awaited
    std::size_t awaited_max_ = 64;                                   // then those without readers are forgotten
    model::StreamId next_listened_ = 0;
    std::unordered_map<model::StreamId, Share> fresh_;  // working memory of `add_to_tail`
    std::deque<model::SharedBlock> recent_;             // all blocks in the tails, oldest first
    std::size_t recent_bytes_ = 0;
    std::uint64_t generation_ = 0;  // counts up when what was read before must not be used any more
};

}  // namespace belfry::view
