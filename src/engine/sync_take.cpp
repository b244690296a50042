#include <algorithm>

#include "base/limits.hpp"
#include "base/sync_limits.hpp"
#include "base/wake_limits.hpp"
#include "engine/agent_tombstone.hpp"
#include "engine/sync.hpp"
#include "engine/sync_notes.hpp"
#include "rules/agent_tombstone.hpp"
#include "rules/counter_ranges.hpp"
#include "rules/merge_notes.hpp"
#include "rules/merge_record.hpp"
#include "rules/sync_bodies.hpp"
#include "rules/sync_order.hpp"

// What a peer has told.
namespace belfry::engine {
namespace {

namespace limits = base::limits;
using base::Code;
using model::Change;
using model::CounterRange;
using model::SyncEntry;
using model::SyncFrame;
using model::SyncRecord;

// Versions are counted one by one: nobody comes here that way, and from here on there is room to count.
constexpr std::uint64_t version_max = model::VectorClock::counter_max / 2;
// A clock with so many is no reason to look who there is.
constexpr std::size_t few_hosts = 16;

base::Error wrong(std::string field, std::string why) {
    return base::error(Code::invalid, std::move(why), std::move(field));
}

base::Error may_not(const char* reason, std::string why) {
    return base::error(Code::forbidden, std::move(why), "host", reason);
}

// Each change between the two counters stands in the frame once: one that were left out would be missed for ever.
base::Result<void> check_counters(const SyncFrame& frame) {
    if (frame.through <= frame.after || frame.through - frame.after > limits::sync_frame_units_max) {
        return wrong("through", "a frame has 1 to " + std::to_string(limits::sync_frame_units_max) + " changes");
    }
    std::vector<bool> seen(static_cast<std::size_t>(frame.through - frame.after));
    const auto see = [&](std::uint64_t counter) {
        if (counter <= frame.after || counter > frame.through) return false;
        const auto place = static_cast<std::size_t>(counter - frame.after - 1);
        if (seen[place]) return false;
        seen[place] = true;
        return true;
    };
    for (const SyncEntry& entry : frame.entries) {
        for (const model::SyncUnit& unit : entry.units) {
            if (!see(unit.counter)) return wrong("counter", "lies outside the frame, or stands in it twice");
            if (unit.batch >= frame.batches.size()) return wrong("batch", "is none of the frame's");
        }
    }
    for (const auto* const ranges : {&frame.gone, &frame.gone_for_good, &frame.erased}) {
        for (const CounterRange& range : *ranges) {
            const bool fits = range.host == frame.host && range.from <= range.to && range.from > frame.after &&
                              range.to <= frame.through;
            if (!fits) return wrong("gone", "lies outside the frame");
            for (std::uint64_t counter = range.from; counter <= range.to; ++counter) {
                if (!see(counter)) return wrong("gone", "stands in the frame twice");
            }
        }
    }
    if (std::ranges::find(seen, false) != seen.end()) return wrong("counter", "one between the two is left out");
    return {};
}

base::Result<void> check_entry(const SyncEntry& entry) {
    const SyncRecord& record = entry.record;
    if (record.kind == rules::merge_notes_kind) {
        if (!entry.units.empty()) return wrong("units", "notes stand for no change");
        TRY(rules::read_notes_record(record));
        return {};
    }
    TRY(rules::check_sync_record(record));
    return rules::check_sync_body(record);
}

base::Result<void> check_entries(const SyncFrame& frame) {
    for (std::size_t i = 0; i < frame.entries.size(); ++i) {
        auto fits = check_entry(frame.entries[i]);
        if (fits.ok()) continue;
        base::Error why = std::move(fits).error();
        why.field = "entries[" + std::to_string(i) + "]." + why.field;
        return why;
    }
    return {};
}

// What a device has it tells by a clock, and with more hosts than that has room for it would forget some, or itself.
base::Result<void> check_hosts(const SyncFrame& frame, const std::map<std::string, std::uint64_t>& settled) {
    std::set<std::string_view> hosts;
    for (const auto& [host, counter] : settled) hosts.insert(host);
    for (const auto& [host, counter] : frame.cover.counters()) hosts.insert(host);
    if (!frame.is_whole()) hosts.insert(frame.host);
    if (hosts.size() <= limits::clock_hosts_max) return {};
    return base::error(Code::too_large, "tells of more devices than one can know of", "hosts", "too_many");
}

// What was destroyed stays so, also where somebody says that he knew of it and made it alive again.
void keep_destroyed(SyncRecord& record) {
    if (record.kind != model::agent_state_kind) return;
    const auto destroyed_at = record.body.member("destroyed_at");
    const auto lifecycle = record.body.member("lifecycle");
    const bool is_over = destroyed_at && destroyed_at->kind() != model::JsonKind::null;
    if (!is_over || !lifecycle || lifecycle->as_text() == "destroyed") return;
    std::string body;
    model::JsonWriter writer(body);
    writer.begin_object();
    model::JsonWalker members(record.body.view());
    std::string_view raw_name;
    while (const auto member = members.next(&raw_name)) {
        const std::string name = model::JsonView{{raw_name.data() - 1, raw_name.size() + 2}}.as_text();
        writer.name(name).raw(name == "lifecycle" ? R"("destroyed")" : member->text);
    }
    writer.end_object();
    record.body = model::RawJson::trusted(std::move(body));
    record.knowledge.concurrent.erase("lifecycle");
}

// A record that could not be written to any more, or that others would not take afterwards, stays as it was. It is not
// refused: whoever tells of it may only pass it on.
bool can_go_on(const rules::Merged& merged) {
    if (merged.record.knowledge.next_version() > version_max) return false;
    // Two that fit may be one that does not.
    const bool is_of_both = merged.differs_from_ours && merged.differs_from_theirs;
    return !is_of_both || rules::check_sync_record(merged.record).ok();
}

// Whether all who are known can write next.
template <class Places>
bool has_room_for(const model::VectorClock& clock, const Places& all) {
    const auto strangers =
        std::ranges::count_if(clock.counters(), [&all](const auto& entry) { return !all.contains(entry.first); });
    return all.size() + static_cast<std::size_t>(strangers) <= limits::clock_hosts_max;
}

// Adds the records of agents of which this device has nothing but a tombstone, or is told one in this frame: what a
// device that was away has done with such an agent is void. The tombstones themselves are merged.
base::Result<void> add_buried(const SyncFrame& frame, AgentBook& agents, std::set<RecordKey>& nobodys, Unit& unit) {
    std::map<std::string, std::vector<RecordKey>> by_agent;
    std::set<std::string> ids;
    std::set<std::string> told;
    for (const SyncEntry& entry : frame.entries) {
        const SyncRecord& record = entry.record;
        const auto agent_id = rules::owning_agent(record);
        if (!agent_id) continue;
        if (rules::is_agent_tombstone(record)) told.insert(*agent_id);
        if (record.kind == model::agent_state_kind) continue;
        ids.insert(*agent_id);
        by_agent[*agent_id].push_back(key_of(name_of(record)));
    }
    TRY_ASSIGN(std::set<std::string> buried, buried_agents(ids, agents, unit));
    for (const std::string& id : told) {
        TRY_ASSIGN(const model::AgentRecord* const there, agents.find(id, unit));
        if (there == nullptr) buried.insert(id);
    }
    for (const std::string& id : buried) nobodys.insert(by_agent[id].begin(), by_agent[id].end());
    return {};
}

Change place_of(const std::string& host, std::uint64_t counter, std::string_view kind) {
    Change change;
    change.unit = {host, counter, std::string(kind), {}};
    return change;
}

}  // namespace

base::Result<base::Result<void>> Sync::check(const SyncFrame& frame, Unit& unit) {
    using Fits = base::Result<void>;
    if (auto fits = check_entries(frame); !fits.ok()) return fits;
    const auto own = log_.settled().find(log_.host());
    const std::uint64_t own_settled = own == log_.settled().end() ? 0 : own->second;
    if (auto fits = check_hosts(frame, log_.settled()); !fits.ok()) return fits;
    if (frame.is_whole()) {
        if (frame.cover.counter_of(log_.host()) <= own_settled) return Fits{};
        return Fits(may_not("forged_host", "knows changes of this device that it never made"));
    }
    if (frame.host == log_.host())
        return Fits(may_not("forged_host", "tells what this device itself is said to have done"));
    TRY_ASSIGN(const Places all, places(unit));
    const auto place = all.find(frame.host);
    if (place == all.end() || !place->second.seal) {
        return Fits(may_not("unknown_host", "tells of a device that nobody has vouched for"));
    }
    if (frame.after > place->second.settled + limits::sync_ahead_max) {
        return Fits(wrong("after", "lies too far ahead of what is known here"));
    }
    return check_counters(frame);
}

base::Result<void> Sync::take(ports::TakeChanges& command, Unit& unit) {
    const model::Peer* const peer = admitted(command);
    if (peer == nullptr) return {};
    const SyncFrame& frame = command.frame;
    TRY_ASSIGN(base::Result<void> fits, check(frame, unit));
    if (!fits.ok()) {
        command.refuse(std::move(fits).error());
        return {};
    }
    TRY(write_all(unit));
    Taken taken;
    TRY(take_records(frame, taken, unit));
    if (frame.is_whole()) {
        TRY(take_page(*peer, frame, unit));
    } else {
        TRY(take_units(frame, taken, unit));
        TRY(note_missing(peer->id, frame, unit));
    }
    TRY_ASSIGN(taken.reply.ack, ack_of(command.peer_id, frame.host, unit));
    command.settle(std::move(taken.reply));
    return {};
}

// What others need to be there comes first, who was erased before all; what agents remember in the order in which it
// was said.
base::Result<void> Sync::take_records(const SyncFrame& frame, Taken& taken, Unit& unit) {
    std::map<std::size_t, std::vector<SyncRecord>> by_rank;
    const std::size_t first = rules::sync_rank(model::erasure_kind);
    for (const SyncEntry& entry : frame.entries) {
        if (entry.record.kind == model::erasure_kind) by_rank[first].push_back(entry.record);
    }
    if (!by_rank.empty()) TRY(merge(by_rank[first], taken, unit));
    by_rank.clear();
    TRY_ASSIGN(taken.nobodys, void_in(frame, unit));
    TRY(add_buried(frame, agents_, taken.nobodys, unit));
    for (const SyncEntry& entry : frame.entries) {
        const std::size_t rank = rules::sync_rank(entry.record.kind);
        const bool is_taken = rank == first || entry.record.kind == rules::merge_notes_kind ||
                              taken.nobodys.contains(key_of(name_of(entry.record)));
        if (!is_taken) by_rank[rank].push_back(entry.record);
    }
    for (const auto& [rank, records] : by_rank) TRY(merge(records, taken, unit));
    TRY(take_notes(frame, taken.nobodys, agents_, unit));
    return write_all(unit);
}

// A record whose clock has nothing that was not known when its person was erased. Of a message nothing is known but
// the change that it came with; in the whole, where there is none, it goes with its agent.
base::Result<std::set<RecordKey>> Sync::void_in(const SyncFrame& frame, Unit& unit) {
    std::set<std::string> users;
    for (const SyncEntry& entry : frame.entries) users.insert(entry.record.user_id);
    std::set<RecordKey> nobodys;
    TRY_ASSIGN(const SyncErasure::Clocks erased, SyncErasure::of(users, unit));
    if (erased.empty()) return nobodys;
    for (const SyncEntry& entry : frame.entries) {
        const auto at = erased.find(entry.record.user_id);
        if (at == erased.end() || entry.record.kind == model::erasure_kind) continue;
        const model::VectorClock& then = at->second;
        bool is_void = false;
        if (entry.record.kind != model::agent_message_kind) {
            const auto order = entry.record.knowledge.clock.compare(then);
            is_void = order == model::ClockOrder::before || order == model::ClockOrder::equal;
        } else if (!frame.is_whole()) {
            is_void = std::ranges::all_of(
                entry.units, [&](const model::SyncUnit& one) { return then.includes(frame.host, one.counter); });
        } else {
            const auto agent_id = entry.record.body.member("agent_id");
            if (!agent_id) continue;
            TRY_ASSIGN(const model::AgentRecord* const agent, agents_.find(agent_id->as_text(), unit));
            is_void = agent == nullptr;
        }
        if (is_void) nobodys.insert(key_of(name_of(entry.record)));
    }
    return nobodys;
}

base::Result<void> Sync::take_erasure(const SyncRecord& record, Unit& unit) {
    const auto json = record.body.member("clock");
    if (!json || json->kind() != model::JsonKind::object) return {};
    TRY_ASSIGN(const model::VectorClock clock, model::VectorClock::parse(*json));
    return erasure_.take(record.id, clock, unit);
}

base::Result<void> Sync::merge(std::span<const SyncRecord> told, Taken& taken, Unit& unit) {
    std::vector<RecordName> names;
    for (const SyncRecord& record : told) names.push_back(name_of(record));
    TRY_ASSIGN(const SyncShelf::Records here, shelf_.load(names, unit));
    std::vector<SyncRecord> messages;
    std::vector<ports::KnownRecord> known;
    std::vector<model::MergeNote> notes;
    for (const SyncRecord& theirs : told) {
        const RecordKey key = key_of(name_of(theirs));
        const auto at = here.find(key);
        SyncRecord ours{theirs.kind, theirs.id, theirs.user_id, {}, {}};
        if (at != here.end()) ours = at->second;
        rules::Merged merged = rules::merge_records(ours, theirs);
        keep_destroyed(merged.record);
        if (at != here.end() && rules::is_agent_tombstone(ours)) {
            rules::reduce_to_tombstone(merged.record);
            merged.notes.clear();
        }
        if (!can_go_on(merged)) continue;
        if (merged.record.knowledge.clock.counters().size() > few_hosts) {
            TRY_ASSIGN(const Places all, places(unit));
            if (!has_room_for(merged.record.knowledge.clock, all)) continue;
        }
        std::ranges::move(merged.notes, std::back_inserter(notes));
        // That it was changed is told also where all of it is known here.
        TRY_ASSIGN(SyncShelf::Tokens touched, shelf_.touched(merged.record, unit));
        taken.tokens.insert_or_assign(key, std::move(touched));
        if (at != here.end() && !merged.differs_from_ours) continue;
        ++taken.reply.records;
        if (at != here.end() && merged.differs_from_theirs) ++taken.reply.merged;
        if (theirs.kind == model::agent_message_kind) {
            messages.push_back(std::move(merged.record));
            continue;
        }
        known.push_back({key.first, key.second, merged.record.user_id, merged.record.knowledge});
        // Only what is known of it may be new, and nothing of it another.
        if (at != here.end() && merged.record.body == ours.body) continue;
        TRY_ASSIGN(touched, shelf_.put(merged.record, unit));
        taken.tokens.insert_or_assign(key, std::move(touched));
        if (theirs.kind == model::erasure_kind) TRY(take_erasure(merged.record, unit));
    }
    if (!messages.empty()) TRY(shelf_.put_messages(messages, here, unit));
    if (!known.empty()) TRY(unit.store.sync().put_knowledge(known));
    return keep_notes(std::move(notes), unit);
}

base::Result<void> Sync::take_units(const SyncFrame& frame, const Taken& taken, Unit& unit) {
    ports::SyncTable& table = unit.store.sync();
    TRY_ASSIGN(const auto here, table.here(frame.host, frame.after + 1, frame.through));
    // What is settled is known, whether the log still has it or never had.
    const auto known = log_.settled().find(frame.host);
    const std::uint64_t settled = known == log_.settled().end() ? 0 : known->second;
    const auto is_new = [&](std::uint64_t counter) {
        return counter > settled && !std::ranges::binary_search(here, counter);
    };
    std::vector<Change> changes;
    for (const SyncEntry& entry : frame.entries) {
        const RecordKey key = key_of(name_of(entry.record));
        const auto touched = taken.tokens.find(key);
        for (const model::SyncUnit& one : entry.units) {
            if (!is_new(one.counter)) continue;
            if (taken.nobodys.contains(key)) {
                changes.push_back(place_of(frame.host, one.counter, {}));
                continue;
            }
            Change change;
            change.unit = {frame.host, one.counter, entry.record.kind, entry.record.id};
            change.user_id = entry.record.user_id;
            // By what it touches a link is found again.
            const bool is_link = entry.record.kind == model::link_kind;
            if (touched != taken.tokens.end() && (!one.quiet || is_link)) change.tokens = touched->second;
            change.clock = entry.record.knowledge.clock;
            change.batch_id = frame.batches[one.batch];
            changes.push_back(std::move(change));
        }
    }
    for (const auto& [ranges, kind] :
         {std::pair(&frame.gone_for_good, model::gone_kind), std::pair(&frame.erased, std::string_view())}) {
        for (const CounterRange& range : *ranges) {
            for (std::uint64_t counter = range.from; counter <= range.to; ++counter) {
                if (is_new(counter)) changes.push_back(place_of(frame.host, counter, kind));
            }
        }
    }
    if (changes.empty()) return {};
    TRY(log_.add_foreign(changes, unit));
    TRY(table.remove_missing(frame.host, frame.after + 1, frame.through));
    return changes_.take(changes, unit);
}

// What the peer cannot give is not there, and somebody may still have it.
base::Result<void> Sync::note_missing(const std::string& peer_id, const SyncFrame& frame, Unit& unit) {
    if (frame.gone.empty()) return {};
    ports::SyncTable& table = unit.store.sync();
    TRY_ASSIGN(const auto here, table.here(frame.host, frame.after + 1, frame.through));
    std::vector<ports::MissingChange> missing;
    for (const CounterRange& range : frame.gone) {
        for (std::uint64_t counter = range.from; counter <= range.to; ++counter) {
            const auto settled = log_.settled().find(frame.host);
            const bool is_known = settled != log_.settled().end() && counter <= settled->second;
            if (is_known || std::ranges::binary_search(here, counter)) continue;
            missing.push_back({frame.host, counter, peer_id, unit.now});
        }
    }
    return table.put_missing(missing);
}

base::Result<model::SyncAck> Sync::ack_of(const std::string& peer_id, const std::string& host, Unit& unit) {
    model::SyncAck ack;
    ack.has = log_.has();
    const model::Peer* const peer = peers_.find(peer_id);
    if (peer != nullptr) ack.whole_cursor = peer->whole_cursor;
    if (host.empty()) return ack;
    TRY_ASSIGN(const std::vector<ports::MissingChange> gone, unit.store.sync().missing(limits::sync_frame_units_max));
    for (const ports::MissingChange& one : gone) {
        if (one.host == host) ack.confirm.push_back({host, one.counter, one.counter});
    }
    ack.confirm = rules::joined_ranges(std::move(ack.confirm));
    std::uint64_t reached = ack.has.counter_of(host);
    TRY_ASSIGN(const auto beyond, unit.store.changes().batched_after(host, reached, limits::sync_frame_units_max));
    for (const std::uint64_t counter : beyond) {
        if (counter > reached + 1) ack.missing.push_back({host, reached + 1, counter - 1});
        reached = counter;
    }
    ack.missing = rules::ranges_without(std::move(ack.missing), ack.confirm);
    for (auto* const ranges : {&ack.missing, &ack.confirm}) {
        if (ranges->size() > limits::sync_ranges_max) ranges->resize(limits::sync_ranges_max);
    }
    return ack;
}

}  // namespace belfry::engine
