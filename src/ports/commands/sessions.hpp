#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "model/session.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/intake.hpp"
#include "ports/commands/outbox.hpp"

// What an agent's runtime and a conversation's interface say about a session. A session that nobody made comes into
// being when it is first spoken of.
namespace belfry::ports {

// Creates a session or changes what is given. Nothing given leaves it as it is.
struct PutSession final : CommandOf<model::Session> {
    std::string session_id;
    std::optional<std::string> user_id;
    std::optional<std::string> agent_id;
    std::optional<std::string> title;
    std::optional<model::RawJson> metadata;
    std::optional<model::Budget> budget;  // whole; sets the count back
};

// Somebody wants to follow a session: its stream is there from now on.
struct FollowSession final : CommandOf<Nothing> {
    std::string session_id;
};

struct PostMessage final : CommandOf<model::SessionMessage> {
    std::string session_id;
    model::MessageRole role = model::MessageRole::user;
    std::string content;
    model::RawJson metadata;
    std::optional<model::NodeId> node;    // into this node
    std::optional<model::NodeId> parent;  // into a new node below this one: a branch
    bool deliver = false;                 // of a person's, at the head: it waits until the agent was handed it
};

// What a report brought forth: its own event and those that Belfry concluded from it, in order.
struct ReportReply {
    std::vector<Admitted> events;
    model::Progress progress;
    model::Budget budget;
    std::vector<std::string> unknown;  // handles and ids that it names and that there are not in its session
    std::vector<std::string> stale;  // handles that the session holds for another one than the caller: left as they are
};

enum class TurnEdge : std::uint8_t { start, end };

// A notification that the model has named as dealt with. A lease that is told must be the current one, else the whole
// report is refused: somebody else has it by now.
struct Named {
    std::string key;  // handle or id
    std::optional<std::int64_t> lease;
    std::optional<std::int64_t> version;  // of the content that the model was given
};

struct ReportTurn final : CommandOf<ReportReply> {
    std::string session_id;
    std::string agent_id;
    TurnEdge edge = TurnEdge::start;
    std::optional<std::int64_t> turn_number;  // of a start: the next one unless told
    std::string reason;                       // of an end
    std::int64_t tool_calls = 0;
    std::int64_t tokens_used = 0;                // in this turn, added up
    std::optional<std::int64_t> context_tokens;  // that the context holds now
    std::vector<Named> acknowledged;             // of an end
    std::optional<base::Duration> lease;  // what the session holds is renewed by so much; else as it asked before
    std::optional<base::Uuid> pull_id;    // the last hand-over that the runtime has
    std::vector<Named> leases;            // of notifications that the caller holds
    bool only_named = false;              // of an end: what was neither named nor acknowledged has not arrived
};

enum class ToolCallStatus : std::uint8_t { pending, success, failure, timeout };

struct ReportToolCall final : CommandOf<ReportReply> {
    std::string session_id;
    std::string agent_id;
    std::string source = "tool_executor";
    ToolCallStatus status = ToolCallStatus::success;
    std::string tool_name;
    std::string call_id;
    model::RawJson payload;             // of the event, whole
    std::string handling;               // handle or id of the notification that the turn is about; empty: all it holds
    std::string arguments_fingerprint;  // tells calls of one tool apart; empty: they count as the same
    std::int64_t tokens_used = 0;
    std::optional<base::Uuid> pull_id;  // the last hand-over that the runtime has
    std::vector<Named> leases;          // of notifications that the caller holds
};

struct SelfReply {
    std::optional<Admitted> event;       // told now
    std::optional<base::Uuid> reminder;  // told later
};

// An agent's note to itself.
struct NotifySelf final : CommandOf<SelfReply> {
    std::string session_id;
    std::string agent_id;
    std::string message;
    std::string priority;  // empty: the subscriber's
    std::string category;
    std::string deliver_at;  // immediate, next_turn, after_tool; empty: next_turn
    std::int64_t after_turns = 0;
    double context_above = 0;  // share of the window, 0 to 1
};

}  // namespace belfry::ports
