#pragma once

#include "model/agent_message.hpp"
#include "model/raw_json.hpp"
#include "model/tool.hpp"

// What tools that read an agent's memory share.
namespace belfry::tools {

inline constexpr std::size_t told_bytes_max = 4 << 10;  // of one message

// Reads what is the agent's own; categories have no part in it.
[[nodiscard]] model::ToolContract memory_contract();

// `{"messageId":…,"threadId":…,"kind":…,"createdAt":…`, which whoever goes on ends.
void begin_message(model::JsonWriter& writer, const model::AgentMessage& message);

}  // namespace belfry::tools
