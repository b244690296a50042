#include "engine/sync_shelf.hpp"

#include <algorithm>

#include "rules/journal_tokens.hpp"
#include "rules/sync_bodies.hpp"

namespace belfry::engine {

using model::SyncRecord;

std::size_t bytes_told(const SyncRecord& record) {
    constexpr std::size_t name_bytes = 64;  // of a host, with a counter
    std::size_t bytes = record.body.bytes().size() + record.id.size() + name_bytes;
    bytes += record.knowledge.clock.counters().size() * name_bytes;
    for (const auto& [field, stamp] : record.knowledge.stamps) bytes += field.size() + name_bytes;
    for (const auto& [field, values] : record.knowledge.concurrent) {
        for (const model::ConcurrentValue& one : values) bytes += field.size() + one.value.bytes().size() + name_bytes;
    }
    return bytes;
}

base::Result<SyncShelf::Tokens> SyncShelf::put(const SyncRecord& record, Unit& unit) {
    if (const auto kind = model::parse_journal_kind(record.kind)) return put_journal(record, *kind, unit);
    if (record.kind == model::link_kind) return put_link(record, unit);
    if (record.kind == model::agent_kind) return put_agent(record, unit);
    if (record.kind == model::agent_state_kind) return put_state(record, unit);
    if (record.kind == model::agent_subscription_kind) TRY(put_rule(record, unit));
    else if (record.kind == model::agent_timer_kind) TRY(put_timer(record, unit));
    else TRY(put_plain(record, unit));
    if (record.kind == model::read_mark_kind) TRY(parts_.marks.take(record, unit));
    if (record.kind == model::run_claim_kind) {
        const auto agent_id = record.body.member("agent_id");
        if (agent_id) TRY(parts_.wakes.claim_came(agent_id->as_text(), unit));
    }
    return Tokens{};
}

base::Result<SyncShelf::Tokens> SyncShelf::touched(const SyncRecord& record, Unit& unit) {
    const model::JsonView body = record.body.view();
    if (const auto kind = model::parse_journal_kind(record.kind)) {
        model::JournalRecord read;
        read.id = record.id;
        read.body = model::empty_body(*kind);
        TRY(rules::read_journal_body(body, read));
        return rules::change_tokens(nullptr, read);
    }
    if (record.kind == model::link_kind) {
        model::Link link;
        TRY(rules::read_link_body(body, link));
        return rules::change_tokens(link);
    }
    if (record.kind == model::agent_message_kind && !rules::is_forgotten(body)) {
        model::AgentMessage message;
        message.id = base::parse_uuid(record.id).value_or(base::Uuid{});
        TRY(rules::read_message_body(body, message));
        return message_tokens(message);
    }
    const bool is_state = record.kind == model::agent_state_kind;
    if (!is_state && record.kind != model::agent_kind) return Tokens{};
    TRY_ASSIGN(const model::AgentRecord* const agent, parts_.agents.find(record.id, unit));
    if (agent == nullptr) return Tokens{};
    return is_state ? agent_state_tokens(*agent) : agent_tokens(agent->agent);
}

base::Result<void> SyncShelf::put_plain(const SyncRecord& record, Unit& unit) {
    const ports::SyncTable::Plain row{record.kind, key_of(name_of(record)).second, record.user_id, record.body,
                                      unit.now};
    return unit.store.sync().put_plain(std::span(&row, 1));
}

// Where the id is another kind's here, it is kept and told on, and not shown.
base::Result<SyncShelf::Tokens> SyncShelf::put_journal(const SyncRecord& record, model::JournalKind kind, Unit& unit) {
    TRY_ASSIGN(const model::JournalRecord* const there, parts_.journal.find(record.user_id, record.id, unit));
    if (there != nullptr && there->kind() != kind) {
        TRY(put_plain(record, unit));
        return Tokens{};
    }
    const std::optional<model::JournalRecord> before = there == nullptr ? std::nullopt : std::optional(*there);
    model::JournalRecord now;
    if (before) now = *before;
    now.id = record.id;
    now.user_id = record.user_id;
    if (!before) now.body = model::empty_body(kind);
    TRY(rules::read_journal_body(record.body.view(), now));
    Tokens tokens = rules::change_tokens(before ? &*before : nullptr, now);
    TRY(parts_.journal.put_synced(std::move(now), unit));
    return tokens;
}

base::Result<SyncShelf::Tokens> SyncShelf::put_link(const SyncRecord& record, Unit& unit) {
    model::Link link;
    TRY(rules::read_link_body(record.body.view(), link));
    link.user_id = record.user_id;
    TRY_ASSIGN(const model::Link* const there, parts_.journal.find_link(name_of(link), unit));
    link.revision = there == nullptr ? 1 : there->revision + 1;
    link.updated_at = unit.now;
    Tokens tokens = rules::change_tokens(link);
    parts_.journal.put_synced(std::move(link));
    return tokens;
}

}  // namespace belfry::engine
