#include "engine/agent_book.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "rules/merge_record.hpp"
#include "rules/sync_bodies.hpp"

namespace belfry::engine {
namespace {

using model::ChangeToken;

// What orders writers here, or tells when, is no change by itself.
bool is_same(model::Agent a, const model::Agent& b) {
    a.updated_at = b.updated_at;
    return a == b;
}
bool is_same(model::AgentState a, const model::AgentState& b) {
    a.updated_at = b.updated_at;
    a.revision = b.revision;
    return a == b;
}

// A name that is too long for a token has none.
std::vector<ChangeToken> tokens_of(std::string_view key, std::string_view record_kind, const model::Agent& agent,
                                   std::initializer_list<std::string_view> ids) {
    std::vector<ChangeToken> tokens;
    const auto add = [&](base::Result<ChangeToken> token) {
        if (token.ok()) tokens.push_back(std::move(*token));
    };
    add(ChangeToken::make(ChangeToken::Class::semantic_key, {}, key));
    add(ChangeToken::make(ChangeToken::Class::subtype, record_kind, agent.kind));
    for (const std::string_view id : ids) add(ChangeToken::make(ChangeToken::Class::entity_id, {}, id));
    return tokens;
}

bool is_same_life(const model::Agent& a, const model::Agent& b) {
    return a.lifecycle == b.lifecycle && a.destroyed_at == b.destroyed_at;
}

// What can only grow between devices does so here, too, whatever the clock does.
void keep_grown(model::AgentState& state, const model::AgentState& before) {
    if (before.last_wake_at && (!state.last_wake_at || *state.last_wake_at < *before.last_wake_at)) {
        state.last_wake_at = before.last_wake_at;
    }
    for (const auto& [host, counter] : before.processed_counter_by_host) {
        std::int64_t& now = state.processed_counter_by_host[host];
        now = std::max(now, counter);
    }
}

}  // namespace

std::vector<ChangeToken> agent_tokens(const model::Agent& agent) {
    return tokens_of(model::agent_changed_key, model::agent_kind, agent, {agent.id});
}

std::vector<ChangeToken> agent_state_tokens(const model::AgentRecord& record) {
    return tokens_of(model::agent_state_changed_key, model::agent_state_kind, record.agent,
                     {record.agent.id, base::format_uuid(record.state.id)});
}

base::Result<void> AgentBook::load(std::span<const std::string> ids, Unit& unit) {
    std::vector<std::string> missing;
    for (const std::string& id : ids) {
        if (entries_.try_emplace(id).second) missing.push_back(id);
    }
    if (missing.empty()) return {};
    auto found = unit.store.agents().find(missing);
    if (!found.ok()) {
        for (const std::string& id : missing) entries_.erase(id);
        return std::move(found).error();
    }
    for (model::AgentRecord& record : *found) {
        Entry& entry = entries_.at(record.agent.id);
        entry.noted = record;
        entry.record = std::move(record);
    }
    return {};
}

base::Result<model::AgentRecord*> AgentBook::find(const std::string& id, Unit& unit) {
    TRY(load(std::span(&id, 1), unit));
    Entry& entry = entries_.at(id);
    return entry.record ? &*entry.record : nullptr;
}

model::AgentRecord& AgentBook::add(model::AgentRecord record, const model::ChangeOrigin& by) {
    Entry& entry = entries_[record.agent.id];
    entry.record = std::move(record);
    entry.touched = true;
    note(entry, by);
    return *entry.record;
}

void AgentBook::touch(const model::AgentRecord& record, const std::optional<model::ChangeOrigin>& by) {
    Entry& entry = entries_.at(record.agent.id);
    entry.touched = true;
    note(entry, by);
}

void AgentBook::touch_state(model::AgentRecord& record, base::Timestamp now,
                            const std::optional<model::ChangeOrigin>& by) {
    ++record.state.revision;
    record.state.updated_at = now;
    touch(record, by);
}

model::AgentRecord& AgentBook::put_synced(model::AgentRecord record) {
    Entry& entry = entries_[record.agent.id];
    const model::AgentState before = entry.record ? entry.record->state : model::AgentState{};
    entry.noted = record;
    entry.record = std::move(record);
    entry.touched = true;
    note_times(entry, before, ports::SaidBy::another_device);
    return *entry.record;
}

void AgentBook::tell(const model::Agent& agent, std::string_view kind, const std::optional<model::ChangeOrigin>& by,
                     std::vector<ChangeToken> tokens, std::vector<std::string> fields) {
    const model::ChangeOrigin own{model::ChangeOrigin::Kind::agent, agent.id};
    if (!by) tokens.clear();
    log_.note({std::string(kind),
               agent.id,
               agent.user_id,
               by.value_or(own),
               std::move(tokens),
               false,
               {},
               std::move(fields)});
}

void AgentBook::note_times(Entry& entry, const model::AgentState& before, ports::SaidBy by) {
    const model::AgentState& now = entry.record->state;
    if (now.next_wake_at != before.next_wake_at) entry.wake_by = by;
    if (now.sleep_until != before.sleep_until) entry.sleep_by = by;
}

void AgentBook::note(Entry& entry, const std::optional<model::ChangeOrigin>& by) {
    if (entry.noted) keep_grown(entry.record->state, entry.noted->state);
    if (entry.noted) note_times(entry, entry.noted->state, ports::SaidBy::this_device);
    const model::Agent& agent = entry.record->agent;
    if (!entry.noted || !is_same(entry.noted->agent, agent)) {
        const model::RawJson before = entry.noted ? rules::agent_body(entry.noted->agent) : model::RawJson();
        tell(agent, model::agent_kind, by, agent_tokens(agent),
             rules::changed_fields(before.view(), rules::agent_body(agent).view()));
    }
    note_state(entry, by);
    entry.noted = entry.record;
}

// The life of an agent goes from device to device with its state. That it is another one is told as the agent's change.
void AgentBook::note_state(const Entry& entry, const std::optional<model::ChangeOrigin>& by) {
    const model::AgentRecord& now = *entry.record;
    const bool is_new = !entry.noted || !is_same(entry.noted->state, now.state);
    if (!is_new && is_same_life(entry.noted->agent, now.agent)) return;
    const model::RawJson before =
        entry.noted ? rules::agent_state_body(entry.noted->agent, entry.noted->state) : model::RawJson();
    tell(now.agent, model::agent_state_kind, by, is_new ? agent_state_tokens(now) : std::vector<ChangeToken>(),
         rules::changed_fields(before.view(), rules::agent_state_body(now.agent, now.state).view()));
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
    TRY(unit.store.agents().put(changed));
    return write_times(unit);
}

base::Result<void> AgentBook::write_times(Unit& unit) {
    auto* const store = dynamic_cast<ports::ClockStore*>(&unit.store);
    for (auto& [id, entry] : entries_) {
        const auto wake = std::exchange(entry.wake_by, ports::SaidBy::nobody);
        const auto sleep = std::exchange(entry.sleep_by, ports::SaidBy::nobody);
        const bool is_same = wake == ports::SaidBy::nobody && sleep == ports::SaidBy::nobody;
        if (store != nullptr && !is_same) TRY(store->clock().note_said(id, wake, sleep));
    }
    return {};
}

}  // namespace belfry::engine
