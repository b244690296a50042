#include "view/follow.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/assert.hpp"
#include "base/limits.hpp"
#include "model/run.hpp"
#include "model/session_stream.hpp"
#include "rules/filter.hpp"
#include "rules/may.hpp"
#include "text/utf8.hpp"

namespace belfry::view {
namespace {
constexpr std::size_t fetch_bytes_max = 256 << 10;
// Streams that a user has from the first on; the engine makes each with its first entry.
constexpr std::array<std::string_view, 3> prefixes_of_users{"agent:", "inbox:", "changes:"};
// Streams of the store are numbered from 1; these numbers are not reached.
constexpr model::StreamId listened_first = 0xFFFF'FFFF;
constexpr model::StreamId listened_last = 0xC000'0000;

std::optional<model::StreamInfo> stream_of_user(const std::string& name) {
    for (const std::string_view prefix : prefixes_of_users) {
        if (!name.starts_with(prefix)) continue;
        model::StreamInfo info;
        info.name = name;
        info.owner = name.substr(prefix.size());
        info.retention = model::RetentionClass::delivery;
        const bool is_user = !info.owner.empty() && info.owner.size() <= base::limits::scope_id_bytes_max &&
                             text::utf8_valid_prefix(info.owner) == info.owner.size();
        if (is_user) return info;
    }
    return std::nullopt;
}
}  // namespace

// A reader's place, shared with a fetch that may be under way.
struct Follow::Place {
    model::StreamId stream = 0;        // 0: the stream does not exist yet
    std::shared_ptr<Awaited> awaited;  // set if the stream did not exist when the reader came
    model::StreamFilter filter;
    bool unfiltered = true;
    model::Sequence at = 0;
    Shares fetched;                // from the store, not yet read
    std::uint64_t generation = 0;  // of the store's content when it was fetched
};

class Follow::PlaceCursor final : public ports::Cursor {
public:
    explicit PlaceCursor(std::shared_ptr<Place> made) : place(std::move(made)) {}
    [[nodiscard]] model::StreamId stream() const override {
        return place->awaited ? place->awaited->listened : place->stream;
    }
    [[nodiscard]] model::Sequence at() const override { return place->at; }
    std::shared_ptr<Place> place;
};

Follow::Follow(ports::Beside& beside, ports::Metrics& metrics, std::int64_t run_events_kept)
    : beside_(beside), metrics_(metrics), run_events_kept_(run_events_kept) {}
Follow::~Follow() = default;

// A run's floor follows its head by itself: nothing is written for it.
model::Sequence Follow::floor_of(const model::StreamInfo& info) const {
    const auto kept = static_cast<model::Sequence>(run_events_kept_);
    if (info.retention != model::RetentionClass::runs || info.head <= kept) return info.floor;
    return std::max(info.floor, info.head - kept);
}

void Follow::put(const model::StreamInfo& info) {
    Stream& stream = streams_[info.id];
    const bool is_new = stream.info.name.empty();
    if (!is_new) by_name_.erase(stream.info.name);
    stream.info = info;
    by_name_.emplace(stream.info.name, info.id);
    if (const auto awaited = awaited_.find(info.name); awaited != awaited_.end()) arrived_[info.id] = awaited->second;
}

base::Result<model::StreamInfo> Follow::find_or_expect(const std::string& name) const {
    if (const auto named = by_name_.find(name); named != by_name_.end()) return streams_.at(named->second).info;
    if (auto expected = stream_of_user(name)) return *std::move(expected);
    return base::error(base::Code::not_found, "there is no stream " + name);
}

std::shared_ptr<Follow::Awaited> Follow::await(const std::string& name) {
    if (awaited_.size() >= awaited_max_) {
        const auto has_no_reader = [](const auto& entry) { return entry.second.expired(); };
        std::erase_if(awaited_, has_no_reader);
        std::erase_if(arrived_, has_no_reader);
        awaited_max_ = std::max<std::size_t>(64, 2 * awaited_.size());
    }
    WeakAwaited& known = awaited_[name];
    std::shared_ptr<Awaited> awaited = known.lock();
    if (awaited) return awaited;
    next_listened_ = next_listened_ <= listened_last ? listened_first : next_listened_ - 1;
    awaited = std::make_shared<Awaited>(Awaited{next_listened_, name});
    known = awaited;
    return awaited;
}

void Follow::tell(std::vector<model::StreamId> streams) const {
    if (!listener_ || streams.empty()) return;
    for (std::size_t i = 0, count = arrived_.empty() ? 0 : streams.size(); i < count; ++i) {
        const auto arrived = arrived_.find(streams[i]);
        const auto awaited = arrived == arrived_.end() ? nullptr : arrived->second.lock();
        if (awaited) streams.push_back(awaited->listened);
    }
    listener_(streams);
}

model::Sequence Follow::head(std::string_view stream) const {
    const auto named = by_name_.find(stream);
    return named == by_name_.end() ? 0 : streams_.at(named->second).info.head;
}

base::Result<std::unique_ptr<ports::Cursor>> Follow::open(const ports::OpenStream& request) {
    TRY_ASSIGN(const model::StreamInfo info, find_or_expect(request.stream));
    auto place = std::make_shared<Place>();
    place->stream = info.id;
    place->filter = request.filter;
    TRY(rules::check_filter(place->filter));
    TRY(rules::may_follow(request.principal, info, place->filter));
    place->unfiltered = place->filter.is_empty();
    switch (request.start) {
        case ports::StartAt::beginning: place->at = floor_of(info); break;
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
    if (place->stream == 0) place->awaited = await(info.name);
    return std::unique_ptr<ports::Cursor>(std::make_unique<PlaceCursor>(std::move(place)));
}

void Follow::take(Place& place, const model::StreamInfo& stream, const Share& share, Room& room,
                  ports::StreamBatch& batch) {
    const auto take_run = [&](const EntryRun& run) {
        for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
            const model::LogEntry& entry = share.block->entries[i];
            if (entry.sequence <= place.at) continue;
            if (room.is_full()) return;
            place.at = entry.sequence;
            if (model::ends_stream(stream.name, entry.facets.type)) batch.ended = true;
            if (!place.unfiltered && !rules::passes(place.filter, entry.facets)) continue;
            const std::string& agent = place.filter.agent_id;
            if (!agent.empty() && !rules::is_from_agent(entry.body, agent)) continue;
            const std::vector<std::string>& about = place.filter.about_agents;
            if (!about.empty() && !rules::is_about_agent(entry.body, about)) continue;
            --room.entries;
            room.bytes -= std::min(room.bytes, entry.body.size());
            const bool joins = !batch.slices.empty() && batch.slices.back().block == share.block &&
                               batch.slices.back().first + batch.slices.back().count == i;
            if (joins) ++batch.slices.back().count;
            else batch.slices.push_back({share.block, i, 1});
        }
    };
    take_run(share.run);
    for (const EntryRun& run : share.more_runs) take_run(run);
}

ports::ReadState Follow::read(ports::Cursor& cursor, std::size_t bytes_max, std::size_t entries_max,
                              ports::StreamBatch& batch) {
    batch.clear();
    Place& place = *static_cast<PlaceCursor&>(cursor).place;
    if (place.stream == 0) {
        const auto named = by_name_.find(place.awaited->name);
        if (named == by_name_.end()) return ports::ReadState::at_head;
        place.stream = named->second;
    }
    const auto found = streams_.find(place.stream);
    if (found == streams_.end()) return ports::ReadState::gone;
    const Stream& stream = found->second;
    if (place.generation != generation_) place.fetched.clear();
    if (const model::Sequence floor = floor_of(stream.info); place.at < floor) {
        batch.gap = ports::Gap{place.at + 1, floor};
        place.at = floor;
        while (!place.fetched.empty() && place.fetched.front().last <= place.at) place.fetched.pop_front();
    }
    const model::Sequence began = place.at;
    Room room{bytes_max, entries_max};
    while (!place.fetched.empty() && !room.is_full()) {
        if (place.fetched.front().last > place.at) take(place, stream.info, place.fetched.front(), room, batch);
        if (place.fetched.front().last <= place.at) place.fetched.pop_front();
    }
    if (place.fetched.empty() && !stream.tail.empty() && stream.tail.front().first <= place.at + 1) {
        auto share = std::ranges::lower_bound(stream.tail, place.at + 1, {}, &Share::last);
        for (; share != stream.tail.end() && !room.is_full(); ++share) take(place, stream.info, *share, room, batch);
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
                     const auto stream = streams_.find(held->stream);
                     if (stream == streams_.end()) return done({});  // reading tells that it is gone
                     if (!page->ok()) return done(page->error());
                     // What was read before an erasure is not to be shown after it: the reader asks again.
                     if (began != generation_) return done({});
                     held->generation = generation_;
                     for (const model::SharedBlock& block : (*page)->blocks) {
                         Share share;
                         share.block = block;
                         for (std::uint32_t i = 0; i < block->entries.size(); ++i) {
                             const model::LogEntry& entry = block->entries[i];
                             if (entry.stream == held->stream) share.add(i, entry.sequence);
                         }
                         if (share.run.count > 0) held->fetched.push_back(std::move(share));
                     }
                     stream->second.info.floor = std::max(stream->second.info.floor, (*page)->floor);
                     done({});
                 });
}

