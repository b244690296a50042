#include "net/handlers/agent_message_words.hpp"

#include <utility>

#include "base/limits.hpp"
#include "base/message_limits.hpp"
#include "net/handlers/agent_words.hpp"
#include "net/handlers/body.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;
using model::AgentMessage;
using model::AgentMessageMetadata;

base::Result<model::AgentMessageKind> read_kind(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const auto kind = model::parse_agent_message_kind(text);
    if (!kind) return reader.invalid("must be observation, user, thought, action, tool_result, summary or system");
    return *kind;
}

base::Result<model::ActionType> read_action_type(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const auto type = model::parse_action_type(text);
    if (!type) return reader.invalid("must be tool_call, propose_plan, ask_user or lifecycle_transition");
    return *type;
}

base::Result<model::ToolStatus> read_status(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const auto status = model::parse_tool_status(text);
    if (!status) return reader.invalid("must be success, error or partial");
    return *status;
}

// Any value; null is none.
base::Result<model::RawJson> read_content(JsonReader& reader, std::size_t bytes_max) {
    TRY_ASSIGN(const bool is_null, reader.take_null());
    if (is_null) return model::RawJson();
    TRY_ASSIGN(const codec::JsonSpan span, reader.raw_value());
    if (span.text.size() > bytes_max) {
        return reader.invalid("must have at most " + std::to_string(bytes_max) + " bytes");
    }
    return span.compact();
}

// What metadata and envelopes have in common; false: it is none of these.
base::Result<bool> read_common(JsonReader& reader, std::string_view name, AgentMessageMetadata& metadata) {
    if (name == "action_ref_id") {
        TRY_ASSIGN(metadata.action_ref_id, read_uuid(reader));
    } else if (name == "operation_id") {
        TRY_ASSIGN(metadata.operation_id, read_text(reader, 1, limits::agent_operation_id_bytes_max));
    } else if (name == "status") {
        TRY_ASSIGN(metadata.status, read_status(reader));
    } else if (name == "error_code") {
        TRY_ASSIGN(metadata.error_code, read_text(reader, 1, limits::agent_error_code_bytes_max));
    } else if (name == "error_message") {
        TRY_ASSIGN(metadata.error_message, read_text(reader, 0, limits::agent_error_message_bytes_max));
    } else {
        return false;
    }
    return true;
}

base::Result<void> read_metadata(JsonReader& reader, AgentMessageMetadata& metadata) {
    return read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "extension") {
            TRY_ASSIGN(metadata.extension, read_json_object(reader, limits::agent_json_bytes_max));
            return {};
        }
        TRY_ASSIGN(const bool is_read, read_common(reader, name, metadata));
        return is_read ? base::Result<void>{} : base::Result<void>(unknown(reader));
    });
}

base::Result<void> read_action(JsonReader& reader, AgentMessage& draft) {
    model::ActionEnvelope& action = draft.action.emplace();
    bool has_type = false;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "action_type") {
            TRY_ASSIGN(action.type, read_action_type(reader));
            has_type = true;
        } else if (name == "tool_name") {
            TRY_ASSIGN(action.tool_name, read_text(reader, 1, limits::agent_tool_name_bytes_max));
        } else if (name == "operation_id") {
            if (const auto read = read_common(reader, name, draft.metadata); !read.ok()) return read.error();
        } else if (name == "arguments_hash") {
            TRY_ASSIGN(action.arguments_hash, read_text(reader, 1, limits::agent_operation_id_bytes_max));
        } else if (name == "scope_snapshot") {
            TRY_ASSIGN(action.scope_snapshot, read_texts(reader, limits::agent_list_max, limits::scope_id_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    return has_type ? base::Result<void>{} : base::Result<void>(missing("action.action_type"));
}

base::Result<void> read_tool_result(JsonReader& reader, AgentMessage& draft) {
    model::ResultEnvelope& result = draft.tool_result.emplace();
    return read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "changed_entity_ids") {
            TRY_ASSIGN(result.changed_entity_ids,
                       read_texts(reader, limits::agent_message_list_max, limits::scope_id_bytes_max));
            return {};
        }
        if (name == "changed_tokens") {
            TRY_ASSIGN(result.changed_tokens,
                       read_texts(reader, limits::agent_message_list_max, limits::event_token_bytes_max));
            return {};
        }
        TRY_ASSIGN(const bool is_read, read_common(reader, name, draft.metadata));
        return is_read ? base::Result<void>{} : base::Result<void>(unknown(reader));
    });
}

