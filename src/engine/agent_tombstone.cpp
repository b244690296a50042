#include "engine/agent_tombstone.hpp"

#include <span>
#include <utility>
#include <vector>

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

}  // namespace

base::Result<bool> has_shared_records(Unit& unit) {
    TRY_ASSIGN(const std::vector<model::Peer> peers, unit.store.sync().peers());
    if (!peers.empty()) return true;
    TRY_ASSIGN(const std::vector<ports::HostPlace> hosts, unit.store.sync().hosts());
    return hosts.size() > 1;
}

base::Result<void> bury_agent(const std::string& agent_id, Unit& unit) {
    TRY_ASSIGN(const std::vector<model::AgentRecord> found, unit.store.agents().find(std::span(&agent_id, 1)));
    if (found.empty() || !found.front().agent.destroyed_at) return {};
    const model::Agent& agent = found.front().agent;
    model::SyncRecord record{std::string(model::agent_state_kind), agent.id, agent.user_id, {}, {}};
    record.body = rules::agent_tombstone_body(*agent.destroyed_at);
    TRY(reduce_knowledge(record, unit));
    const Plain row{record.kind, record.id, record.user_id, record.body, unit.now};
    return unit.store.sync().put_plain(std::span(&row, 1));
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