// One look at the block, however many streams it has something of: runs are many, and write all at once.
void Follow::add_to_tail(const model::SharedBlock& block, std::vector<model::StreamId>& touched) {
    fresh_.clear();
    Share* share = nullptr;
    model::StreamId stream_of_share = 0;
    for (std::uint32_t i = 0; i < block->entries.size(); ++i) {
        const model::LogEntry& entry = block->entries[i];
        if (share == nullptr || entry.stream != stream_of_share) {
            share = &fresh_[entry.stream];
            stream_of_share = entry.stream;
        }
        share->add(i, entry.sequence);
    }
    for (auto& [id, made] : fresh_) {
        touched.push_back(id);
        const auto found = streams_.find(id);
        if (found == streams_.end()) continue;
        Stream& stream = found->second;
        made.block = block;
        if (!stream.tail.empty() && stream.tail.back().last + 1 != made.first) stream.tail.clear();
        stream.info.head = made.last;
        stream.tail.push_back(std::move(made));
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
    tell(std::move(touched));
}

void Follow::adopt(const std::vector<model::StreamInfo>& streams) {
    forget();
    std::vector<model::StreamId> all;
    for (const auto& [id, stream] : streams_) all.push_back(id);  // those that are gone, too
    by_name_.clear();
    streams_.clear();
    for (const model::StreamInfo& info : streams) {
        put(info);
        all.push_back(info.id);
    }
    tell(std::move(all));
}

void Follow::add(const std::vector<model::StreamInfo>& streams) {
    for (const model::StreamInfo& info : streams) put(info);
}

void Follow::remove(const std::vector<model::StreamId>& streams) {
    for (const model::StreamId id : streams) {
        const auto found = streams_.find(id);
        if (found == streams_.end()) continue;
        by_name_.erase(found->second.info.name);
        streams_.erase(found);
    }
    tell(streams);
    for (const model::StreamId id : streams) arrived_.erase(id);
}

void Follow::advance(const std::vector<model::StreamInfo>& streams) {
    std::vector<model::StreamId> moved;
    std::unordered_set<model::StreamId> there;
    for (const model::StreamInfo& info : streams) {
        there.insert(info.id);
        Stream& stream = streams_[info.id];
        if (info.head > stream.info.head) {
            stream.tail.clear();
            moved.push_back(info.id);
        }
        put(info);
    }
    tell(std::move(moved));
    std::vector<model::StreamId> gone;
    for (const auto& [id, stream] : streams_) {
        if (!there.contains(id)) gone.push_back(id);
    }
    remove(gone);
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

base::Result<std::vector<model::StreamInfo>> Follow::list(const model::Principal& who, const Question& question) const {
    std::vector<model::StreamInfo> page;
    if (!question.name.empty()) {
        const auto found = find_or_expect(question.name);
        if (!found.ok() || (found->id != 0 && found->id <= question.after)) return page;
        const model::StreamInfo& info = *found;
        model::StreamFilter filter;
        const bool is_run = info.retention == model::RetentionClass::runs;
        if (!is_run && rules::may_follow(who, info, filter).ok()) page.push_back(info);
        return page;
    }
    for (const model::StreamId id : ids_after(question.after)) {
        if (page.size() == question.limit) break;
        const model::StreamInfo& info = streams_.at(id).info;
        model::StreamFilter filter;
        if (rules::may_follow(who, info, filter).ok()) page.push_back(info);
    }
    return page;
}

std::vector<model::StreamInfo> Follow::streams() const {
    std::vector<model::StreamInfo> all;
    for (const model::StreamId id : ids_after(0)) all.push_back(streams_.at(id).info);
    return all;
}

std::vector<model::StreamId> Follow::ids_after(model::StreamId after) const {
    std::vector<model::StreamId> ids;
    for (const auto& [id, stream] : streams_) {
        if (id <= after || stream.info.retention == model::RetentionClass::runs) continue;
        if (!model::is_session_stream(stream.info.name)) ids.push_back(id);
    }
    std::ranges::sort(ids);
    return ids;
}

}  // namespace belfry::view
