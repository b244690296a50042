#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/uuid.hpp"
#include "model/raw_json.hpp"
#include "model/wake.hpp"

// What an agent remembers: messages that are only ever added, each linked to the one before it in its thread; and the
// plans by which its runs act.
namespace belfry::model {

enum class AgentMessageKind : std::uint8_t { observation, user, thought, action, tool_result, summary, system };
std::string_view agent_message_kind_name(AgentMessageKind kind);
std::optional<AgentMessageKind> parse_agent_message_kind(std::string_view name);

enum class ActionType : std::uint8_t { tool_call, propose_plan, ask_user, lifecycle_transition };
std::string_view action_type_name(ActionType type);
std::optional<ActionType> parse_action_type(std::string_view name);

enum class ToolStatus : std::uint8_t { success, error, partial };
std::string_view tool_status_name(ToolStatus status);
std::optional<ToolStatus> parse_tool_status(std::string_view name);

// Of an action, beside its operation in the metadata. Its arguments are the content of the message.
struct ActionEnvelope {
    ActionType type = ActionType::tool_call;
    std::string tool_name;                    // of a tool_call
    std::string arguments_hash;               // empty: none was given, and there is nothing to make it of
    std::vector<std::string> scope_snapshot;  // the categories that were allowed when it was done

    bool operator==(const ActionEnvelope&) const = default;
};

// Of a tool's result, beside the action, the status and the error in the metadata.
struct ResultEnvelope {
    std::vector<std::string> changed_entity_ids;
    std::vector<std::string> changed_tokens;

    bool operator==(const ResultEnvelope&) const = default;
};

// Members of the extension have a namespace, as everywhere.
struct AgentMessageMetadata {
    std::optional<base::Uuid> action_ref_id;
    std::string operation_id;  // empty: none
    std::optional<ToolStatus> status;
    std::string error_code;     // empty: none
    std::string error_message;  // empty: none
    RawJson extension;

    bool operator==(const AgentMessageMetadata&) const = default;
};

struct AgentMessage {
    base::Uuid id;  // nil: of a draft that was given none
    std::string agent_id;
    std::string thread_id;
    AgentMessageKind kind = AgentMessageKind::observation;
    std::int64_t position = 0;  // among all that there are, in the order of their coming
    base::Timestamp created_at;
    std::optional<base::Uuid> prev_message_id;   // in its thread
    std::optional<base::Uuid> content_entry_id;  // where its content lies apart
    std::string trigger_source_id;               // empty: none
    std::optional<base::Uuid> summary_start_message_id;
    std::optional<base::Uuid> summary_end_message_id;
    std::int64_t summary_depth = 0;
    std::int64_t tokens_approx = 0;
    AgentMessageMetadata metadata;
    std::optional<ActionEnvelope> action;       // of an action
    std::optional<ResultEnvelope> tool_result;  // of a tool_result
    RawJson content;                            // any JSON; of one whose content lies apart and was not read, empty

    bool operator==(const AgentMessage&) const = default;
};

// How records hang together, one row a relation. An agent's state and its newest message stand in its own record.
enum class AgentRelation : std::uint8_t {
    message_prev,
    message_payload,
    summary_start,
    summary_end,
    tool_effect,
};

[[nodiscard]] std::string_view agent_relation_name(AgentRelation relation);

struct AgentLink {
    AgentRelation relation = AgentRelation::message_prev;
    base::Uuid from;  // the message
    std::string to;   // the id as text: of a message, of an entry, of an entity that a tool has changed
    std::string user_id;
    base::Timestamp created_at;

    bool operator==(const AgentLink&) const = default;
};

// One action of a stored plan.
struct PlannedAction {
    std::int64_t ordinal = 0;  // 1, 2, … in its run, over all rounds
    ActionType type = ActionType::tool_call;
    std::string tool_name;
    std::string operation_id;
    std::string arguments_hash;
    RawJson arguments;

    bool operator==(const PlannedAction&) const = default;
};

// What a run is going to do, stored before it does anything. A run that goes on after its results plans another round.
struct AgentPlan {
    std::string run_key;
    std::int64_t round = 1;
    std::string agent_id;
    WakeId wake_id = 0;
    base::Timestamp created_at;
    std::vector<PlannedAction> actions;
    std::vector<base::Uuid> given = {};  // notifications that Belfry's agent had in its conversation at that time

    bool operator==(const AgentPlan&) const = default;
};

// A plan with what has come of it: of each action its message, once it was begun, and its result.
struct PlanNow {
    struct Progress {
        std::optional<AgentMessage> action;
        std::optional<AgentMessage> result;
    };
    AgentPlan plan;
    std::vector<Progress> progress;  // as many as there are actions
};

// `{"id":…,"agent_id":…,…}`, into a writer of somebody else.
void append_agent_message(JsonWriter& writer, const AgentMessage& message);
void append_plan(JsonWriter& writer, const PlanNow& plan);

// The parts that are kept as JSON. What is read back was written by these.
void append_envelope(JsonWriter& writer, const AgentMessage& message);
void read_envelope(JsonView json, AgentMessage& message);
void append_planned_actions(JsonWriter& writer, const std::vector<PlannedAction>& actions);
[[nodiscard]] std::vector<PlannedAction> planned_actions_of(JsonView json);

}  // namespace belfry::model
