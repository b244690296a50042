#include "tools/memory.hpp"

namespace belfry::tools {

model::ToolContract memory_contract() {
    model::ToolContract contract;
    contract.capabilities = {model::AgentCapability::memory_read};
    contract.idempotency = model::ToolIdempotency::read_only;
    contract.scope_rules = {model::ToolScopeRule::none};
    return contract;
}

void begin_message(model::JsonWriter& writer, const model::AgentMessage& message) {
    writer.begin_object().field("messageId", base::format_uuid(message.id)).field("threadId", message.thread_id);
    writer.field("kind", model::agent_message_kind_name(message.kind));
    writer.field("createdAt", base::format_timestamp(message.created_at));
}

}  // namespace belfry::tools
