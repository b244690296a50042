#include "engine/change_log.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/hash.hpp"
#include "base/wake_limits.hpp"
#include "model/sync.hpp"
#include "rules/merge_record.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr std::size_t device_bytes = 8;
constexpr std::size_t incarnation_bytes = 6;

// True if other devices wait for it: who has begun a run, and that a timer has fired, which is told before the claim.
// Such changes wake nobody.
bool is_urgent(const NewChange& change) {
    if (change.kind == model::run_claim_kind) return true;
    return change.kind == model::agent_timer_kind && change.fields.size() == 1 &&
           change.fields.front() == "last_scheduled_at";
}

// If some of the changes leave before their time, takes those out that are to be collected for a moment longer, and
// returns until when. Changes without tokens wake nobody, so a batch of their own divides nothing that belongs
// together. A clock that was set back holds nothing up.
std::optional<base::Timestamp> leave_collected(std::vector<model::Change>& changes, base::Duration window,
                                               base::Timestamp now) {
    const bool has_urgent = std::ranges::any_of(changes, [](const model::Change& change) {
        return change.unit.kind == model::run_claim_kind || change.unit.kind == model::agent_timer_kind;
    });
    if (!has_urgent) return std::nullopt;
    std::optional<base::Timestamp> first;
    for (const model::Change& change : changes) {
        if (!change.tokens.empty() && (!first || change.changed_at < *first)) first = change.changed_at;
    }
    if (!first || *first > now || *first + window <= now) return std::nullopt;
    std::erase_if(changes, [](const model::Change& change) { return !change.tokens.empty(); });
    return *first + window;
}

base::Duration window_of(bool synced) {
    return synced ? limits::change_window_synced : limits::change_window_local;
}

}  // namespace

base::Result<void> ChangeLog::rebuild(Unit& unit) {
    noted_.clear();
    due_.clear();
    TRY(name_host(unit));
    TRY_ASSIGN(settled_, unit.store.changes().settled());
    TRY_ASSIGN(last_number_, unit.store.changes().last_number());
    TRY_ASSIGN(last_counter_, unit.store.changes().last_counter(host_));
    const auto told = settled_.find(host_);
    if (told != settled_.end()) last_counter_ = std::max(last_counter_, told->second);
    TRY_ASSIGN(const std::vector<ports::UnbatchedChanges> open, unit.store.changes().unbatched());
    // A clock that was set back since must not make them wait longer.
    for (const ports::UnbatchedChanges& some : open) {
        due_[{some.user_id, some.synced}] = std::min(some.since, unit.now) + window_of(some.synced);
    }
    is_changed_ = false;
    stale_ = false;
    return {};
}

base::Result<void> ChangeLog::refresh(Unit& unit) {
    if (!stale_) return {};
    std::vector<NewChange> noted = std::exchange(noted_, {});
    TRY(rebuild(unit));
    noted_ = std::move(noted);
    return {};
}

// Copies of a store go their own ways: each is another host, whose changes are counted from 1 on.
base::Result<void> ChangeLog::name_host(Unit& unit) {
    TRY_ASSIGN(ports::Host host, unit.store.changes().host());
    if (host.device.empty() || host.incarnation.empty()) {
        if (host.device.empty()) host.device = base::hex(unit.random.bytes(device_bytes));
        host.incarnation = base::hex(unit.random.bytes(incarnation_bytes));
        TRY(unit.store.changes().put_host(host));
    }
    host_ = host.device + '.' + host.incarnation;
    return {};
}

base::Result<void> ChangeLog::flush(Unit& unit) {
    if (noted_.empty()) return {};
    TRY(refresh(unit));
    is_changed_ = true;
    const std::vector<NewChange> all = std::exchange(noted_, {});
    std::vector<model::Change> changes;
    changes.reserve(all.size());
    for (const NewChange& noted : all) {
        model::Change change;
        change.number = ++last_number_;
        change.unit = {host_, ++last_counter_, noted.kind, noted.id};
        change.user_id = noted.user_id;
        change.origin = noted.origin;
        change.tokens = noted.tokens;
        change.changed_at = unit.now;
        if (noted.is_once) TRY(change.clock.raise(host_, change.unit.counter));
        const auto due = due_.try_emplace({change.user_id, false}, unit.now + window_of(false)).first;
        if (is_urgent(noted)) due->second = std::min(due->second, unit.now);
        changes.push_back(std::move(change));
    }
    TRY(set_clocks(changes, all, unit));
    return unit.store.changes().add(changes);
}

