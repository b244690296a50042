#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/raw_json.hpp"
#include "model/run.hpp"
#include "model/wake.hpp"

// What the client library gives and takes about agents and what wakes them.
namespace belfry::client {

struct AgentRequest {
    std::string id;
    std::string user_id;  // what is empty is left out
    std::string kind;
    std::string display_name;
    std::string mode;      // autonomous, interactive, hybrid
    std::string workflow;  // worker, model, script
    std::optional<model::RawJson> settings;
    std::vector<std::string> allowed_category_ids;
    std::vector<std::string> capabilities;
    std::map<std::string, std::string> tool_policies;  // run, ask or propose, by the tool's name or `*`
    std::string model_id;
};

struct AgentNow {
    std::string id;
    std::string user_id;
    std::string kind;
    std::string display_name;
    std::string lifecycle;
    std::string mode;
    std::string workflow;
    std::string run_status;
    std::string last_wake_at;  // empty: never
    std::string next_wake_at;  // by the clock; empty: not
    std::string sleep_until;   // empty: not
    std::int64_t failure_streak = 0;
    model::RawJson json;  // the whole as it came
};

struct AgentQuestion {
    std::string user_id;
    std::string lifecycle;
};

struct WakeSubscriptionRequest {
    std::vector<std::string> types;   // of events, or
    std::vector<std::string> tokens;  // of changes
    std::string severity;             // what is empty is left out
    std::vector<std::string> sources;
    std::string predicate;
    std::optional<base::Duration> window;  // 0: at once
    std::int64_t priority = 0;
    bool synced = false;
};

struct WakeSubscriptionNow {
    std::string id;
    std::string agent_id;
    bool active = true;
    std::vector<std::string> types;
    std::vector<std::string> tokens;
    std::string severity;
    std::string predicate;
    std::int64_t window_ms = 0;
    model::RawJson json;
};

struct WakeRequest {
    std::string request_id;  // of a wake by hand; made by the daemon where it is empty
    std::string session_id;  // not empty: a person says something there
    std::string turn_id;     // likewise
    std::optional<model::RawJson> input;
};

struct WakeNow {
    model::WakeId id = 0;
    std::string run_key;
    std::string agent_id;
    std::string reason;
    std::string reason_id;
    std::string state;
    std::string due_at;
    std::int64_t signals = 0;
    std::int64_t attempts = 0;
    std::string holder;
    std::int64_t fence = 0;
    model::RunId run_id = 0;
    model::WakeId coalesced_into = 0;
    std::optional<model::RunError> error;  // of the last attempt
    std::string created_at;
    std::string ended_at;  // empty: not yet
    model::RawJson json;

    [[nodiscard]] bool is_ended() const { return !ended_at.empty(); }
};

struct WakeQuestion {
    std::string user_id;
    std::string agent_id;
    std::string state;
    bool open = false;
    std::size_t limit = 50;
};
struct WakeNowList {
    std::vector<WakeNow> wakes;  // newest first
    bool more = false;
};

struct WakeSignalNow {
    std::string kind;
    std::string key;
    std::string rule;
    model::RawJson body;
    std::string came_at;
    model::RawJson json;
};

struct ClaimRequest {
    std::vector<std::string> agents;
    std::string holder;
    base::Duration lease = base::seconds(60);
    base::Duration wait;                           // at most a minute, and less than Options::answer_time_max
    std::optional<std::int64_t> context_messages;  // with so many of the newest messages of the thread, and its plan
};
struct Grant {
    WakeNow wake;
    std::vector<WakeSignalNow> signals;
    model::RawJson json;  // {wake, agent, signals}, and with a context {messages, plans}
};

struct AgentMessageNow {
    std::string id;
    std::string thread_id;
    std::string kind;
    std::string created_at;
    std::string action_type;  // of an action
    std::string tool_name;    // likewise
    std::string status;       // of a tool_result
    std::string error_code;   // likewise
    model::RawJson content;   // any JSON
    bool lies_apart = false;  // its content is read with the one message
    model::RawJson json;
};

// An action of the plan, by its operation; or a tool by its name.
struct ToolCallRequest {
    std::string operation_id;  // of the plan, or the caller's own; empty: none
    std::string tool_name;     // empty: the plan has it
    model::RawJson arguments;
};
struct ToolCallNow {
    std::string status;  // success, error; empty: there is no result yet
    model::RawJson says;
    std::string error_code;
    std::string error_message;
    std::string waits_for;  // person, outside; empty: nobody
    std::string waits_for_id;
    bool is_new = true;   // false: it was done before, and this is what came of it
    model::RawJson json;  // {action, result, waits_for, is_new}
};

struct AgentMessageQuestion {
    std::string thread_id;          // empty: any
    std::string changed_entity_id;  // empty: any
    std::size_t limit = 50;
};
struct AgentMessageList {
    std::vector<AgentMessageNow> messages;  // newest first
    bool more = false;
};

struct WakeOutcome {
    std::optional<model::RawJson> result;
    std::optional<model::RunError> error;  // it has failed
    bool release = false;                  // it is given back as if it had not been claimed
    std::string sleep_until;               // RFC 3339; empty: as it is
    std::string next_wake_at;
};

}  // namespace belfry::client
