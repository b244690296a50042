#include "engine/sync_erasure.hpp"

#include <algorithm>

#include "base/limits.hpp"
#include "engine/sync_walk.hpp"
#include "rules/body_fields.hpp"
#include "rules/merge_record.hpp"
#include "rules/sync_order.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
using model::Change;

constexpr std::size_t unbatched_max = 1'000'000;  // all: they wait for less than a second

model::VectorClock clock_in(const model::RawJson& body) {
    const auto json = body.member("clock");
    if (!json || json->kind() != model::JsonKind::object) return {};
    auto clock = model::VectorClock::parse(*json);
    return clock.ok() ? std::move(*clock) : model::VectorClock{};
}

model::RawJson body_of(const model::VectorClock& clock) {
    rules::BodyWriter body;
    body.raw("clock", clock.to_json());
    return body.take();
}

std::pair<std::string, std::string> name_of_erasure(const std::string& user_id) {
    return {std::string(model::erasure_kind), user_id};
}

}  // namespace

base::Result<SyncErasure::Clocks> SyncErasure::of(const std::set<std::string>& users, Unit& unit) {
    std::vector<std::pair<std::string, std::string>> names;
    for (const std::string& user_id : users) names.push_back(name_of_erasure(user_id));
    TRY_ASSIGN(const auto found, unit.store.sync().plain(names));
    Clocks clocks;
    for (const ports::SyncTable::Plain& one : found) clocks.emplace(one.id, clock_in(one.body));
    return clocks;
}

base::Result<void> SyncErasure::note(const std::string& user_id, Unit& unit) {
    TRY(log_.flush(unit));
    if (!peers_.any() && !log_.knows_others()) return {};
    TRY_ASSIGN(Clocks before, of({user_id}, unit));
    model::VectorClock clock = before[user_id];
    const model::RawJson was = before.at(user_id).empty() ? model::RawJson() : body_of(clock);
    TRY(clock.merge(log_.has()));
    // What lies beyond a gap is here, and goes with the rest.
    for (const auto& [host, settled] : log_.settled()) {
        TRY_ASSIGN(const std::uint64_t last, unit.store.changes().last_counter(host));
        if (last > settled) TRY(clock.raise(host, last));
    }
    TRY(clock.raise(log_.host(), log_.last_counter()));
    const model::RawJson body = body_of(clock);
    const auto [kind, id] = name_of_erasure(user_id);
    const ports::SyncTable::Plain row{kind, id, user_id, body, unit.now};
    TRY(unit.store.sync().put_plain(std::span(&row, 1)));
    log_.note({kind, id, user_id, {}, {}, false, {}, rules::changed_fields(was.view(), body.view())});
    return {};
}

base::Result<std::vector<Change>> SyncErasure::changes_beyond(const std::string& user_id,
                                                              const model::VectorClock& clock, Unit& unit) {
    std::vector<Change> found;
    const auto add = [&](std::vector<Change> some) {
        for (Change& change : some) {
            const bool is_his = change.user_id == user_id && change.unit.kind != model::erasure_kind &&
                                change.unit.kind != model::gone_kind;
            if (is_his) found.push_back(std::move(change));
        }
    };
    for (const auto& [host, settled] : log_.settled()) {
        for (std::uint64_t after = clock.counter_of(host);;) {
            TRY_ASSIGN(std::vector<Change> some,
                       unit.store.sync().changes_after(host, after, limits::sweep_slice_rows));
            const bool is_last = some.size() < limits::sweep_slice_rows;
            if (!some.empty()) after = some.back().unit.counter;
            add(std::move(some));
            if (is_last) break;
        }
    }
    TRY_ASSIGN(std::vector<Change> open, unit.store.changes().unbatched_of(user_id, false, unbatched_max));
    std::erase_if(open, [&](const Change& change) { return clock.includes(change.unit.host, change.unit.counter); });
    add(std::move(open));
    return found;
}

