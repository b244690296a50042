#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codec/json.hpp"
#include "model/agent.hpp"
#include "model/wake.hpp"
#include "net/exchange.hpp"
#include "ports/commands/agents.hpp"

// What the handlers of agents and wakes share.
namespace belfry::net::handlers {

// At most so many texts of at most so many bytes, none of them empty.
base::Result<std::vector<std::string>> read_texts(codec::JsonReader& reader, std::size_t count_max,
                                                  std::size_t bytes_max);
// ISO 8601 with an offset. `read_time_or_null`: null takes away what is there.
base::Result<base::Timestamp> read_time(codec::JsonReader& reader);
base::Result<std::optional<base::Timestamp>> read_time_or_null(codec::JsonReader& reader);

base::Result<model::AgentMode> read_agent_mode(codec::JsonReader& reader);
base::Result<model::AgentConfig> read_agent_config(codec::JsonReader& reader);
// How much of its memory an agent wants before it. What is not named is as it is for everybody.
base::Result<model::MemorySettings> read_memory_settings(codec::JsonReader& reader);
base::Result<model::AgentSlots> read_agent_slots(codec::JsonReader& reader);
base::Result<std::map<std::string, model::ToolPolicy>> read_tool_policies(codec::JsonReader& reader);
// A member of an agent that is to be made.
base::Result<void> read_agent_member(codec::JsonReader& reader, std::string_view name, model::Agent& draft);
base::Result<void> read_state_patch(codec::JsonReader& reader, ports::AgentStatePatch& patch);

// `workflow`: what is not named stays nothing.
struct WorkflowWords {
    std::optional<model::WorkflowKind> kind;
    std::optional<model::RawJson> settings;
};
base::Result<WorkflowWords> read_workflow(codec::JsonReader& reader);

// Of a path that begins with a wake.
base::Result<model::WakeId> wake_id_of_path(const Exchange& exchange);

std::string agent_json(const model::AgentRecord& record);
void answer_agent(const Reply& to, int status, const model::AgentRecord& record);

}  // namespace belfry::net::handlers
