#include <algorithm>

#include "engine/sync_shelf.hpp"
#include "rules/agent_tombstone.hpp"
#include "rules/sync_bodies.hpp"

// How records are found that devices have in common.
namespace belfry::engine {
namespace {

using model::AgentRecord;
using model::SyncRecord;

SyncRecord record_of(const RecordName& name, std::string user_id, model::RawJson body) {
    return {name.kind, name.id, std::move(user_id), {}, std::move(body)};
}

bool is_of_journal(std::string_view kind) {
    return model::parse_journal_kind(kind).has_value();
}

std::optional<ports::LinkName> link_in(const SyncRecord& record) {
    model::Link link;
    if (!rules::read_link_body(record.body.view(), link).ok()) return std::nullopt;
    return ports::LinkName{record.user_id, link.relation, link.from_id, link.to_id};
}

// What a change of a link connects: its own name is a hash.
std::optional<ports::LinkName> link_of(const model::Change& change) {
    if (change.unit.kind != model::link_kind) return std::nullopt;
    ports::LinkName name;
    name.user_id = change.user_id;
    for (const model::ChangeToken& token : change.tokens) {
        using Class = model::ChangeToken::Class;
        if (token.token_class == Class::subtype) name.relation = token.name;
        if (token.token_class != Class::entity_id) continue;
        if (name.from_id.empty()) name.from_id = token.name;
        name.to_id = token.name;
    }
    return name;
}

}  // namespace

RecordKey key_of(const RecordName& name) {
    const bool is_persons = is_of_journal(name.kind) || name.kind == model::link_kind;
    return {name.kind, is_persons ? clock_id(name.user_id, name.id) : name.id};
}

RecordName name_of(const SyncRecord& record) {
    RecordName name{record.kind, record.id, record.user_id};
    if (record.kind == model::link_kind) name.link = link_in(record);
    return name;
}

RecordName name_of(const model::Change& change) {
    return {change.unit.kind, change.unit.id, change.user_id, link_of(change)};
}

base::Result<SyncShelf::Records> SyncShelf::load(std::span<const RecordName> names, Unit& unit) {
    std::map<std::string, Names> by_kind;
    Names journal;
    Names agents;
    Names plain;
    for (const RecordName& name : names) {
        if (is_of_journal(name.kind)) journal.push_back(&name);
        else if (name.kind == model::agent_kind || name.kind == model::agent_state_kind) agents.push_back(&name);
        else by_kind[name.kind].push_back(&name);
        // Of an agent that was destroyed long ago the state is left as a tombstone.
        if (name.kind != model::agent_kind && name.kind != model::link_kind) plain.push_back(&name);
    }
    Records found;
    if (!journal.empty()) TRY(load_journal(journal, found, unit));
    if (!agents.empty()) TRY(load_agents(agents, found, unit));
    for (const auto& [kind, some] : by_kind) {
        if (kind == model::link_kind) TRY(load_links(some, found, unit));
        if (kind == model::agent_message_kind) TRY(load_messages(some, found, unit));
        if (kind == model::agent_subscription_kind) TRY(load_rules(some, found, unit));
        if (kind == model::agent_timer_kind) TRY(load_timers(some, found, unit));
    }
    TRY(load_plain(plain, found, unit));
    TRY(add_knowledge(found, unit));
    return found;
}

base::Result<void> SyncShelf::load_journal(const Names& names, Records& found, Unit& unit) {
    std::map<std::string, std::vector<std::string>> ids;
    for (const RecordName* const name : names) ids[name->user_id].push_back(name->id);
    for (const auto& [user_id, some] : ids) TRY(parts_.journal.load(user_id, some, unit));
    for (const RecordName* const name : names) {
        TRY_ASSIGN(const model::JournalRecord* const record, parts_.journal.find(name->user_id, name->id, unit));
        const bool is_it = record != nullptr && model::journal_kind_name(record->kind()) == name->kind;
        if (is_it) found.emplace(key_of(*name), record_of(*name, name->user_id, rules::journal_body(*record)));
    }
    return {};
}

base::Result<void> SyncShelf::load_links(const Names& names, Records& found, Unit& unit) {
    std::vector<ports::LinkName> links;
    for (const RecordName* const name : names) {
        if (name->link) links.push_back(*name->link);
    }
    TRY(parts_.journal.load_links(links, unit));
    for (const RecordName* const name : names) {
        if (!name->link) continue;
        TRY_ASSIGN(const model::Link* const link, parts_.journal.find_link(*name->link, unit));
        if (link != nullptr) found.emplace(key_of(*name), record_of(*name, name->user_id, rules::link_body(*link)));
    }
    return {};
}

// What stands for an agent that was not told of yet is not here.
base::Result<void> SyncShelf::load_agents(const Names& names, Records& found, Unit& unit) {
    std::vector<std::string> ids;
    for (const RecordName* const name : names) ids.push_back(name->id);
    TRY(parts_.agents.load(ids, unit));
    for (const RecordName* const name : names) {
        TRY_ASSIGN(const AgentRecord* const agent, parts_.agents.find(name->id, unit));
        if (agent == nullptr) continue;
        const bool is_agent = name->kind == model::agent_kind;
        if (is_agent ? agent->agent.state_id.is_nil() : agent->state.revision == 0) continue;
        found.emplace(key_of(*name), record_of(*name, agent->agent.user_id,
                                               is_agent ? rules::agent_body(agent->agent)
                                                        : rules::agent_state_body(agent->agent, agent->state)));
    }
    return {};
}

base::Result<void> SyncShelf::load_messages(const Names& names, Records& found, Unit& unit) {
    std::vector<base::Uuid> ids;
    for (const RecordName* const name : names) {
        if (const auto id = base::parse_uuid(name->id)) ids.push_back(*id);
    }
    TRY_ASSIGN(const std::vector<model::AgentMessage> there, unit.store.agent_messages().find(ids));
    const auto add = [&](const base::Uuid& id, const std::string& user_id, model::RawJson body) {
        const RecordName name{std::string(model::agent_message_kind), base::format_uuid(id), user_id};
        found.emplace(key_of(name), record_of(name, user_id, std::move(body)));
    };
    std::vector<std::string> agents;
    for (const model::AgentMessage& message : there) agents.push_back(message.agent_id);
    TRY(parts_.agents.load(agents, unit));
    for (const model::AgentMessage& message : there) {
        TRY_ASSIGN(const AgentRecord* const agent, parts_.agents.find(message.agent_id, unit));
        if (agent != nullptr) add(message.id, agent->agent.user_id, rules::message_body(message));
    }
    if (there.size() == ids.size()) return {};
    TRY_ASSIGN(const auto forgotten, unit.store.sync().forgotten(ids));
    for (const auto& one : forgotten) add(one.message_id, one.user_id, rules::forgotten_body());
    return {};
}

base::Result<void> SyncShelf::load_rules(const Names& names, Records& found, Unit& unit) {
    for (const RecordName* const name : names) {
        const auto id = base::parse_uuid(name->id);
        if (!id) continue;
        TRY_ASSIGN(const auto rule, unit.store.agents().find_subscription({*id}));
        if (!rule) continue;
        TRY_ASSIGN(const AgentRecord* const agent, parts_.agents.find(rule->agent_id, unit));
        if (agent == nullptr) continue;
        found.emplace(key_of(*name), record_of(*name, agent->agent.user_id, rules::subscription_body(*rule)));
    }
    return {};
}

base::Result<void> SyncShelf::load_timers(const Names& names, Records& found, Unit& unit) {
    for (const RecordName* const name : names) {
        const auto id = base::parse_uuid(name->id);
        if (!id) continue;
        TRY_ASSIGN(const auto timer, unit.store.timers().find({*id}));
        if (timer) found.emplace(key_of(*name), record_of(*name, timer->user_id, rules::timer_body(*timer)));
    }
    return {};
}

base::Result<void> SyncShelf::load_plain(const Names& names, Records& found, Unit& unit) {
    std::vector<RecordKey> keys;
    std::map<RecordKey, const RecordName*> wanted;
    for (const RecordName* const name : names) {
        RecordKey key = key_of(*name);
        if (found.contains(key)) continue;
        wanted.emplace(key, name);
        keys.push_back(std::move(key));
    }
    if (keys.empty()) return {};
    TRY_ASSIGN(std::vector<ports::SyncTable::Plain> there, unit.store.sync().plain(keys));
    for (ports::SyncTable::Plain& one : there) {
        RecordKey key{one.kind, one.id};
        const RecordName& name = *wanted.at(key);
        found.emplace(std::move(key), record_of(name, std::move(one.user_id), std::move(one.body)));
    }
    return {};
}

base::Result<void> SyncShelf::add_knowledge(Records& found, Unit& unit) {
    std::vector<RecordKey> keys;
    for (const auto& [key, record] : found) {
        if (key.first != model::agent_message_kind) keys.push_back(key);
    }
    if (keys.empty()) return {};
    TRY_ASSIGN(std::vector<ports::KnownRecord> known, unit.store.sync().knowledge(keys));
    for (ports::KnownRecord& one : known) {
        SyncRecord& record = found.at({one.kind, one.id});
        record.knowledge = std::move(one.knowledge);
        if (record.kind != model::agent_state_kind || rules::is_agent_tombstone(record)) continue;
        // Preferences that were taken away are known by their stamps only.
        model::Agent agent;
        model::AgentState state;
        TRY(rules::read_agent_state_body(record.body.view(), agent, state));
        record.body = rules::agent_state_body(agent, state, record.knowledge);
    }
    return {};
}

}  // namespace belfry::engine
