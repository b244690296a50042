#include "engine/wake_book.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace belfry::engine {

using model::WakeState;

base::Result<void> WakeBook::rebuild(Unit& unit) {
    open_.clear();
    by_agent_.clear();
    running_.clear();
    by_run_.clear();
    due_.clear();
    for (auto& ready : ready_) ready.clear();
    for (auto& ready : ready_of_user_) ready.clear();
    changed_.clear();
    signals_.clear();
    made_.clear();
    carrying_.clear();
    carried_.clear();
    is_changed_ = true;  // what it is read in may be dropped
    // Of those that are gone no number is given again.
    TRY_ASSIGN(const model::WakeId stored, unit.store.wakes().last_id());
    last_id_ = std::max(last_id_, stored);
    TRY_ASSIGN(std::vector<model::Wake> all, unit.store.wakes().load_open());
    for (model::Wake& wake : all) {
        const model::WakeId id = wake.id;
        Entry& entry = open_[id];
        entry.wake = std::move(wake);
        enter(entry);
    }
    TRY_ASSIGN(const std::vector<ports::CarriedChange> carried, unit.store.changes().load_carried());
    for (const ports::CarriedChange& one : carried) {
        const auto at = open_.find(one.wake_id);
        if (at != open_.end()) at->second.carries.insert_or_assign(one.host, one.counter);
    }
    return {};
}

void WakeBook::enter(Entry& entry) {
    const model::Wake& wake = entry.wake;
    by_agent_[wake.agent_id].insert(wake.id);
    if (wake.run_id != 0) by_run_[wake.run_id] = wake.id;
    if (wake.state == WakeState::running) {
        running_[wake.agent_id] = wake.id;
        entry.is_ready = false;
        entry.due = *wake.lease_until;
    } else if (entry.is_ready) {
        const auto kind = static_cast<std::size_t>(entry.workflow);
        ready_[kind].insert(ready_key(wake));
        ready_of_user_[kind][wake.user_id].insert(ready_key(wake));
        entry.due.reset();
    } else if (entry.rests) {
        entry.due = entry.rests_until;
    } else {
        entry.due = wake.due_at;
    }
    if (entry.due) due_.emplace(*entry.due, wake.id);
}

void WakeBook::leave(Entry& entry) {
    const model::Wake& wake = entry.wake;
    const auto of_agent = by_agent_.find(wake.agent_id);
    of_agent->second.erase(wake.id);
    if (of_agent->second.empty()) by_agent_.erase(of_agent);
    if (wake.run_id != 0) by_run_.erase(wake.run_id);
    if (wake.state == WakeState::running) running_.erase(wake.agent_id);
    if (entry.is_ready) {
        const auto kind = static_cast<std::size_t>(entry.workflow);
        ready_[kind].erase(ready_key(wake));
        const auto of_user = ready_of_user_[kind].find(wake.user_id);
        of_user->second.erase(ready_key(wake));
        if (of_user->second.empty()) ready_of_user_[kind].erase(of_user);
    }
    if (entry.due) due_.erase({*entry.due, wake.id});
    entry.due.reset();
}

const WakeBook::Entry* WakeBook::find(model::WakeId id) const {
    const auto at = open_.find(id);
    return at == open_.end() ? nullptr : &at->second;
}

const model::Wake& WakeBook::add(model::Wake wake) {
    wake.id = ++last_id_;
    is_changed_ = true;
    changed_[wake.id] = wake;
    made_.insert(wake.run_key);
    Entry& entry = open_[wake.id];
    entry.wake = std::move(wake);
    entry.depth = 0;
    enter(entry);
    return entry.wake;
}

void WakeBook::put(model::Wake wake) {
    is_changed_ = true;
    changed_[wake.id] = wake;
    const auto at = open_.find(wake.id);
    ASSERT(at != open_.end());
    leave(at->second);
    if (model::is_ended(wake.state)) {
        if (!at->second.carries.empty()) carried_.push_back(wake.id);
        carrying_.erase(wake.id);
        open_.erase(at);
        return;
    }
    // What waits again after a failure, or with another time, has to come to its time first.
    const bool stays_ready = wake.state == WakeState::queued && wake.due_at == at->second.wake.due_at;
    at->second.is_ready = at->second.is_ready && stays_ready;
    at->second.rests = at->second.rests && stays_ready;
    at->second.wake = std::move(wake);
    enter(at->second);
}

