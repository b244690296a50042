#include "engine/change_log.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/hash.hpp"
#include "base/wake_limits.hpp"
#include "rules/wake_key.hpp"

namespace belfry::engine {
namespace {

namespace limits = base::limits;
constexpr std::size_t device_bytes = 8;
constexpr std::size_t incarnation_bytes = 6;

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
    std::vector<model::Change> changes;
    std::vector<std::string> clocks;
    changes.reserve(noted_.size());
    clocks.reserve(noted_.size());
    for (NewChange& noted : std::exchange(noted_, {})) {
        model::Change change;
        clocks.push_back(noted.clock_id.empty() ? noted.id : std::move(noted.clock_id));
        change.number = ++last_number_;
        change.unit = {host_, ++last_counter_, std::move(noted.kind), std::move(noted.id)};
        change.user_id = std::move(noted.user_id);
        change.origin = std::move(noted.origin);
        change.tokens = std::move(noted.tokens);
        change.changed_at = unit.now;
        if (noted.is_once) TRY(change.clock.raise(host_, change.unit.counter));
        due_.try_emplace({change.user_id, false}, unit.now + window_of(false));
        changes.push_back(std::move(change));
    }
    TRY(set_clocks(changes, clocks, unit));
    return unit.store.changes().add(changes);
}

// Each change knows all those of its record that came before it here.
base::Result<void> ChangeLog::set_clocks(std::vector<model::Change>& changes, const std::vector<std::string>& names,
                                         Unit& unit) {
    std::map<std::pair<std::string, std::string>, ports::RecordClock> records;
    const auto is_once = [](const model::Change& change) { return change.clock != model::VectorClock{}; };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        const model::Change& change = changes[i];
        if (is_once(change)) continue;
        records[{change.unit.kind, names[i]}] = {change.unit.kind, names[i], change.user_id, {}};
    }
    if (records.empty()) return {};
    std::vector<ports::RecordClock> all;
    for (const auto& [name, record] : records) all.push_back(record);
    TRY_ASSIGN(const std::vector<ports::RecordClock> there, unit.store.changes().clocks(all));
    for (const ports::RecordClock& one : there) records[{one.kind, one.id}].clock = one.clock;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        model::Change& change = changes[i];
        if (is_once(change)) continue;
        model::VectorClock& clock = records[{change.unit.kind, names[i]}].clock;
        TRY(clock.raise(host_, change.unit.counter));
        change.clock = clock;
    }
    all.clear();
    for (auto& [name, record] : records) all.push_back(std::move(record));
    return unit.store.changes().put_clocks(all);
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
        if (batch.changes.size() < limits::change_batch_max) due_.erase(next);
        if (batch.changes.empty()) continue;  // of somebody who was erased
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
    return unit.store.changes().put_settled(host, reached);
}

void ChangeLog::clock_was_set_back(base::Duration by) {
    for (auto& [collected, due] : due_) due = due - by;
}

void ChangeLog::committed() {
    noted_.clear();
    is_changed_ = false;
}

void ChangeLog::dropped() {
    noted_.clear();
    if (std::exchange(is_changed_, false)) stale_ = true;
}

}  // namespace belfry::engine
