#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "model/agent.hpp"
#include "model/agent_message.hpp"
#include "model/memory.hpp"
#include "model/notification.hpp"
#include "model/tool.hpp"
#include "model/wake.hpp"
#include "ports/commands/command.hpp"

// Jobs that start runs. What a worker says of one is fenced by its claim: `conflict` with the reason `stale_claim`
// where somebody else has it by now, or it has ended.
namespace belfry::ports {

struct AddedWake {
    model::Wake wake;
    bool is_new = true;  // false: one of this key was there, and nothing was done
};

// A message of the user that came with a wake.
struct SpokenMessage {
    // The sender's own. With the text it names the message in the session until the message is answered: some senders
    // count from 1 again.
    std::string id;
    std::string text;
    model::RawJson content;  // as it was sent, which the agent remembers; `{}`: nothing

    bool operator==(const SpokenMessage&) const = default;
};

// By hand (manual), or because a person says something (user_initiated: with a session).
struct WakeAgent final : CommandOf<AddedWake> {
    std::string agent_id;
    model::WakeReason reason = model::WakeReason::manual;
    std::string request_id;  // the caller's own: the same one wakes once. Of a person's wake, his turn
    std::string session_id;
    model::RawJson input;
    // Of a user's wake: the user's messages, oldest first. The session's history gets their texts, the agent's memory
    // gets their contents (the newest limits::agent_messages_batch_max of them). A message that is there already and
    // was not answered yet is not added again. Not given: the words of the input, under the turn; the agent remembers
    // the input.
    std::optional<std::vector<SpokenMessage>> spoken = {};
};

// What the agent remembers of the thread, and what its run was going to do.
struct WakeContext {
    std::vector<model::AgentMessage> messages;  // the newest, the oldest of them first; without what lies apart
    std::vector<model::PlanNow> plans;          // the rounds that were stored by an earlier attempt
    model::AssembledMemory memory;              // what else it is told of what it remembers; its messages are above
};

// What whoever works needs to begin with.
struct WakeGrant {
    model::Wake wake;
    model::AgentRecord agent;
    std::vector<model::WakeSignal> signals;  // the first of them, limits::wake_signals_granted_max at the most
    std::optional<WakeContext> context;      // where it was asked for
    std::vector<model::ToolInfo> tools;      // of others, that its agent may call; for a language model
    // Only for Belfry's own workers, and only if notifications woke the agent outside of a session: these
    // notifications, and the session in which the agent is given them.
    std::vector<model::NotificationId> notifications = {};
    std::string home_session = {};
    // Only for Belfry's own workers: notifications that an interrupted run of the agent tells by its stored plan.
    std::vector<model::NotificationId> reserved = {};
};

// The next job that is due, of these agents or of all that the caller may work for.
struct ClaimReply {
    std::optional<WakeGrant> grant;
    std::vector<std::string> users;  // of the agents: their streams `agent:<user>` tell when to ask again
};
struct ClaimWake final : CommandOf<ClaimReply> {
    std::vector<std::string> agents;  // empty: of all of this workflow, for Belfry's own
    model::WorkflowKind workflow = model::WorkflowKind::worker;
    std::string holder;  // who works, for people to read
    base::Duration lease = base::limits::wake_lease_default;
    std::optional<std::size_t> context_messages;  // nothing: no context is wanted
};

struct RenewWake final : CommandOf<model::Wake> {
    model::WakeId id = 0;
    std::int64_t fence = 0;
    base::Duration lease = base::limits::wake_lease_default;
};

struct EndWake final : CommandOf<model::Wake> {
    model::WakeId id = 0;
    std::int64_t fence = 0;
    std::optional<model::RunError> error;  // nothing: it went well
    bool may_mend = true;                  // of an error: another attempt may do better; else this is the end
    std::optional<model::RawJson> result;
    bool release = false;  // it is given back as if it had not been claimed; nothing else goes with it
    std::optional<std::optional<base::Timestamp>> sleep_until;
    std::optional<std::optional<base::Timestamp>> next_wake_at;
};

struct CancelWake final : CommandOf<model::Wake> {
    model::WakeId id = 0;
    std::string reason;
};

}  // namespace belfry::ports