// Each change knows all those of its record that came before it here.
base::Result<void> ChangeLog::set_clocks(std::vector<model::Change>& changes, const std::vector<NewChange>& noted,
                                         Unit& unit) {
    using Name = std::pair<std::string, std::string>;
    const auto name_of = [](const NewChange& one) {
        return Name{one.kind, one.clock_id.empty() ? one.id : one.clock_id};
    };
    std::map<Name, ports::KnownRecord> records;
    for (const NewChange& one : noted) {
        if (one.is_once) continue;
        Name name = name_of(one);
        records[name] = {name.first, name.second, one.user_id, {}};
    }
    if (records.empty()) return {};
    std::vector<Name> names;
    for (const auto& [name, record] : records) names.push_back(name);
    TRY_ASSIGN(std::vector<ports::KnownRecord> there, unit.store.sync().knowledge(names));
    for (ports::KnownRecord& one : there) records[{one.kind, one.id}].knowledge = std::move(one.knowledge);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        if (noted[i].is_once) continue;
        model::RecordKnowledge& knowledge = records[name_of(noted[i])].knowledge;
        rules::note_write(knowledge, noted[i].kind, noted[i].fields, host_, changes[i].unit.counter);
        changes[i].clock = knowledge.clock;
    }
    std::vector<ports::KnownRecord> all;
    for (auto& [name, record] : records) all.push_back(std::move(record));
    return unit.store.sync().put_knowledge(all);
}

base::Result<void> ChangeLog::add_foreign(std::vector<model::Change>& changes, Unit& unit) {
    if (changes.empty()) return {};
    TRY(refresh(unit));
    is_changed_ = true;
    std::set<std::string> hosts;
    for (model::Change& change : changes) {
        change.number = ++last_number_;
        change.origin = {model::ChangeOrigin::Kind::sync, {}};
        change.changed_at = unit.now;
        hosts.insert(change.unit.host);
    }
    TRY(unit.store.changes().add(changes));
    for (const std::string& host : hosts) TRY(settle(host, unit));
    return {};
}

base::Result<void> ChangeLog::know_all(const std::string& host, std::uint64_t through, Unit& unit) {
    TRY(refresh(unit));
    if (settled_[host] >= through) return {};
    is_changed_ = true;
    has_news_ = true;
    settled_[host] = through;
    TRY(unit.store.changes().put_settled(host, through));
    TRY(unit.store.sync().put_floor(host, through));
    TRY(unit.store.sync().remove_missing(host, 1, through));
    return settle(host, unit);
}

model::VectorClock ChangeLog::has() const {
    model::VectorClock clock;
    if (const auto own = settled_.find(host_); own != settled_.end()) (void)clock.raise(host_, own->second);
    for (const auto& [host, counter] : settled_) {
        // More hosts than a clock holds would be told of as if there were fewer.
        if (counter > 0 && !clock.raise(host, counter).ok()) break;
    }
    return clock;
}

std::optional<base::Timestamp> ChangeLog::next_due() const {
    if (stale_) return base::Timestamp{};
    if (due_.empty()) return std::nullopt;
    return std::ranges::min_element(due_, {}, [](const auto& one) { return one.second; })->second;
}

base::Result<std::optional<model::ChangeBatch>> ChangeLog::next_batch(Unit& unit) {
    TRY(refresh(unit));
    while (true) {
        const auto next = std::ranges::min_element(due_, {}, [](const auto& one) { return one.second; });
        if (next == due_.end() || next->second > unit.now) return std::optional<model::ChangeBatch>{};
        is_changed_ = true;
        model::ChangeBatch batch;
        batch.user_id = next->first.first;
        batch.synced = next->first.second;
        TRY_ASSIGN(batch.changes,
                   unit.store.changes().unbatched_of(batch.user_id, batch.synced, limits::change_batch_max));
        const bool is_all = batch.changes.size() < limits::change_batch_max;
        const auto later = leave_collected(batch.changes, window_of(batch.synced), unit.now);
        if (later) next->second = *later;
        else if (is_all) due_.erase(next);
        if (batch.changes.empty()) continue;  // of somebody who was erased, or collected for a moment longer
        std::vector<model::ChangeUnit> units;
        std::set<std::string> hosts;
        for (const model::Change& change : batch.changes) {
            units.push_back(change.unit);
            hosts.insert(change.unit.host);
        }
        batch.id = rules::batch_id(units);
        for (model::Change& change : batch.changes) change.batch_id = batch.id;
        TRY(unit.store.changes().put_batch(batch.changes));
        for (const std::string& host : hosts) TRY(settle(host, unit));
        return std::optional(std::move(batch));
    }
}

base::Result<void> ChangeLog::settle(const std::string& host, Unit& unit) {
    std::uint64_t& reached = settled_[host];
    const std::uint64_t before = reached;
    while (true) {
        TRY_ASSIGN(const auto some, unit.store.changes().batched_after(host, reached, limits::sweep_slice_rows));
        for (const std::uint64_t counter : some) {
            if (counter != reached + 1) break;
            reached = counter;
        }
        const bool has_gap = some.empty() || some.back() != reached;
        if (has_gap || some.size() < limits::sweep_slice_rows) break;
    }
    if (reached == before) return {};
    has_news_ = true;
    return unit.store.changes().put_settled(host, reached);
}

void ChangeLog::clock_was_set_back(base::Duration by) {
    for (auto& [collected, due] : due_) due = due - by;
}

void ChangeLog::committed() {
    noted_.clear();
    is_changed_ = false;
    has_news_ = false;
}

void ChangeLog::dropped() {
    noted_.clear();
    has_news_ = false;
    if (std::exchange(is_changed_, false)) stale_ = true;
}

}  // namespace belfry::engine