base::Result<void> read_member(JsonReader& reader, std::string_view name, AgentMessage& draft,
                               AgentMessageMetadata& metadata) {
    if (name == "id") {
        TRY_ASSIGN(draft.id, read_uuid(reader));
    } else if (name == "content") {
        TRY_ASSIGN(draft.content, read_content(reader, limits::agent_message_bytes_max));
    } else if (name == "trigger_source_id") {
        TRY_ASSIGN(draft.trigger_source_id, read_text(reader, 0, limits::scope_id_bytes_max));
    } else if (name == "summary_start_message_id") {
        TRY_ASSIGN(draft.summary_start_message_id, read_uuid(reader));
    } else if (name == "summary_end_message_id") {
        TRY_ASSIGN(draft.summary_end_message_id, read_uuid(reader));
    } else if (name == "summary_depth") {
        TRY_ASSIGN(draft.summary_depth, read_integer(reader, 0, limits::summary_depth_max));
    } else if (name == "tokens_approx") {
        TRY_ASSIGN(draft.tokens_approx, read_integer(reader, 0, limits::agent_message_tokens_max));
    } else if (name == "metadata") {
        TRY(read_metadata(reader, metadata));
    } else if (name == "action") {
        TRY(read_action(reader, draft));
    } else if (name == "tool_result") {
        TRY(read_tool_result(reader, draft));
    } else {
        return unknown(reader);
    }
    return {};
}

// What stands in an envelope stands there only.
base::Result<void> settle_metadata(AgentMessage& draft, AgentMessageMetadata metadata) {
    if (!draft.action && !draft.tool_result) {
        draft.metadata = std::move(metadata);
        return {};
    }
    draft.metadata.extension = std::exchange(metadata.extension, {});
    if (metadata == AgentMessageMetadata{}) return {};
    return base::error(base::Code::invalid,
                       draft.action ? "has what stands in action" : "has what stands in tool_result", "metadata");
}

}  // namespace

base::Result<AgentMessage> read_agent_message(JsonReader& reader) {
    AgentMessage draft;
    AgentMessageMetadata metadata;
    bool has_kind = false;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name != "kind") return read_member(reader, name, draft, metadata);
        TRY_ASSIGN(draft.kind, read_kind(reader));
        has_kind = true;
        return {};
    }));
    if (!has_kind) return missing("kind");
    TRY(settle_metadata(draft, std::move(metadata)));
    return draft;
}

base::Result<AgentMessage> read_exported_message(JsonReader& reader) {
    AgentMessage message;
    AgentMessageMetadata metadata;
    bool has_kind = false;
    bool has_time = false;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "kind") {
            TRY_ASSIGN(message.kind, read_kind(reader));
            has_kind = true;
        } else if (name == "agent_id") {
            TRY_ASSIGN(message.agent_id, read_scope_id(reader));
        } else if (name == "thread_id") {
            TRY_ASSIGN(message.thread_id, read_text(reader, 1, limits::thread_id_bytes_max));
        } else if (name == "created_at") {
            TRY_ASSIGN(message.created_at, read_time(reader));
            has_time = true;
        } else if (name == "prev_message_id") {
            TRY_ASSIGN(message.prev_message_id, read_uuid(reader));
        } else if (name == "content_entry_id") {
            return reader.skip_value();  // where it lies here is another place
        } else {
            return read_member(reader, name, message, metadata);
        }
        return {};
    }));
    if (message.id.is_nil()) return missing("message.id");
    if (message.thread_id.empty()) return missing("message.thread_id");
    if (!has_kind) return missing("message.kind");
    if (!has_time) return missing("message.created_at");
    message.metadata = std::move(metadata);  // it repeats what stands in an envelope
    return message;
}

base::Result<model::PlannedAction> read_planned_action(JsonReader& reader) {
    model::PlannedAction action;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "action_type") {
            TRY_ASSIGN(action.type, read_action_type(reader));
        } else if (name == "tool_name") {
            TRY_ASSIGN(action.tool_name, read_text(reader, 1, limits::agent_tool_name_bytes_max));
        } else if (name == "arguments") {
            TRY_ASSIGN(action.arguments, read_json_object(reader, limits::plan_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    return action;
}

}  // namespace belfry::net::handlers
