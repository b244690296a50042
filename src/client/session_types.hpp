#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/types.hpp"
#include "model/raw_json.hpp"
#include "model/session.hpp"
#include "model/subscriber.hpp"

// What an agent's runtime gives and takes through the client library. Requests: what is empty, zero or nothing is left
// out.
namespace belfry::client {

struct SessionRequest {
    std::optional<std::string> user_id;
    std::optional<std::string> agent_id;
    std::optional<std::string> title;
    std::optional<model::RawJson> metadata;
    std::optional<model::Budget> budget;  // sets the count back
};

struct ProgressState {
    std::int64_t turn = 0;
    bool in_turn = false;
    std::int64_t tokens_used = 0;
    std::int64_t context_tokens = 0;
    std::string counting_since;
};

struct SessionState {
    std::string id;
    std::string user_id;
    std::string agent_id;
    std::string title;
    model::Budget budget;
    ProgressState progress;
    model::RawJson json;  // the whole as it came
};

// A notification that the model has named as dealt with: its handle or id and, where known, the lease it came with. A
// stale one refuses the whole report.
struct Named {
    Named(const char* which) : id(which) {}
    Named(std::string which, std::int64_t under = 0) : id(std::move(which)), lease(under) {}

    std::string id;
    std::int64_t lease = 0;  // 0: not told
};

struct TurnReport {
    enum class Edge : std::uint8_t { start, end };
    Edge edge = Edge::start;
    std::int64_t turn_number = 0;  // 0: the next one, or the one that is under way
    std::string agent_id;
    std::string reason;
    std::int64_t tool_calls = 0;
    std::int64_t tokens_used = 0;
    std::optional<std::int64_t> context_tokens;
    std::vector<Named> acknowledged;  // of an end
    std::vector<Named> leases;        // of notifications that the caller holds; each with its lease
    std::int64_t lease_s = 0;         // that what the session holds is held on; 0: as usual
    std::string pull_id;              // the last hand-over that was got; empty: the one that this client has got
    bool only_named = false;          // of an end: what was neither named nor acknowledged has not arrived
};

struct ToolCallReport {
    enum class Status : std::uint8_t { pending, success, failure, timeout };
    Status status = Status::success;
    std::string tool_name;
    std::string call_id;
    std::string agent_id;
    std::string source;
    std::optional<model::RawJson> arguments;
    std::optional<std::int64_t> duration_ms;  // needed with success
    std::string result_summary;
    std::string error_type;  // needed with failure, like its message
    std::string error_message;
    std::int64_t retry_count = 0;
    std::optional<std::int64_t> timeout_ms;  // needed with timeout
    std::int64_t tokens_used = 0;
    std::string handling;  // handle of the notification that the turn is about
    std::string pull_id;   // as in a turn's report
};

// What came of a report: its own event and those that Belfry concluded from it.
struct ReportState {
    std::vector<Admitted> events;
    ProgressState progress;
    model::Budget budget;
};

struct SelfNote {
    std::string message;
    std::string agent_id;
    std::optional<model::Priority> priority;
    std::string category;
    std::string deliver_at;  // immediate, next_turn, after_tool
    std::int64_t after_turns = 0;
    double context_above = 0;  // share of the window
};

struct SelfNoteState {
    std::string event_id;     // told now
    std::string reminder_id;  // told later
};

enum class MessageFormat : std::uint8_t { none, openai, anthropic };

struct PullRequest {
    model::InjectAt point = model::InjectAt::turn_start;
    std::int64_t budget_tokens = 0;
    std::int64_t lease_s = 0;
    std::string acknowledge;  // an earlier pull_id
    std::string pull_id;      // as in a turn's report; what went out with others and was not confirmed comes again
    MessageFormat format = MessageFormat::none;
};

struct PulledItem {
    std::string handle;
    std::string id;
    std::int64_t lease = 0;
    std::string subscriber;
    std::string priority;
    std::string severity;
    std::string content;  // TOON
    std::string text;     // for people
    std::string directive;
    bool again = false;         // it was handed over before and nobody confirmed it
    bool needs_answer = false;  // to be named at the end of the turn, or narrated; else it is only context
    bool must_tell = false;     // the agent must tell the user; else it decides
    std::vector<std::string> stands_for;
};

// The person's own word, sent to the session while nobody listened.
struct PulledUserMessage {
    std::string id;
    std::string content;
    std::string created_at;
};

struct Pulled {
    std::string pull_id;
    std::vector<PulledUserMessage> user_messages;  // oldest first; to be read before the items
    std::vector<PulledItem> items;                 // in the order in which they are to be read
    std::int64_t tokens = 0;
    std::int64_t waiting = 0;
    std::string lease_until;
    std::int64_t acknowledged = 0;
    std::vector<std::string> seen;                            // what the person knows already
    std::string digest;                                       // the inbox as one sentence
    std::string text;                                         // all items, fenced; empty: nothing is due
    model::RawJson messages = model::RawJson::trusted("[]");  // as the format says
    model::RawJson tools = model::RawJson::trusted("[]");     // likewise: the definition of `belfry_ack`
    model::RawJson json;
};

// What would be handed over. Looking at it changes nothing.
struct ContextState {
    std::vector<std::string> texts;          // of what is due, for people, the first to be read first
    std::vector<std::string> user_messages;  // of the person that wait, oldest first
    std::int64_t counted = 0;                // further ones, which would be told as a number
    std::int64_t batched = 0;                // events that still gather into notifications
    std::vector<std::string> seen;           // what the person knows already, at the start of a turn
    std::string digest;                      // his inbox as one sentence, likewise
    model::RawJson json;
};

struct ItemLease {
    std::string id;  // handle or id
    std::int64_t lease = 0;
};

}  // namespace belfry::client