void WakeBook::set_ready(model::WakeId id, model::WorkflowKind workflow) {
    is_changed_ = true;
    Entry& entry = open_.at(id);
    leave(entry);
    entry.is_ready = true;
    entry.rests = false;
    entry.workflow = workflow;
    enter(entry);
}

void WakeBook::let_rest(model::WakeId id, std::optional<base::Timestamp> until, RestFor whom) {
    is_changed_ = true;
    Entry& entry = open_.at(id);
    leave(entry);
    entry.is_ready = false;
    entry.rests = true;
    entry.rests_until = until;
    entry.rests_for_devices = whom == RestFor::devices;
    enter(entry);
}

void WakeBook::look_again(const std::string& agent_id) {
    rouse(agent_id);
    for (const model::WakeId id : of_agent(agent_id)) {
        Entry& entry = open_.at(id);
        if (!entry.is_ready) continue;
        is_changed_ = true;
        leave(entry);
        entry.is_ready = false;
        enter(entry);
    }
}

void WakeBook::rouse(const std::string& agent_id) {
    for (const model::WakeId id : of_agent(agent_id)) {
        Entry& entry = open_.at(id);
        if (!entry.rests) continue;
        is_changed_ = true;
        leave(entry);
        entry.rests = false;
        enter(entry);
    }
}

std::vector<model::WakeId> WakeBook::of_agent(const std::string& agent_id) const {
    const auto at = by_agent_.find(agent_id);
    if (at == by_agent_.end()) return {};
    return {at->second.begin(), at->second.end()};
}

std::vector<model::WakeId> WakeBook::running_ids() const {
    std::vector<model::WakeId> ids;
    for (const auto& [agent_id, id] : running_) ids.push_back(id);
    return ids;
}

