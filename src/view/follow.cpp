#include "view/follow.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "rules/filter.hpp"
#include "rules/may.hpp"

namespace belfry::view {
namespace {
constexpr std::size_t fetch_bytes_max = 256 << 10;
}

// A reader's place, shared with a fetch that may be under way.
struct Follow::Place {
    model::StreamId stream = 0;
    model::StreamFilter filter;
    bool unfiltered = true;
    model::Sequence at = 0;
    std::deque<Share> fetched;     // from the store, not yet read
    std::uint64_t generation = 0;  // of the store's content when it was fetched
};

class Follow::PlaceCursor final : public ports::Cursor {
public:
    explicit PlaceCursor(std::shared_ptr<Place> made) : place(std::move(made)) {}
    [[nodiscard]] model::StreamId stream() const override { return place->stream; }
    [[nodiscard]] model::Sequence at() const override { return place->at; }
    std::shared_ptr<Place> place;
};

Follow::Follow(ports::Beside& beside, ports::Metrics& metrics) : beside_(beside), metrics_(metrics) {}
Follow::~Follow() = default;

base::Result<std::unique_ptr<ports::Cursor>> Follow::open(const ports::OpenStream& request) {
    const auto named =
        std::ranges::find_if(streams_, [&](const auto& entry) { return entry.second.info.name == request.stream; });
    if (named == streams_.end()) {
        return base::error(base::Code::not_found, "there is no stream " + request.stream);
    }
    const model::StreamInfo& info = named->second.info;
    auto place = std::make_shared<Place>();
    place->stream = info.id;
    place->filter = request.filter;
    TRY(rules::check_filter(place->filter));
    TRY(rules::may_follow(request.principal, info, place->filter));
    place->unfiltered = place->filter.is_empty();
    switch (request.start) {
        case ports::StartAt::beginning: place->at = info.floor; break;
        case ports::StartAt::live: place->at = info.head; break;
        case ports::StartAt::after:
            if (request.after > info.head) {
                return base::error(base::Code::invalid,
                                   "position " + std::to_string(request.after) + " lies beyond the stream's head, " +
                                       std::to_string(info.head),
                                   "after");
            }
            place->at = request.after;
            break;
    }
    return std::unique_ptr<ports::Cursor>(std::make_unique<PlaceCursor>(std::move(place)));
}

void Follow::take(Place& place, const Share& share, std::size_t& bytes, std::size_t& entries, std::size_t bytes_max,
                  std::size_t entries_max, ports::StreamBatch& batch) const {
    for (const Run& run : share.runs) {
        for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
            const model::LogEntry& entry = share.block->entries[i];
            if (entry.sequence <= place.at) continue;
            if (entries >= entries_max || bytes >= bytes_max) return;
            place.at = entry.sequence;
            if (!place.unfiltered && !rules::passes(place.filter, entry.facets)) continue;
            ++entries;
            bytes += entry.body.size();
            const bool joins = !batch.slices.empty() && batch.slices.back().block == share.block &&
                               batch.slices.back().first + batch.slices.back().count == i;
            if (joins) ++batch.slices.back().count;
            else batch.slices.push_back({share.block, i, 1});
        }
    }
}

ports::ReadState Follow::read(ports::Cursor& cursor, std::size_t bytes_max, std::size_t entries_max,
                              ports::StreamBatch& batch) {
    batch.clear();
    Place& place = *static_cast<PlaceCursor&>(cursor).place;
    const auto found = streams_.find(place.stream);
    ASSERT(found != streams_.end());
    const Stream& stream = found->second;
    if (place.generation != generation_) place.fetched.clear();
    if (place.at < stream.info.floor) {
        batch.gap = ports::Gap{place.at + 1, stream.info.floor};
        place.at = stream.info.floor;
        while (!place.fetched.empty() && place.fetched.front().last <= place.at) place.fetched.pop_front();
    }
    const model::Sequence began = place.at;
    std::size_t bytes = 0;
    std::size_t entries = 0;
    const auto is_full = [&] { return entries >= entries_max || bytes >= bytes_max; };
    while (!place.fetched.empty() && !is_full()) {
        if (place.fetched.front().last > place.at) {
            take(place, place.fetched.front(), bytes, entries, bytes_max, entries_max, batch);
        }
        if (place.fetched.front().last <= place.at) place.fetched.pop_front();
    }
    if (place.fetched.empty() && !stream.tail.empty() && stream.tail.front().first <= place.at + 1) {
        auto share = std::ranges::lower_bound(stream.tail, place.at + 1, {}, &Share::last);
        for (; share != stream.tail.end() && !is_full(); ++share) {
            take(place, *share, bytes, entries, bytes_max, entries_max, batch);
        }
    }
    if (place.at > began || batch.gap) return ports::ReadState::entries;
    return place.at >= stream.info.head ? ports::ReadState::at_head : ports::ReadState::behind;
}

