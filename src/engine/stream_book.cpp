#include "engine/stream_book.hpp"

#include <algorithm>
#include <ranges>

#include "base/assert.hpp"
#include "model/session_stream.hpp"

namespace belfry::engine {

base::Result<void> StreamBook::rebuild(ports::Store& store) {
    streams_.clear();
    by_name_.clear();
    made_.clear();
    renamed_.clear();
    removed_.clear();
    TRY_ASSIGN(const model::StreamId last, store.log().last_stream());
    next_id_ = std::max(audit, last) + 1;
    touched_.clear();
    pending_entries_ = 0;
    TRY_ASSIGN(std::vector<model::StreamInfo> streams, store.log().load_streams());
    for (model::StreamInfo& stream : streams) {
        const model::StreamId id = stream.id;
        next_id_ = std::max(next_id_, id + 1);
        by_name_[stream.name] = id;
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

base::Result<model::StreamId> StreamBook::named(ports::Store& store, std::string_view name, std::string_view owner,
                                                model::RetentionClass retention) {
    std::string key(name);
    if (const auto at = by_name_.find(key); at != by_name_.end()) return at->second;
    model::StreamInfo info;
    info.id = next_id_++;
    info.name = key;
    info.owner = owner;
    info.retention = retention;
    TRY(store.log().put_stream(info));
    const model::StreamId id = info.id;
    made_.push_back(id);
    by_name_.emplace(std::move(key), id);
    streams_[id] = Entry{std::move(info), 0};
    return id;
}

base::Result<void> StreamBook::disown(ports::Store& store, const std::string& name) {
    const auto at = by_name_.find(name);
    if (at == by_name_.end()) return {};
    const model::StreamId id = at->second;
    model::StreamInfo& info = streams_[id].info;
    renamed_.push_back(info);
    info.name = "erased:" + std::to_string(id);
    info.owner.clear();
    by_name_.erase(at);
    by_name_.emplace(info.name, id);
    return store.log().put_stream(info);
}

base::Result<void> StreamBook::give(ports::Store& store, const std::string& name, const std::string& owner) {
    const auto at = by_name_.find(name);
    if (at == by_name_.end()) return {};
    model::StreamInfo& info = streams_[at->second].info;
    if (info.owner == owner) return {};
    renamed_.push_back(info);
    info.owner = owner;
    return store.log().put_stream(info);
}

std::vector<std::string> StreamBook::sessions_of(std::string_view owner, std::size_t limit) const {
    std::vector<std::string> names;
    for (const auto& [id, entry] : streams_) {
        if (names.size() == limit) break;
        if (entry.info.owner == owner && model::is_session_stream(entry.info.name)) names.push_back(entry.info.name);
    }
    return names;
}

std::optional<model::StreamId> StreamBook::find(std::string_view name) const {
    const auto at = by_name_.find(std::string(name));
    if (at == by_name_.end()) return std::nullopt;
    return at->second;
}

base::Result<void> StreamBook::remove(ports::Store& store, const std::vector<model::StreamId>& streams) {
    TRY(store.log().remove_streams(streams));
    removed_.insert(removed_.end(), streams.begin(), streams.end());
    return {};
}

model::Sequence StreamBook::head(model::StreamId stream) const {
    const auto at = streams_.find(stream);
    return at == streams_.end() ? 0 : at->second.pending_head;
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

void StreamBook::committed(std::vector<model::StreamInfo>& made, std::vector<model::StreamId>& removed) {
    for (const model::StreamInfo& before : renamed_) {
        if (std::ranges::find(made_, before.id) == made_.end()) made.push_back(streams_[before.id].info);
    }
    renamed_.clear();
    for (const model::StreamId stream : touched_) streams_[stream].info.head = streams_[stream].pending_head;
    touched_.clear();
    next_position_ += pending_entries_;
    pending_entries_ = 0;
    // With the head that they had before: the entries are published like those of any other.
    for (const model::StreamId stream : made_) {
        model::StreamInfo info = streams_[stream].info;
        info.head = 0;
        made.push_back(std::move(info));
    }
    made_.clear();
    for (const model::StreamId stream : removed_) {
        const auto at = streams_.find(stream);
        if (at == streams_.end()) continue;
        by_name_.erase(at->second.info.name);
        streams_.erase(at);
        removed.push_back(stream);
    }
    removed_.clear();
}

void StreamBook::dropped() {
    for (const model::StreamId stream : touched_) streams_[stream].pending_head = streams_[stream].info.head;
    touched_.clear();
    pending_entries_ = 0;
    // First: a stream of this transaction may have the name that another one gave up in it.
    for (const model::StreamId stream : made_) {
        by_name_.erase(streams_[stream].info.name);
        streams_.erase(stream);
    }
    made_.clear();
    for (const model::StreamInfo& before : renamed_ | std::views::reverse) {
        const auto at = streams_.find(before.id);
        if (at == streams_.end()) continue;  // made in this transaction
        model::StreamInfo& info = at->second.info;
        by_name_.erase(info.name);
        info.name = before.name;
        info.owner = before.owner;
        by_name_.emplace(before.name, before.id);
    }
    renamed_.clear();
    removed_.clear();
}

std::vector<model::StreamInfo> StreamBook::all() const {
    std::vector<model::StreamInfo> streams;
    for (const auto& [id, entry] : streams_) streams.push_back(entry.info);
    std::ranges::sort(streams, {}, &model::StreamInfo::id);
    return streams;
}

}  // namespace belfry::engine
