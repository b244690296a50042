#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/tool.hpp"
#include "ports/commands/access.hpp"
#include "ports/commands/delivery.hpp"
#include "ports/commands/erasure.hpp"
#include "ports/commands/intake.hpp"
#include "ports/commands/notifications.hpp"
#include "ports/commands/outbox.hpp"
#include "ports/commands/sessions.hpp"

// What the made-up producers and agents sent. Kept beside the commands, because the engine fills those in.
namespace belfry::sim {

using Complaints = std::vector<std::string>;

struct SentEvent {
    model::Event event;
    std::string marker;                          // stands in the payload of this sending and nowhere else
    std::optional<base::Error> broken;           // the bytes were no event
    std::array<std::uint8_t, 16> fingerprint{};  // a repeat has the same, though its marker tells it from the first
};

struct SentRequest {
    model::Principal principal;
    std::string key;  // empty: none
    std::array<std::uint8_t, 16> fingerprint{};
    std::vector<SentEvent> entries;
};

struct SentMint {
    std::string name;  // no other has it
    std::string user_id;
    std::optional<base::Duration> life;
};

struct SentRevoke {
    std::string token_id;
};

struct SentErase {
    std::string user_id;
};

// A claim as the performer holds it, and what he says about it.
struct SentSlice {
    base::Uuid obligation;
    std::int64_t fence = 0;
    bool is_stale = false;  // somebody else's claim came after it
};

struct SentPostpone {
    base::Uuid obligation;
    std::int64_t fence = 0;
};

struct SentPull {
    std::string session_id;
    model::InjectAt point = model::InjectAt::turn_start;
    std::int64_t budget_tokens = 0;
    base::Duration lease;
    std::optional<base::Uuid> acknowledge;
    std::optional<base::Uuid> pull_id = {};  // the last pull that its runtime has, or one that it had long ago
    bool as_agent = false;                   // by an agent's token, else by the administrator's
};

// By its hand-over, or single items; some of them under a lease of before.
struct SentAcknowledge {
    std::string session_id;
    std::optional<base::Uuid> pull_id;
    std::vector<ports::Acknowledge::Item> items;
};

struct SentTurn {
    std::string session_id;
    ports::TurnEdge edge = ports::TurnEdge::start;
    bool is_first = false;  // the count begins anew
    std::int64_t tokens_used = 0;
    std::vector<ports::Named> acknowledged;  // some of them under a lease of before
    std::optional<base::Duration> lease;     // of a start
    std::optional<base::Uuid> pull_id = {};
    std::vector<ports::Named> leases = {};
    bool as_agent = false;
};

struct SentToolCall {
    std::string session_id;
    ports::ToolCallStatus status = ports::ToolCallStatus::success;
    std::string tool_name;
    std::string call_id;
    std::string handling;
    std::optional<base::Uuid> pull_id = {};
    std::vector<ports::Named> leases = {};
    bool as_agent = false;
};

struct SentSelf {
    std::string session_id;
    std::string message;
    std::string priority;
    std::string deliver_at;
    std::int64_t after_turns = 0;
};

struct SentSession {
    std::string session_id;
    std::string user_id;   // empty: not named
    std::string agent_id;  // empty: not named
    std::optional<model::Budget> budget;
};

struct SentMessage {
    std::string session_id;
    model::MessageRole role = model::MessageRole::user;
    std::string content;  // no other has it
};

// The whole list, or one of it.
struct SentSettings {
    std::string user_id;
    std::vector<std::string> disabled_subscribers;
};
struct SentToggle {
    std::string user_id;
    std::string subscriber_id;
    bool enabled = true;
};

struct SentReload {};

// A program says something directly.
struct SentEmit {
    model::Principal principal;
    model::Notification draft;
    std::optional<std::int64_t> lease;
    std::string caused_by;
};

// A person's interface has shown it, or says what the person did with it.
struct SentAck {
    model::Principal principal;
    base::Uuid id;
    std::optional<std::int64_t> lease;
    std::optional<std::int64_t> version;
    std::string how;
};
struct SentMark {
    model::Principal principal;
    base::Uuid id;
    model::ReadMark mark = model::ReadMark::seen;
};

struct SentNarrate {
    base::Uuid id;
    std::optional<std::int64_t> lease;
    std::string words;  // no other has them
    std::optional<base::Uuid> pull_id = {};
    std::optional<std::int64_t> version = {};
};

struct SentHeartbeat {
    std::string session_id;
    std::optional<base::Duration> lease;  // else as it was asked for before
    std::optional<base::Uuid> pull_id = {};
    std::vector<ports::Named> leases = {};
    bool as_agent = false;
};

struct SentRetry {
    base::Uuid id;
};

struct SentOpen {
    std::string user_id;
    std::string session_id;  // empty: all of the user's
};
// The next portion of what waited at an opening.
struct SentContinue {
    std::string user_id;
    std::string session_id;
    std::int64_t after = 0;
    std::int64_t until = 0;
};
struct SentClose {
    std::string user_id;
    std::string session_id;  // as the opening named it
};

struct SentDelete {
    std::string session_id;
};

// Nothing given as its impact: the tool is removed.
struct SentTool {
    std::string name;
    std::optional<model::Impact> impact;
};

// What a sink owed has come to its end.
struct SentFinish {
    base::Uuid obligation;
    std::int64_t fence = 0;
    bool is_done = true;
};

using Sent = std::variant<SentRequest, SentMint, SentRevoke, SentErase, SentSlice, SentPostpone, SentPull,
                          SentAcknowledge, SentTurn, SentToolCall, SentSelf, SentSession, SentMessage, SentSettings,
                          SentToggle, SentReload, SentEmit, SentAck, SentMark, SentNarrate, SentHeartbeat, SentRetry,
                          SentOpen, SentContinue, SentClose, SentDelete, SentTool, SentFinish>;

ports::AnyCommand to_command(const Sent& sent);

model::Principal admin_principal();
model::Principal person_principal(const std::string& user_id);
model::Principal program_principal();  // which may emit for anybody, and holds nothing
model::Principal agent_principal(const std::string& session_id);
// Who runs the agent of a session: the administrator, or an agent's token.
model::Principal runtime_principal(const std::string& session_id, bool as_agent);

}  // namespace belfry::sim
