#include "engine/stream_book.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace belfry::engine {

base::Result<void> StreamBook::rebuild(ports::Store& store) {
    streams_.clear();
    touched_.clear();
    pending_entries_ = 0;
    TRY_ASSIGN(std::vector<model::StreamInfo> streams, store.log().load_streams());
    for (model::StreamInfo& stream : streams) {
        const model::StreamId id = stream.id;
        streams_[id] = Entry{stream, stream.head};
    }
    TRY_ASSIGN(next_position_, store.log().next_position());
    struct Fixed {
        model::StreamId id;
        const char* name;
        model::RetentionClass retention;
    };
    for (const Fixed& fixed : {Fixed{events, "events", model::RetentionClass::events},
                               Fixed{audit, "audit", model::RetentionClass::audit}}) {
        if (streams_.contains(fixed.id)) continue;
        model::StreamInfo info;
        info.id = fixed.id;
        info.name = fixed.name;
        info.retention = fixed.retention;
        TRY(store.log().put_stream(info));
        streams_[fixed.id] = Entry{std::move(info), 0};
    }
    return {};
}

model::Sequence StreamBook::append(ports::Store& store, model::StreamId stream, const model::Facets& facets,
                                   std::string_view body) {
    const auto at = streams_.find(stream);
    ASSERT(at != streams_.end());
    Entry& entry = at->second;
    if (entry.pending_head == entry.info.head) touched_.push_back(stream);
    ++entry.pending_head;
    ++pending_entries_;
    store.log().append(entry.info.retention, stream, entry.pending_head, facets, body);
    return entry.pending_head;
}

base::Result<std::vector<model::SharedBlock>> StreamBook::seal(ports::Store& store, base::Timestamp now) {
    if (pending_entries_ == 0) return std::vector<model::SharedBlock>{};
    return store.log().seal(next_position_, now);
}

void StreamBook::raise_floors(const std::vector<model::StreamInfo>& floors) {
    for (const model::StreamInfo& floor : floors) {
        const auto at = streams_.find(floor.id);
        if (at != streams_.end()) at->second.info.floor = std::max(at->second.info.floor, floor.floor);
    }
}

void StreamBook::committed() {
    for (const model::StreamId stream : touched_) streams_[stream].info.head = streams_[stream].pending_head;
    touched_.clear();
    next_position_ += pending_entries_;
    pending_entries_ = 0;
}

void StreamBook::dropped() {
    for (const model::StreamId stream : touched_) streams_[stream].pending_head = streams_[stream].info.head;
    touched_.clear();
    pending_entries_ = 0;
}

std::vector<model::StreamInfo> StreamBook::all() const {
    std::vector<model::StreamInfo> streams;
    for (const auto& [id, entry] : streams_) streams.push_back(entry.info);
    std::ranges::sort(streams, {}, &model::StreamInfo::id);
    return streams;
}

}  // namespace belfry::engine
