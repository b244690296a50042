#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/memory_settings.hpp"
#include "model/raw_json.hpp"
#include "model/run.hpp"

// An agent as a record: who it is, what it keeps in mind, and what it does at the moment.
namespace belfry::model {

enum class AgentLifecycle : std::uint8_t { created, active, dormant, destroyed };
std::string_view agent_lifecycle_name(AgentLifecycle lifecycle);
std::optional<AgentLifecycle> parse_agent_lifecycle(std::string_view name);

// autonomous: changes, events and the clock wake it; interactive: only a person does; hybrid: both.
enum class AgentMode : std::uint8_t { autonomous, interactive, hybrid };
std::string_view agent_mode_name(AgentMode mode);
std::optional<AgentMode> parse_agent_mode(std::string_view name);

// Who does its work: a program outside that claims its wakes, a language model, or a script of Belfry's own.
enum class WorkflowKind : std::uint8_t { worker, model, script };
std::string_view workflow_kind_name(WorkflowKind kind);
std::optional<WorkflowKind> parse_workflow_kind(std::string_view name);

// What becomes of a call of a tool: it is done, or its person is asked first, or it is proposed to him.
enum class ToolPolicy : std::uint8_t { run, ask, propose };
std::string_view tool_policy_name(ToolPolicy policy);
std::optional<ToolPolicy> parse_tool_policy(std::string_view name);

// Members of an extension have a namespace (`acme.colour`); what has none is refused, so that fields that Belfry gets
// one day are nobody's already.
struct AgentConfig {
    std::int64_t schema_version = 1;
    std::string model_id;   // empty: none
    std::string prompt_id;  // empty: none
    RawJson extension;

    bool operator==(const AgentConfig&) const = default;
};

struct Agent {
    std::string id;       // chosen by whoever makes it: `fixer`
    std::string user_id;  // whose it is
    std::string kind;     // `gym_coach`; what profiles of capabilities go by
    std::string display_name;
    AgentLifecycle lifecycle = AgentLifecycle::created;
    AgentMode mode = AgentMode::hybrid;
    std::vector<std::string> allowed_category_ids;    // sorted, each once
    std::vector<std::string> capabilities;            // sorted, each once: its profile
    std::map<std::string, ToolPolicy> tool_policies;  // by the tool's name; `*`: of those that are not named
    AgentConfig config;
    MemorySettings memory;
    WorkflowKind workflow = WorkflowKind::worker;
    RawJson workflow_settings;  // of a model or a script, as its workflow reads them
    base::Uuid state_id;
    base::Timestamp created_at;
    base::Timestamp updated_at;
    std::optional<base::Timestamp> destroyed_at;  // its tombstone: the record stays

    bool operator==(const Agent&) const = default;
};

struct AgentSlots {
    std::string primary_goal;    // empty: none
    std::string active_task_id;  // empty: none
    std::vector<std::string> open_loop_ids;
    std::map<std::string, std::string> preferences;
    RawJson extension;

    bool operator==(const AgentSlots&) const = default;
};

// What goes with the agent wherever it runs.
struct AgentState {
    base::Uuid id;
    std::string agent_id;
    std::int64_t revision = 0;  // a guard for writers here; it orders nothing between devices
    base::Timestamp updated_at;
    std::optional<base::Timestamp> last_wake_at;
    std::optional<base::Timestamp> next_wake_at;
    std::optional<base::Timestamp> sleep_until;
    std::optional<base::Uuid> recent_head_message_id;
    std::optional<base::Uuid> latest_summary_message_id;
    std::map<std::string, std::int64_t> processed_counter_by_host;
    AgentSlots slots;

    bool operator==(const AgentState&) const = default;
};

// What it does here and now; never leaves this device.
enum class AgentRunStatus : std::uint8_t { idle, queued, running, failed };
std::string_view agent_run_status_name(AgentRunStatus status);

struct AgentRuntimeState {
    std::string agent_id;
    AgentRunStatus run_status = AgentRunStatus::idle;
    base::Timestamp updated_at;
    RunId active_run_id = 0;        // 0: none
    std::string active_session_id;  // empty: none
    std::optional<base::Timestamp> last_run_started_at;
    std::int64_t failure_streak = 0;
    std::int64_t hot_message_count = 0;

    bool operator==(const AgentRuntimeState&) const = default;
};

// One agent with everything that is known of it.
struct AgentRecord {
    Agent agent;
    AgentState state;
    AgentRuntimeState runtime;
    std::optional<base::Timestamp> next_timer_at;  // of its timers, whichever fires next; not written with the rest

    bool operator==(const AgentRecord&) const = default;
};

// When it is woken by the clock: by the next of its timers or by its own wish, whichever is sooner.
[[nodiscard]] std::optional<base::Timestamp> next_wake_of(const AgentRecord& record);

// What is wrong with the name of a member of an extension; empty: nothing.
[[nodiscard]] std::string_view extension_name_fault(std::string_view name);

// The parts of it that are kept as JSON. What is read back was written by these.
void append_text_list(JsonWriter& writer, const std::vector<std::string>& texts);
void append_agent_slots(JsonWriter& writer, const AgentSlots& slots);
void append_counters(JsonWriter& writer, const std::map<std::string, std::int64_t>& counters);
[[nodiscard]] std::vector<std::string> text_list_of(JsonView json);
[[nodiscard]] AgentSlots agent_slots_of(JsonView json);
[[nodiscard]] std::map<std::string, std::int64_t> counters_of(JsonView json);
void append_tool_policies(JsonWriter& writer, const std::map<std::string, ToolPolicy>& policies);
// Nothing: there is a policy among them that nobody knows.
[[nodiscard]] std::optional<std::map<std::string, ToolPolicy>> tool_policies_of(JsonView json);

// `{"id":…,"user_id":…,…,"state":{…},"runtime":{…}}`, into a writer of somebody else.
void append_agent(JsonWriter& writer, const AgentRecord& record);

}  // namespace belfry::model
