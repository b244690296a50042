#include "base/hash.hpp"
#include "base/sync_limits.hpp"
#include "engine/sync.hpp"
#include "engine/sync_notes.hpp"
#include "engine/sync_walk.hpp"
#include "rules/agent_tombstone.hpp"
#include "rules/may.hpp"
#include "rules/merge_record.hpp"

// All that there is, in pages, for whoever is too far behind for the log of changes; and what two devices compare.
namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::SyncFrame;
using model::SyncRecord;

// Where a walk stands, over which store, and what is known after its end. Whoever is told the pages gives it back as it
// is.
struct Cursor {
    std::string kind;
    std::string place;
    model::VectorClock cover;
};

std::string text_of(const SyncWalk& walk, const std::string& host, const model::VectorClock& cover) {
    std::string text;
    model::JsonWriter writer(text);
    writer.begin_object().field("kind", walk.kind()).field("place", walk.place()).field("host", host);
    writer.name("cover").raw(cover.to_json()).end_object();
    return base::base64(text);
}

std::optional<Cursor> read_cursor(const std::string& text, const std::string& host) {
    const auto json = base::parse_base64(text);
    if (!json || !json->starts_with("{\"kind\":")) return std::nullopt;
    const model::JsonView view{*json};
    const auto kind = view.member("kind");
    const auto place = view.member("place");
    const auto cover = view.member("cover");
    const auto begun_by = view.member("host");
    if (!kind || !place || !cover || !begun_by || begun_by->as_text() != host) return std::nullopt;
    auto clock = model::VectorClock::parse(*cover);
    if (!clock.ok()) return std::nullopt;
    return Cursor{kind->as_text(), place->as_text(), std::move(*clock)};
}

// Returns the 32 bytes of a record in the digest; nothing if the record does not count, because each device removes it
// by its own clock: claims, timers that were to fire once and have fired, and all of a destroyed agent but its end.
base::Result<std::optional<std::string>> counted(const SyncRecord& record, AgentBook& agents, Unit& unit) {
    using Counted = std::optional<std::string>;
    if (record.kind == model::run_claim_kind || rules::is_used_up_timer(record)) return Counted{};
    if (rules::destroyed_at(record)) return Counted(rules::tombstone_digest(record));
    if (const auto agent_id = rules::owning_agent(record)) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents.find(*agent_id, unit));
        if (agent == nullptr || agent->agent.destroyed_at) return Counted{};
    }
    return Counted(rules::record_digest(record));
}

}  // namespace

base::Result<SyncFrame> Sync::page_of_whole(const std::string& text, Unit& unit) {
    const std::optional<Cursor> cursor = text.empty() ? std::nullopt : read_cursor(text, log_.host());
    SyncFrame frame;
    frame.cover = cursor ? cursor->cover : log_.has();
    if (cursor) frame.cursor = text;
    SyncWalk walk(shelf_, cursor ? cursor->kind : std::string(), cursor ? cursor->place : std::string());
    std::size_t bytes = 0;
    while (!walk.is_over() && bytes < limits::sync_frame_bytes &&
           frame.entries.size() < limits::sync_frame_records_max / 2) {
        TRY_ASSIGN(std::vector<SyncRecord> records, walk.next(frame_bytes_max - bytes, unit));
        for (SyncRecord& record : records) {
            bytes += bytes_told(record);
            frame.entries.push_back({std::move(record), {}});
        }
    }
    TRY(tell_notes(frame, unit));
    if (!walk.is_over()) frame.next_cursor = text_of(walk, log_.host(), frame.cover);
    return frame;
}

// Pages count where each begins where the one before it ended.
base::Result<void> Sync::take_page(const model::Peer& there, const SyncFrame& frame, Unit& unit) {
    model::Peer peer = there;
    const bool is_next = frame.cursor.empty() || frame.cursor == peer.whole_cursor;
    if (!is_next) return {};
    peer.whole_cursor = frame.next_cursor;
    if (frame.next_cursor.empty()) {
        for (const auto& [host, counter] : frame.cover.counters()) {
            if (host != log_.host()) TRY(log_.know_all(host, counter, unit));
        }
    }
    return peers_.put(peer, PeerBook::Told::no, unit);
}

base::Result<void> Sync::digest(ports::TakeDigest& command, Unit& unit) {
    if (auto may = rules::may_administer(command.principal); !may.ok()) {
        command.refuse(std::move(may).error());
        return {};
    }
    TRY(write_all(unit));
    ports::SyncDigest digest;
    std::string sum(32, '\0');
    SyncWalk walk(shelf_, {}, {});
    while (!walk.is_over()) {
        TRY_ASSIGN(const std::vector<SyncRecord> records, walk.next(frame_bytes_max, unit));
        for (const SyncRecord& record : records) {
            TRY_ASSIGN(const std::optional<std::string> one, counted(record, agents_, unit));
            if (!one) continue;
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<char>(sum[i] ^ (*one)[i]);
            ++digest.records;
        }
    }
    digest.digest = base::hex(sum);
    digest.has = log_.has();
    command.settle(std::move(digest));
    return {};
}

}  // namespace belfry::engine
