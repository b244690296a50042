#include <algorithm>

#include "engine/agent_notice.hpp"
#include "engine/fold_pointers.hpp"
#include "engine/sync_shelf.hpp"
#include "rules/sync_bodies.hpp"

// How what agents remember is put where it belongs.
namespace belfry::engine {
namespace {

using model::AgentMessage;
using model::AgentMessageKind;
using model::AgentRecord;
using model::SyncRecord;

base::Result<AgentMessage> message_of(const SyncRecord& record) {
    AgentMessage message;
    message.id = base::parse_uuid(record.id).value_or(base::Uuid{});
    TRY(rules::read_message_body(record.body.view(), message));
    return message;
}

}  // namespace

// An action is done once under its operation, and has one result: what another device has told under another id is
// kept and told on, and not shown.
base::Result<bool> SyncShelf::is_hindered(const AgentMessage& message, const std::vector<AgentMessage>& added,
                                          Unit& unit) {
    ports::AgentMessageTable& table = unit.store.agent_messages();
    const bool is_there = std::ranges::any_of(added, [&](const AgentMessage& one) {
        if (one.kind != message.kind || one.id == message.id || one.agent_id != message.agent_id) return false;
        return message.kind == AgentMessageKind::action
                   ? one.metadata.operation_id == message.metadata.operation_id
                   : message.kind == AgentMessageKind::tool_result && message.metadata.action_ref_id &&
                         one.metadata.action_ref_id == message.metadata.action_ref_id;
    });
    if (is_there) return true;
    std::optional<AgentMessage> there;
    if (message.kind == AgentMessageKind::action) {
        TRY_ASSIGN(there, table.find_action(message.agent_id, message.metadata.operation_id));
    } else if (message.kind == AgentMessageKind::tool_result && message.metadata.action_ref_id) {
        TRY_ASSIGN(there, table.result_of(*message.metadata.action_ref_id));
    }
    return there && there->id != message.id;
}

// What would be let go of at once is not taken: it would come back as something new.
bool SyncShelf::is_too_old(const AgentMessage& message, Unit& unit) const {
    const auto kept = parts_.messages_kept.find(message.kind);
    return kept != parts_.messages_kept.end() && kept->second > base::Duration{} &&
           message.created_at < unit.now - kept->second;
}

// A walk over all finds it by what is known of it, which is nothing.
base::Result<void> SyncShelf::put_beside(const SyncRecord& record, Unit& unit) {
    const ports::KnownRecord known{record.kind, record.id, record.user_id, {}};
    TRY(unit.store.sync().put_knowledge(std::span(&known, 1)));
    return put_plain(record, unit);
}

base::Result<void> SyncShelf::forget(const std::vector<base::Uuid>& ids, Unit& unit) {
    if (ids.empty()) return {};
    TRY_ASSIGN(const std::vector<AgentMessage> messages, unit.store.agent_messages().find(ids));
    std::map<std::string, std::vector<AgentMessage>> by_agent;
    for (const AgentMessage& message : messages) by_agent[message.agent_id].push_back(message);
    for (const auto& [agent_id, some] : by_agent) {
        TRY_ASSIGN(AgentRecord* const agent, parts_.agents.find(agent_id, unit));
        if (agent != nullptr) TRY(parts_.forgetting.take(*agent, some, unit));
    }
    return {};
}

// Of what stands beside the others nothing is left, either.
base::Result<void> SyncShelf::forget_beside(const SyncRecord& record, Unit& unit) {
    const std::pair<std::string, std::string> name(record.kind, record.id);
    TRY_ASSIGN(const auto there, unit.store.sync().plain(std::span(&name, 1)));
    return there.empty() ? base::Result<void>{} : put_plain(record, unit);
}

base::Result<void> SyncShelf::put_messages(std::span<const SyncRecord> records, const Records& before, Unit& unit) {
    std::vector<AgentMessage> added;
    std::vector<base::Uuid> forgotten;
    for (const SyncRecord& record : records) {
        const RecordKey key = key_of(name_of(record));
        if (rules::is_forgotten(record.body.view())) {
            const ports::SyncTable::Forgotten gone{*base::parse_uuid(record.id), {}, record.user_id};
            TRY(unit.store.sync().add_forgotten(std::span(&gone, 1)));
            if (before.contains(key)) TRY(forget_beside(record, unit));
            forgotten.push_back(gone.message_id);
            continue;
        }
        TRY_ASSIGN(AgentMessage message, message_of(record));
        TRY_ASSIGN(AgentRecord* const agent, place_agent(message.agent_id, record.user_id, unit));
        if (before.contains(key)) {
            TRY_ASSIGN(const auto old, unit.store.agent_messages().find(std::span(&message.id, 1)));
            if (old.empty()) {
                TRY(put_plain(record, unit));
                continue;
            }
            TRY(parts_.log.put_instead(*agent, old.front(), message, unit));
            TRY(revise_notice(agent->agent, message, parts_.ledger, unit));
            continue;
        }
        TRY_ASSIGN(const bool is_second, is_hindered(message, added, unit));
        if (is_second) TRY(put_beside(record, unit));
        if (is_second || is_too_old(message, unit)) continue;
        added.push_back(std::move(message));
    }
    TRY(forget(forgotten, unit));
    // What is told anew of what is left may have been made here just now.
    if (!forgotten.empty()) TRY(drop_made(added, unit));
    return add(added, unit);
}

// Those that are here by now: of two that differ the same is kept everywhere.
base::Result<void> SyncShelf::drop_made(std::vector<AgentMessage>& added, Unit& unit) {
    std::vector<base::Uuid> ids;
    for (const AgentMessage& message : added) ids.push_back(message.id);
    TRY_ASSIGN(const std::vector<AgentMessage> there, unit.store.agent_messages().find(ids));
    for (const AgentMessage& old : there) {
        const auto at = std::ranges::find(added, old.id, &AgentMessage::id);
        if (rules::message_body(*at).bytes() < rules::message_body(old).bytes()) {
            TRY_ASSIGN(const AgentRecord* const agent, parts_.agents.find(old.agent_id, unit));
            TRY(parts_.log.put_instead(*agent, old, *at, unit));
        }
        added.erase(at);
    }
    return {};
}

base::Result<void> SyncShelf::add(std::vector<AgentMessage>& added, Unit& unit) {
    for (auto from = added.begin(); from != added.end();) {
        const auto to =
            std::find_if(from, added.end(), [&](const AgentMessage& one) { return one.thread_id != from->thread_id; });
        TRY_ASSIGN(AgentRecord* const agent, parts_.agents.find(from->agent_id, unit));
        TRY(parts_.log.take_in(*agent, from->thread_id, std::span(from, to), unit));
        for (auto one = from; one != to; ++one) {
            if (one->kind == AgentMessageKind::summary) TRY(place_told_summary(*one, *agent, unit));
        }
        from = to;
    }
    return {};
}

}  // namespace belfry::engine
