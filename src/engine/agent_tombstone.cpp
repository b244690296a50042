#include "engine/agent_tombstone.hpp"

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/limits.hpp"
#include "model/change_log.hpp"
#include "model/sync.hpp"
#include "rules/agent_tombstone.hpp"

namespace belfry::engine {
namespace {

using Plain = ports::SyncTable::Plain;
using Name = std::pair<std::string, std::string>;

Name state_name(const std::string& agent_id) {
    return {std::string(model::agent_state_kind), agent_id};
}

// The stamps of fields that a tombstone does not have go with the fields.
base::Result<void> reduce_knowledge(const model::SyncRecord& full, Unit& unit) {
    const Name name = state_name(full.id);
    TRY_ASSIGN(std::vector<ports::KnownRecord> known, unit.store.sync().knowledge(std::span(&name, 1)));
    if (known.empty()) return {};
    model::SyncRecord record = full;
    record.knowledge = std::move(known.front().knowledge);
    rules::reduce_to_tombstone(record);
    known.front().knowledge = std::move(record.knowledge);
    return unit.store.sync().put_knowledge(known);
}

using Parts = std::map<std::string, std::set<Name>>;  // by agent

// Returns the records of the agents in `sync_plain`: tombstones of their subscriptions and timers, and messages that
// are kept beside their threads. Their bodies have what woke an agent and what it said.
base::Result<Parts> plain_parts(const std::set<std::string>& agents, Unit& unit) {
    static constexpr std::array kinds{model::agent_subscription_kind, model::agent_timer_kind,
                                      model::agent_message_kind};
    constexpr std::size_t slice = base::limits::sweep_slice_rows;
    Parts parts;
    for (const std::string_view kind : kinds) {
        std::string after;
        for (std::size_t found = slice; found == slice;) {
            TRY_ASSIGN(const std::vector<Plain> some, unit.store.sync().plain_after(kind, after, slice));
            found = some.size();
            for (const Plain& one : some) {
                after = one.id;
                const model::SyncRecord record{one.kind, one.id, one.user_id, {}, one.body};
                const auto owner = rules::owning_agent(record);
                if (owner && agents.contains(*owner)) parts[*owner].emplace(one.kind, one.id);
            }
        }
    }
    return parts;
}

// Adds the subscriptions and timers of the agent that there are notes of.
base::Result<void> add_noted_parts(const std::string& agent_id, std::set<Name>& names, Unit& unit) {
    std::set<Name> noted;
    for (const std::string_view kind : {model::agent_subscription_kind, model::agent_timer_kind}) {
        TRY_ASSIGN(const std::vector<model::MergeNote> notes, unit.store.sync().notes_of_kind(kind));
        for (const model::MergeNote& note : notes) noted.emplace(note.kind, note.id);
    }
    for (const Name& name : noted) {
        const auto id = base::parse_uuid(name.second);
        if (!id || names.contains(name)) continue;
        bool is_its = false;
        if (name.first == model::agent_timer_kind) {
            TRY_ASSIGN(const auto timer, unit.store.timers().find({*id}));
            is_its = timer && timer->agent_id == agent_id;
        } else {
            TRY_ASSIGN(const auto rule, unit.store.agents().find_subscription({*id}));
            is_its = rule && rule->agent_id == agent_id;
        }
        if (is_its) names.insert(name);
    }
    return {};
}

// Removes what is kept of the agent beside its own tables. The tombstone of the agent stands for all of its parts.
base::Result<void> remove_beside(const std::string& agent_id, std::set<Name> names, Unit& unit) {
    const std::vector<Name> parts(names.begin(), names.end());
    if (!parts.empty()) TRY(unit.store.sync().remove_plain(parts));
    TRY(add_noted_parts(agent_id, names, unit));
    names.insert(state_name(agent_id));
    names.emplace(model::agent_kind, agent_id);
    const std::vector<Name> all(names.begin(), names.end());
    return unit.store.sync().remove_notes(all);
}

base::Result<void> bury_agent(const model::Agent& agent, std::set<Name> parts, Unit& unit) {
    model::SyncRecord record{std::string(model::agent_state_kind), agent.id, agent.user_id, {}, {}};
    record.body = rules::agent_tombstone_body(*agent.destroyed_at);
    TRY(reduce_knowledge(record, unit));
    TRY(remove_beside(agent.id, std::move(parts), unit));
    const Plain row{record.kind, record.id, record.user_id, record.body, unit.now};
    return unit.store.sync().put_plain(std::span(&row, 1));
}

}  // namespace

base::Result<void> bury_agents(std::span<const std::string> ids, Unit& unit) {
    std::vector<Name> names;
    for (const std::string& id : ids) names.push_back(state_name(id));
    TRY_ASSIGN(const std::vector<Plain> there, unit.store.sync().plain(names));
    std::set<std::string> left(ids.begin(), ids.end());
    for (const Plain& one : there) left.erase(one.id);
    if (left.empty()) return {};
    const std::vector<std::string> wanted(left.begin(), left.end());
    TRY_ASSIGN(const std::vector<model::AgentRecord> found, unit.store.agents().find(wanted));
    TRY_ASSIGN(Parts parts, plain_parts(left, unit));
    for (const model::AgentRecord& one : found) {
        if (one.agent.destroyed_at) TRY(bury_agent(one.agent, std::move(parts[one.agent.id]), unit));
    }
    return {};
}

base::Result<std::set<std::string>> buried_agents(const std::set<std::string>& ids, AgentBook& agents, Unit& unit) {
    std::vector<Name> names;
    for (const std::string& id : ids) names.push_back(state_name(id));
    std::set<std::string> buried;
    if (names.empty()) return buried;
    TRY_ASSIGN(const std::vector<Plain> there, unit.store.sync().plain(names));
    for (const Plain& one : there) {
        TRY_ASSIGN(const model::AgentRecord* const agent, agents.find(one.id, unit));
        if (agent == nullptr) buried.insert(one.id);
    }
    return buried;
}

base::Result<base::Result<void>> check_not_buried(const std::string& id, AgentBook& agents, Unit& unit) {
    using May = base::Result<void>;
    TRY_ASSIGN(const std::set<std::string> buried, buried_agents({id}, agents, unit));
    if (buried.empty()) return May{};
    return May(
        base::error(base::Code::conflict, "an agent of this id was destroyed; choose another id", "id", "taken"));
}

}  // namespace belfry::engine
