#include "rules/agent_tombstone.hpp"

#include "model/change_log.hpp"
#include "rules/body_fields.hpp"
#include "rules/key_maker.hpp"
#include "rules/sync_bodies.hpp"
#include "rules/timer.hpp"

namespace belfry::rules {
namespace {

using model::JsonKind;
using model::SyncRecord;

constexpr std::string_view destroyed_field = "destroyed_at";
constexpr std::string_view lifecycle_field = "lifecycle";
// Every full state has it: devices count what an agent has processed from its first run on.
constexpr std::string_view full_state_field = "processed";

}  // namespace

model::RawJson agent_tombstone_body(base::Timestamp destroyed_at) {
    BodyWriter body;
    body.time(destroyed_field, destroyed_at);
    body.text(lifecycle_field, model::agent_lifecycle_name(model::AgentLifecycle::destroyed));
    return body.take();
}

std::optional<base::Timestamp> destroyed_at(const SyncRecord& record) {
    if (record.kind != model::agent_state_kind) return std::nullopt;
    BodyReader body(record.body.view());
    const auto at = body.maybe_time(destroyed_field);
    return body.done().ok() ? at : std::nullopt;
}

bool is_agent_tombstone(const SyncRecord& record) {
    return destroyed_at(record) && !record.body.member(full_state_field);
}

void reduce_to_tombstone(SyncRecord& record) {
    const auto at = destroyed_at(record);
    if (!at) return;
    record.body = agent_tombstone_body(*at);
    record.knowledge.concurrent.clear();
    std::erase_if(record.knowledge.stamps,
                  [](const auto& entry) { return entry.first != destroyed_field && entry.first != lifecycle_field; });
}

std::optional<std::string> owning_agent(const SyncRecord& record) {
    if (record.kind == model::agent_kind || record.kind == model::agent_state_kind) return record.id;
    const bool is_part = record.kind == model::agent_message_kind || record.kind == model::agent_subscription_kind ||
                         record.kind == model::agent_timer_kind;
    const auto agent_id = is_part ? record.body.member("agent_id") : std::nullopt;
    if (!agent_id || agent_id->kind() != JsonKind::string) return std::nullopt;
    return agent_id->as_text();
}

bool is_used_up_timer(const SyncRecord& record) {
    if (record.kind != model::agent_timer_kind) return false;
    model::AgentTimer timer;
    return read_timer_body(record.body.view(), timer).ok() && is_used_up(timer);
}

std::string tombstone_digest(const SyncRecord& record) {
    const base::Timestamp at = destroyed_at(record).value_or(base::Timestamp{});
    const base::Sha256 hash = KeyMaker("sync tombstone 1")
                                  .add(record.kind)
                                  .add(record.id)
                                  .add(record.user_id)
                                  .add(std::to_string(at.us))
                                  .hash();
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

}  // namespace belfry::rules
