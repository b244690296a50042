#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "model/raw_json.hpp"

// One execution of an agent, with a stream of its own.
namespace belfry::model {

using RunId = std::int64_t;  // 1, 2, 3 …; 0: none

enum class RunState : std::uint8_t { pending, running, completed, failed, cancelled };
std::string_view run_state_name(RunState state);
std::optional<RunState> parse_run_state(std::string_view name);
[[nodiscard]] constexpr bool is_ended(RunState state) {
    return state >= RunState::completed;
}

enum class AgentType : std::uint8_t { global_supervisor, team_supervisor, worker };
std::string_view agent_type_name(AgentType type);
std::optional<AgentType> parse_agent_type(std::string_view name);

// Who speaks: the identity of an agent that goes with each of its events.
struct CallerContext {
    std::string agent_id;
    AgentType agent_type = AgentType::global_supervisor;
    std::string agent_name;
    std::string team_name;  // empty: none, which only a global supervisor may have

    bool operator==(const CallerContext&) const = default;
};
// `{"agent_id":…,"agent_type":…,"agent_name":…,"team_name":…|null}`, appended.
void append_caller_json(std::string& out, const CallerContext& caller);

struct RunError {
    std::string type;
    std::string message;

    bool operator==(const RunError&) const = default;
};

// Terminal states are set once and never change.
struct Run {
    RunId id = 0;
    std::string run_key;  // the caller's own name for it, unique for its user; empty: none
    RunId parent_id = 0;  // 0: it is a root
    RunId root_id = 0;    // of a root, itself
    std::string user_id;
    std::string session_id;    // empty: none
    std::string agent_id;      // empty: none
    std::string hierarchy_id;  // the team of agents that carries it out, by the caller's own id; empty: none
    std::string title;
    RawJson metadata;
    std::optional<CallerContext> caller;
    RunState state = RunState::pending;
    bool paused = false;
    bool tree = false;                // of a root: its whole tree has a stream, `tree:<id>`
    std::int64_t queued = 0;          // its number in the order of those that wait for a place; 0: it does not
    std::int64_t queue_position = 0;  // 1 is next; 0: it does not wait. Not stored, but counted when it is shown
    std::optional<RawJson> result;    // of a completed one, where it has one
    std::optional<RunError> error;    // of a failed one
    std::optional<std::string> cancel_reason;
    base::Timestamp created_at;
    std::optional<base::Timestamp> started_at;
    std::optional<base::Timestamp> ended_at;
    std::optional<base::Timestamp> expires_at;  // not stored: the end and the retention of today
    std::int64_t events = 0;                    // its stream's head; stored once it has ended

    bool operator==(const Run&) const = default;
};

// The names of its streams.
std::string run_stream_name(RunId id);     // `run:7`
std::string tree_stream_name(RunId root);  // `tree:7`

// Does an entry of this type end the stream of this name for good? `lifecycle.completed`, `failed` and `cancelled` end
// a run's, `tree.closed` a tree's.
[[nodiscard]] bool ends_stream(std::string_view stream_name, std::string_view type);

// What is wrong with it as the name of an event that a producer emits: `llm.stream`, `^[a-z_]+(\.[a-z_]+)+$`, at most
// limits::run_event_name_chars_max characters, and not one of Belfry's own. Empty: nothing.
[[nodiscard]] std::string_view run_event_name_fault(std::string_view name);

// What is wrong with a caller context; nothing: it is one. The field is that of the context.
struct CallerFault {
    std::string_view field;
    std::string_view message;
};
[[nodiscard]] std::optional<CallerFault> caller_fault(const CallerContext& caller);

// Everything of a run event's line but its data: `{"id":…,"run_id":…,"timestamp":…,"sequence":…,"source":…,"event":…,
// "data":`; data and the closing brace follow. `source` is JSON: an object or null.
struct RunEventHead {
    std::string_view id;  // a UUID's text
    RunId run_id = 0;
    base::Timestamp timestamp;
    std::int64_t sequence = 0;
    std::string_view source;
    std::string_view event;
};
void append_run_event_head(std::string& out, const RunEventHead& head);

}  // namespace belfry::model
