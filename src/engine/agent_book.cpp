#include "engine/agent_book.hpp"

#include <span>
#include <utility>
#include <vector>

namespace belfry::engine {

base::Result<model::AgentRecord*> AgentBook::find(const std::string& id, Unit& unit) {
    auto at = entries_.find(id);
    if (at == entries_.end()) {
        TRY_ASSIGN(std::vector<model::AgentRecord> found, unit.store.agents().find(std::span(&id, 1)));
        at = entries_.emplace(id, Entry{}).first;
        if (!found.empty()) at->second.record = std::move(found.front());
    }
    return at->second.record ? &*at->second.record : nullptr;
}

model::AgentRecord& AgentBook::add(model::AgentRecord record) {
    Entry& entry = entries_[record.agent.id];
    entry.record = std::move(record);
    entry.touched = true;
    return *entry.record;
}

void AgentBook::touch(const model::AgentRecord& record) {
    entries_.at(record.agent.id).touched = true;
}

void AgentBook::touch_state(model::AgentRecord& record, base::Timestamp now) {
    ++record.state.revision;
    record.state.updated_at = now;
    touch(record);
}

base::Result<void> AgentBook::flush(Unit& unit) {
    std::vector<model::AgentRecord> changed;
    for (auto& [id, entry] : entries_) {
        if (!std::exchange(entry.touched, false)) continue;
        changed.push_back(*entry.record);
        const auto& wish = entry.record->state.next_wake_at;
        if (wish && (!earliest_wish_ || *wish < *earliest_wish_)) earliest_wish_ = wish;
    }
    if (changed.empty()) return {};
    return unit.store.agents().put(changed);
}

}  // namespace belfry::engine