void Follow::fetch(ports::Cursor& cursor, std::function<void(base::Result<void>)> done) {
    ++metrics_.stream_fetches;
    const std::shared_ptr<Place>& place = static_cast<PlaceCursor&>(cursor).place;
    auto page = std::make_shared<base::Result<ports::BlockPage>>(ports::BlockPage{});
    beside_.read([page, stream = place->stream, after = place->at](
                     ports::Reading& reading) { *page = reading.blocks(stream, after, fetch_bytes_max); },
                 [this, page, began = generation_, weak = std::weak_ptr<Place>(place), done = std::move(done)] {
                     const std::shared_ptr<Place> held = weak.lock();
                     if (!held) return done(base::error(base::Code::timeout, "the reader has gone"));
                     if (!page->ok()) return done(page->error());
                     // What was read before an erasure is not to be shown after it: the reader asks again.
                     if (began != generation_) return done({});
                     held->generation = generation_;
                     for (const model::SharedBlock& block : (*page)->blocks) {
                         Share share;
                         share.block = block;
                         share.runs = runs_of(*block, held->stream, share.first, share.last);
                         if (!share.runs.empty()) held->fetched.push_back(std::move(share));
                     }
                     const auto stream = streams_.find(held->stream);
                     if (stream != streams_.end()) {
                         stream->second.info.floor = std::max(stream->second.info.floor, (*page)->floor);
                     }
                     done({});
                 });
}

std::vector<Follow::Run> Follow::runs_of(const model::Block& block, model::StreamId stream, model::Sequence& first,
                                         model::Sequence& last) {
    std::vector<Run> runs;
    for (std::uint32_t i = 0; i < block.entries.size(); ++i) {
        const model::LogEntry& entry = block.entries[i];
        if (entry.stream != stream) continue;
        if (runs.empty()) first = entry.sequence;
        last = entry.sequence;
        if (!runs.empty() && runs.back().first + runs.back().count == i) ++runs.back().count;
        else runs.push_back({i, 1});
    }
    return runs;
}

void Follow::add_to_tail(const model::SharedBlock& block, std::vector<model::StreamId>& touched) {
    for (const model::LogEntry& entry : block->entries) {
        const bool seen = std::ranges::find(touched, entry.stream) != touched.end();
        if (!seen) touched.push_back(entry.stream);
    }
    for (const model::StreamId id : touched) {
        const auto found = streams_.find(id);
        if (found == streams_.end()) continue;
        Stream& stream = found->second;
        Share share;
        share.block = block;
        share.runs = runs_of(*block, id, share.first, share.last);
        if (share.runs.empty()) continue;
        if (!stream.tail.empty() && stream.tail.back().last + 1 != share.first) stream.tail.clear();
        stream.info.head = share.last;
        stream.tail.push_back(std::move(share));
    }
    recent_.push_back(block);
    recent_bytes_ += block->bytes.size();
}

void Follow::trim_tail() {
    while (recent_bytes_ > base::limits::tail_bytes_max && recent_.size() > 1) {
        const model::SharedBlock oldest = std::move(recent_.front());
        recent_.pop_front();
        recent_bytes_ -= oldest->bytes.size();
        for (const model::LogEntry& entry : oldest->entries) {
            const auto found = streams_.find(entry.stream);
            if (found == streams_.end() || found->second.tail.empty()) continue;
            if (found->second.tail.front().block == oldest) found->second.tail.pop_front();
        }
    }
}

void Follow::publish(const std::vector<model::SharedBlock>& blocks) {
    std::vector<model::StreamId> touched;
    for (const model::SharedBlock& block : blocks) add_to_tail(block, touched);
    trim_tail();
    if (listener_ && !touched.empty()) listener_(touched);
}

void Follow::adopt(const std::vector<model::StreamInfo>& streams) {
    forget();
    std::vector<model::StreamId> all;
    for (const model::StreamInfo& info : streams) {
        streams_[info.id].info = info;
        all.push_back(info.id);
    }
    if (listener_) listener_(all);
}

void Follow::add(const std::vector<model::StreamInfo>& streams) {
    for (const model::StreamInfo& info : streams) streams_[info.id].info = info;
}

void Follow::advance(const std::vector<model::StreamInfo>& streams) {
    std::vector<model::StreamId> moved;
    for (const model::StreamInfo& info : streams) {
        Stream& stream = streams_[info.id];
        if (info.head > stream.info.head) {
            stream.tail.clear();
            moved.push_back(info.id);
        }
        stream.info = info;
    }
    if (listener_ && !moved.empty()) listener_(moved);
}

void Follow::raise_floors(const std::vector<model::StreamInfo>& floors) {
    for (const model::StreamInfo& floor : floors) {
        const auto found = streams_.find(floor.id);
        if (found != streams_.end()) found->second.info.floor = std::max(found->second.info.floor, floor.floor);
    }
}

void Follow::forget() {
    ++generation_;
    for (auto& [id, stream] : streams_) stream.tail.clear();
    recent_.clear();
    recent_bytes_ = 0;
}

base::Result<std::vector<model::StreamInfo>> Follow::list(const model::Principal& who) const {
    std::vector<model::StreamInfo> all = streams();
    std::erase_if(all, [&who](const model::StreamInfo& stream) {
        model::StreamFilter filter;
        return !rules::may_follow(who, stream, filter).ok();
    });
    return all;
}

std::vector<model::StreamInfo> Follow::streams() const {
    std::vector<model::StreamInfo> all;
    for (const auto& [id, stream] : streams_) all.push_back(stream.info);
    std::ranges::sort(all, {}, &model::StreamInfo::id);
    return all;
}

}  // namespace belfry::view
