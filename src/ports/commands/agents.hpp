#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/agent.hpp"
#include "model/wake.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"

// Agents as records, and their rules for being woken. One that is not there, or not the caller's, is `not_found`.
namespace belfry::ports {

struct CreatedAgent {
    model::AgentRecord record;
    bool is_new = true;  // false: one like this was there, and nothing was done
};

// `conflict` with the reason `taken` where another agent has this id.
struct CreateAgent final : CommandOf<CreatedAgent> {
    model::Agent draft;              // user_id empty: the caller's own
    bool names_capabilities = true;  // false: it has those of its kind
};

// What is not named stays.
struct AgentPatch {
    std::optional<std::string> kind;
    std::optional<std::string> display_name;
    std::optional<model::AgentMode> mode;
    std::optional<bool> dormant;  // true: it rests until somebody says otherwise; false: it is active again
    std::optional<std::vector<std::string>> allowed_category_ids;
    std::optional<std::vector<std::string>> capabilities;
    std::optional<std::map<std::string, model::ToolPolicy>> tool_policies;
    std::optional<model::AgentConfig> config;
    std::optional<model::MemorySettings> memory;
    std::optional<model::WorkflowKind> workflow;
    std::optional<model::RawJson> workflow_settings;
};

// Of its state. `revision`: only if it still has this one, else `conflict` with the reason `stale_revision`.
struct AgentStatePatch {
    std::optional<std::int64_t> revision;
    std::optional<std::optional<base::Timestamp>> sleep_until;
    std::optional<std::optional<base::Timestamp>> next_wake_at;
    std::optional<model::AgentSlots> slots;
};

struct ChangeAgent final : CommandOf<model::AgentRecord> {
    std::string agent_id;
    AgentPatch patch;
    AgentStatePatch state;
};

// Of the state of an agent by the agent itself: by whoever works for it, under his claim. It does not wake the agent.
// `conflict` with the reason `stale_claim` where somebody else has the wake by now, or it has ended.
struct ChangeOwnState final : CommandOf<model::AgentRecord> {
    model::WakeId wake_id = 0;
    std::int64_t fence = 0;
    AgentStatePatch state;
};

// For good: what it was stays to be read, its jobs end, and what it still writes is refused.
struct DestroyAgent final : CommandOf<model::AgentRecord> {
    std::string agent_id;
};

// One with the same rule is there already: that one is the reply.
struct PutWakeSubscription final : CommandOf<model::WakeSubscription> {
    model::WakeSubscription draft;  // without an id: a new one
};

struct DeleteWakeSubscription final : CommandOf<Nothing> {
    std::string agent_id;
    model::SubscriptionId id;
};

}  // namespace belfry::ports