// Of what the log does not reach back to only the record itself tells whether it was written later. Of messages nothing
// does.
base::Result<void> SyncErasure::add_beyond(const std::string& user_id, const model::VectorClock& clock,
                                           SyncShelf::Records& alive, Unit& unit) {
    TRY_ASSIGN(const auto hosts, unit.store.sync().hosts());
    const bool is_in_log =
        std::ranges::none_of(hosts, [&](const auto& one) { return one.floor > clock.counter_of(one.host); });
    if (is_in_log) return {};
    for (const std::string_view kind : rules::sync_kinds) {
        if (kind == model::agent_message_kind || kind == model::erasure_kind) continue;
        for (SyncWalk walk(shelf_, std::string(kind), {}); walk.kind() == kind;) {
            TRY_ASSIGN(std::vector<model::SyncRecord> records, walk.next(frame_bytes_max, unit));
            for (model::SyncRecord& record : records) {
                const auto order = record.knowledge.clock.compare(clock);
                const bool is_void = order == model::ClockOrder::before || order == model::ClockOrder::equal;
                const RecordKey key = key_of(name_of(record));
                if (record.user_id == user_id && !is_void) alive.emplace(key, std::move(record));
            }
        }
    }
    return {};
}

base::Result<void> SyncErasure::erase(const std::string& user_id, Unit& unit) {
    for (bool is_done = false; !is_done;) {
        TRY_ASSIGN(const std::uint64_t timers, timers_.erase_user(user_id, unit));
        TRY_ASSIGN(const std::uint64_t agents, wakes_.erase_user(user_id, unit));
        TRY_ASSIGN(const std::uint64_t records, journal_.erase_user(user_id, unit));
        TRY_ASSIGN(const std::uint64_t changes, changes_.erase_user(user_id, unit));
        TRY_ASSIGN(const std::uint64_t others, unit.store.sync().erase_user(user_id, limits::sweep_slice_rows));
        is_done = timers + agents + records + changes + others == 0;
    }
    return {};
}

base::Result<void> SyncErasure::put_back(const std::vector<Change>& changes, SyncShelf::Records records, Unit& unit) {
    std::vector<ports::KnownRecord> known;
    std::vector<model::SyncRecord> messages;
    std::vector<std::pair<std::size_t, const model::SyncRecord*>> order;
    for (const auto& [key, record] : records) {
        if (record.kind == model::agent_message_kind) messages.push_back(record);
        else order.emplace_back(rules::sync_rank(record.kind), &record);
        if (record.kind != model::agent_message_kind) {
            known.push_back({key.first, key.second, record.user_id, record.knowledge});
        }
    }
    std::ranges::sort(order, {}, [](const auto& one) { return std::pair(one.first, one.second->id); });
    for (const auto& [rank, record] : order) TRY(shelf_.put(*record, unit));
    TRY(shelf_.put_messages(messages, {}, unit));
    TRY(unit.store.sync().put_knowledge(known));
    return unit.store.changes().put_back(changes);
}

base::Result<void> SyncErasure::take(const std::string& user_id, const model::VectorClock& clock, Unit& unit) {
    TRY_ASSIGN(const std::vector<Change> changes, changes_beyond(user_id, clock, unit));
    std::vector<RecordName> names;
    for (const Change& change : changes) names.push_back(name_of(change));
    TRY_ASSIGN(SyncShelf::Records alive, shelf_.load(names, unit));
    TRY(add_beyond(user_id, clock, alive, unit));
    const bool is_all_gone = alive.empty();
    TRY(erase(user_id, unit));
    TRY(put_back(changes, std::move(alive), unit));
    std::string detail;
    model::JsonWriter writer(detail);
    writer.begin_object().field("user_id", user_id).name(local_erasure_member).boolean(true).end_object();
    TRY_ASSIGN(const base::Uuid id, outbox_.owe("erase_user", model::RawJson::trusted(std::move(detail)), unit));
    unit.audit("user.erase", model::house_principal(), "\"erasure\":\"" + base::format_uuid(id) + "\"");
    return is_all_gone ? access_.revoke_user(user_id, unit) : base::Result<void>{};
}

}  // namespace belfry::engine