std::optional<model::WakeId> WakeBook::of_run(model::RunId id) const {
    const auto at = by_run_.find(id);
    return at == by_run_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<model::WakeId> WakeBook::next_of(const std::string& agent_id, model::WorkflowKind workflow) const {
    const auto at = by_agent_.find(agent_id);
    if (at == by_agent_.end() || is_running(agent_id)) return std::nullopt;
    std::optional<ReadyKey> first;
    for (const model::WakeId id : at->second) {
        const Entry& entry = open_.at(id);
        if (!entry.is_ready || entry.workflow != workflow) continue;
        if (!first || ready_key(entry.wake) < *first) first = ready_key(entry.wake);
    }
    return first ? std::optional(std::get<2>(*first)) : std::nullopt;
}

std::optional<model::WakeId> WakeBook::next_of(model::WorkflowKind workflow) const {
    for (const ReadyKey& key : ready_[static_cast<std::size_t>(workflow)]) {
        const model::WakeId id = std::get<2>(key);
        if (!is_running(open_.at(id).wake.agent_id)) return id;
    }
    return std::nullopt;
}

std::vector<model::WakeId> WakeBook::next_of_each_user(model::WorkflowKind workflow, std::size_t limit) const {
    std::vector<model::WakeId> firsts;
    for (const auto& [user, ready] : ready_of_user_[static_cast<std::size_t>(workflow)]) {
        if (firsts.size() >= limit) break;
        const auto first = std::ranges::find_if(
            ready, [&](const ReadyKey& key) { return !is_running(open_.at(std::get<2>(key)).wake.agent_id); });
        if (first != ready.end()) firsts.push_back(std::get<2>(*first));
    }
    return firsts;
}

std::vector<model::WakeId> WakeBook::due(base::Timestamp now, std::size_t limit) const {
    std::vector<model::WakeId> found;
    for (const auto& [due, id] : due_) {
        if (due > now || found.size() >= limit) break;
        found.push_back(id);
    }
    return found;
}

std::optional<base::Timestamp> WakeBook::next_due() const {
    return due_.empty() ? std::nullopt : std::optional(due_.begin()->first);
}

void WakeBook::clock_was_set_back(base::Duration by) {
    for (auto& [id, entry] : open_) {
        leave(entry);
        entry.wake.due_at = entry.wake.due_at - by;
        entry.rests = false;  // until when its agent sleeps is told by the clock as it is now
        if (entry.wake.lease_until) entry.wake.lease_until = *entry.wake.lease_until - by;
        if (entry.wake.deadline) entry.wake.deadline = *entry.wake.deadline - by;
        enter(entry);
    }
}

base::Result<void> WakeBook::match_store(Correction why, Unit& unit) {
    TRY_ASSIGN(std::vector<model::Wake> all, unit.store.wakes().load_open());
    const auto choose = [&](base::Timestamp here, base::Timestamp there) {
        return why == Correction::jump ? there : std::min(here, there);
    };
    is_changed_ = true;
    for (const model::Wake& there : all) {
        const auto at = open_.find(there.id);
        if (at == open_.end()) continue;
        Entry& entry = at->second;
        leave(entry);
        model::Wake& wake = entry.wake;
        wake.due_at = choose(wake.due_at, there.due_at);
        if (wake.lease_until && there.lease_until) wake.lease_until = choose(*wake.lease_until, *there.lease_until);
        if (wake.deadline && there.deadline) wake.deadline = choose(*wake.deadline, *there.deadline);
        entry.rests = false;
        enter(entry);
    }
    return {};
}

void WakeBook::carry(model::WakeId id, const std::map<std::string, std::uint64_t>& changes) {
    if (changes.empty()) return;
    is_changed_ = true;
    carrying_.insert(id);
    auto& carries = open_.at(id).carries;
    for (const auto& [host, counter] : changes) {
        const auto [at, is_new] = carries.emplace(host, counter);
        if (!is_new) at->second = std::min(at->second, counter);
    }
}

std::map<std::string, std::uint64_t> WakeBook::carried(const std::string& agent_id, model::WakeId except) const {
    std::map<std::string, std::uint64_t> first;
    for (const model::WakeId id : of_agent(agent_id)) {
        if (id == except) continue;
        for (const auto& [host, counter] : open_.at(id).carries) {
            const auto [at, is_new] = first.emplace(host, counter);
            if (!is_new) at->second = std::min(at->second, counter);
        }
    }
    return first;
}

base::Result<void> WakeBook::write_carried(Unit& unit) {
    std::vector<ports::CarriedChange> rows;
    for (const model::WakeId id : std::exchange(carrying_, {})) {
        for (const auto& [host, counter] : open_.at(id).carries) rows.push_back({id, host, counter});
    }
    if (!rows.empty()) TRY(unit.store.changes().put_carried(rows));
    const std::vector<model::WakeId> ended = std::exchange(carried_, {});
    if (ended.empty()) return {};
    return unit.store.changes().drop_carried(ended);
}

base::Result<void> WakeBook::write_signals(Unit& unit) {
    if (signals_.empty()) return {};
    const std::vector<model::WakeSignal> signals = std::exchange(signals_, {});
    return unit.store.wakes().add_signals(signals);
}

base::Result<void> WakeBook::flush(Unit& unit) {
    TRY(write_signals(unit));
    TRY(write_carried(unit));
    if (changed_.empty()) return {};
    std::vector<model::Wake> wakes;
    wakes.reserve(changed_.size());
    for (auto& [id, wake] : changed_) wakes.push_back(std::move(wake));
    changed_.clear();
    return unit.store.wakes().put(wakes);
}

void WakeBook::committed() {
    is_changed_ = false;
    changed_.clear();
    signals_.clear();
    made_.clear();
    carrying_.clear();
    carried_.clear();
}

bool WakeBook::dropped() {
    changed_.clear();
    signals_.clear();
    made_.clear();
    carrying_.clear();
    carried_.clear();
    return std::exchange(is_changed_, false);
}

}  // namespace belfry::engine
