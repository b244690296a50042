#include <algorithm>

#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "engine/sync.hpp"
#include "engine/sync_notes.hpp"

// What a peer is told next.
namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::Change;
using model::SyncEntry;
using model::SyncFrame;

constexpr std::size_t records_a_read = 64;

bool is_place(const Change& change) {
    return change.unit.kind.empty() || change.unit.kind == model::gone_kind;
}

void add_counter(std::vector<model::CounterRange>& ranges, const Change& change) {
    const std::uint64_t counter = change.unit.counter;
    if (!ranges.empty() && ranges.back().to + 1 == counter) ranges.back().to = counter;
    else ranges.push_back({change.unit.host, counter, counter});
}

std::size_t ranges_in(const SyncFrame& frame) {
    return std::max({frame.gone.size(), frame.gone_for_good.size(), frame.erased.size()});
}

// How many of the first changes make a frame that divides no batch: the most that there are up to `count`, else the
// least beyond.
std::size_t whole_batches(const std::vector<Change>& changes, std::size_t count) {
    std::map<std::string_view, std::size_t> last;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (!is_place(changes[i])) last[changes[i].batch_id] = i;
    }
    std::size_t reach = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (!is_place(changes[i])) reach = std::max(reach, last[changes[i].batch_id]);
        if (reach > i) continue;
        if (i + 1 > count) return best > 0 ? best : i + 1;
        best = i + 1;
    }
    return best > 0 ? best : changes.size();
}

}  // namespace

base::Result<std::vector<Change>> Sync::gone_among(const std::vector<Change>& changes, Unit& unit) {
    std::vector<RecordName> names;
    for (const Change& change : changes) {
        if (!is_place(change)) names.push_back(name_of(change));
    }
    TRY_ASSIGN(const SyncShelf::Records here, shelf_.load(names, unit));
    std::vector<Change> gone;
    for (const Change& change : changes) {
        const bool is_gone =
            change.unit.kind == model::gone_kind || (!is_place(change) && !here.contains(key_of(name_of(change))));
        if (is_gone) gone.push_back(change);
    }
    return gone;
}

base::Result<void> Sync::give(ports::GiveChanges& command, Unit& unit) {
    const model::Peer* const peer = admitted(command);
    if (peer == nullptr) return {};
    TRY(write_all(unit));
    TRY_ASSIGN(const Places all, places(unit));
    ports::GivenChanges given;
    TRY_ASSIGN(given.ask, ask_of(*peer, unit));
    bool in_whole = command.in_whole || !command.whole_cursor.empty();
    for (const auto& [host, place] : all) {
        const std::uint64_t has = command.has.counter_of(host);
        // A host that nobody has sealed is of a time before there were seals: it says nothing any more.
        if (has < place.settled && (has < place.floor || !place.seal) && host != peer->host) in_whole = true;
    }
    if (in_whole) {
        TRY_ASSIGN(given.frame, page_of_whole(command.whole_cursor, unit));
        command.settle(std::move(given));
        return {};
    }
    for (const model::CounterRange& gap : command.asked) {
        const auto place = all.find(gap.host);
        if (given.frame || place == all.end() || gap.from <= place->second.floor) continue;
        TRY_ASSIGN(given.frame, frame_of(gap.host, gap.from - 1, std::min(gap.to, place->second.settled), unit));
    }
    for (const auto& [host, place] : all) {
        const std::uint64_t has = command.has.counter_of(host);
        if (given.frame || has >= place.settled || host == peer->host) continue;
        TRY_ASSIGN(given.frame, frame_of(host, has, place.settled, unit));
    }
    command.settle(std::move(given));
    return {};
}

base::Result<std::optional<SyncFrame>> Sync::frame_of(const std::string& host, std::uint64_t after,
                                                      std::uint64_t through, Unit& unit) {
    using Found = std::optional<SyncFrame>;
    TRY_ASSIGN(std::vector<Change> changes, unit.store.sync().changes_after(host, after, limits::sync_frame_units_max));
    std::erase_if(changes, [through](const Change& change) { return change.unit.counter > through; });
    if (changes.empty()) return Found{};
    SyncFrame frame;
    frame.host = host;
    frame.after = after;
    TRY(fill(frame, changes, unit));
    TRY(tell_notes(frame, unit));
    return Found(std::move(frame));
}

base::Result<void> Sync::fill(SyncFrame& frame, std::vector<Change>& changes, Unit& unit) {
    // How many of them fill a frame is known once their records are read, some at a time.
    SyncShelf::Records records;
    std::set<RecordKey> asked;
    std::set<RecordKey> counted;
    std::size_t bytes = 0;
    std::size_t read = 0;
    std::size_t full = 0;  // so many changes fill it
    std::size_t most = changes.size();
    while (read < most && asked.size() < limits::sync_frame_records_max) {
        std::vector<RecordName> names;
        const std::size_t first = read;
        for (; read < changes.size() && names.size() < records_a_read; ++read) {
            if (is_place(changes[read])) continue;
            RecordName name = name_of(changes[read]);
            if (asked.insert(key_of(name)).second) names.push_back(std::move(name));
        }
        TRY_ASSIGN(SyncShelf::Records some, shelf_.load(names, unit));
        records.merge(some);
        for (std::size_t i = first; i < read && most == changes.size(); ++i) {
            const auto record = is_place(changes[i]) ? records.end() : records.find(key_of(name_of(changes[i])));
            if (record == records.end() || !counted.insert(record->first).second) continue;
            const std::size_t more = bytes_told(record->second);
            if (bytes > 0 && bytes + more > frame_bytes_max) most = i;
            else bytes += more;
            if (full == 0 && bytes >= limits::sync_frame_bytes) full = i + 1;
        }
        if (full > 0 && whole_batches(changes, full) <= read) break;
    }
    const std::size_t count = std::min({read, most, whole_batches(changes, full > 0 ? full : read)});
    std::map<std::string, std::uint32_t> batches;
    std::map<RecordKey, std::size_t> entries;
    for (std::size_t i = 0; i < count; ++i) {
        const Change& change = changes[i];
        if (ranges_in(frame) >= limits::sync_ranges_max - 1) break;
        frame.through = change.unit.counter;
        const RecordKey key = is_place(change) ? RecordKey() : key_of(name_of(change));
        const auto record = records.find(key);
        if (change.unit.kind.empty()) {
            add_counter(frame.erased, change);
        } else if (change.unit.kind == model::gone_kind) {
            add_counter(frame.gone_for_good, change);
        } else if (record == records.end()) {
            add_counter(frame.gone, change);
        } else {
            const auto batch = batches.emplace(change.batch_id, static_cast<std::uint32_t>(batches.size()));
            if (batch.second) frame.batches.push_back(change.batch_id);
            const auto entry = entries.emplace(key, frame.entries.size());
            if (entry.second) frame.entries.push_back(SyncEntry{record->second, {}});
            frame.entries[entry.first->second].units.push_back(
                {change.unit.counter, batch.first->second, change.tokens.empty()});
        }
    }
    return {};
}

}  // namespace belfry::engine
