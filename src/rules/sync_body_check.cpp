#include <algorithm>

#include "base/message_limits.hpp"
#include "model/change_log.hpp"
#include "rules/body_fields.hpp"
#include "rules/sync_bodies.hpp"
#include "rules/wake_key.hpp"

namespace belfry::rules {
namespace {

using base::Code;
using model::JsonView;

base::Error none(const char* field, const char* why) {
    return base::error(Code::invalid, why, field);
}

base::Result<void> check_message(JsonView body) {
    if (is_forgotten(body)) return {};
    model::AgentMessage message;
    TRY(read_message_body(body, message));
    if (message.content.bytes().size() > base::limits::agent_message_bytes_max) return none("content", "is too long");
    return {};
}

base::Result<void> check_link(const model::SyncRecord& record) {
    model::Link link;
    TRY(read_link_body(record.body.view(), link));
    if (std::ranges::find(model::agent_relations, link.relation) != model::agent_relations.end()) {
        return none("relation", "is one that Belfry makes itself");
    }
    if (record.id != link_key(link.relation, link.from_id, link.to_id)) return none("id", "is not that of such a link");
    return {};
}

base::Result<void> check_plain(const model::SyncRecord& record) {
    BodyReader body(record.body.view());
    if (record.kind == model::read_mark_kind) {
        for (const char* const name : {"seen_at", "acted_at", "dismissed_at"}) (void)body.maybe_time(name);
    } else if (record.kind == model::run_claim_kind) {
        for (const char* const name : {"agent_id", "host", "state"}) (void)body.text(name);
        for (const char* const name : {"beat", "lease_s"}) (void)body.number(name);
    } else if (record.id != record.user_id) {
        return none("id", "is another person's");
    }
    return body.done();
}

bool has_uuid(std::string_view kind) {
    return kind == model::agent_message_kind || kind == model::agent_subscription_kind ||
           kind == model::agent_timer_kind || kind == model::read_mark_kind;
}

}  // namespace

base::Result<void> check_sync_body(const model::SyncRecord& record) {
    const JsonView body = record.body.view();
    if (has_uuid(record.kind)) {
        const auto id = base::parse_uuid(record.id);
        if (!id || base::format_uuid(*id) != record.id) return none("id", "is no id of such a record");
    }
    if (const auto kind = model::parse_journal_kind(record.kind)) {
        model::JournalRecord read;
        read.body = model::empty_body(*kind);
        return read_journal_body(body, read);
    }
    if (record.kind == model::link_kind) return check_link(record);
    if (record.kind == model::agent_message_kind) return check_message(body);
    if (record.kind == model::agent_kind) {
        model::Agent agent;
        TRY(read_agent_body(body, agent));
        if (agent.state_id.is_nil()) return none("state_id", "must be given");
        return agent.user_id.empty() ? base::Result<void>(none("user_id", "must be given")) : base::Result<void>{};
    }
    if (record.kind == model::agent_state_kind) {
        model::Agent agent;
        model::AgentState state;
        return read_agent_state_body(body, agent, state);
    }
    if (record.kind == model::agent_subscription_kind) {
        model::WakeSubscription rule;
        return read_subscription_body(body, rule);
    }
    if (record.kind == model::agent_timer_kind) {
        model::AgentTimer timer;
        return read_timer_body(body, timer);
    }
    return check_plain(record);
}

}  // namespace belfry::rules
