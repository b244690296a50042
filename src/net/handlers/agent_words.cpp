#include "net/handlers/agent_words.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "net/handlers/body.hpp"

namespace belfry::net::handlers {
namespace {

using codec::JsonReader;
namespace limits = base::limits;

// Reads the elements of an array with `read()`.
template <class Read>
base::Result<void> read_elements(JsonReader& reader, std::size_t count_max, Read&& read) {
    TRY(reader.begin_array());
    for (std::size_t count = 0;; ++count) {
        TRY_ASSIGN(const bool more, reader.next_element());
        if (!more) return {};
        if (count == count_max) {
            return reader.invalid("is one too many; at most " + std::to_string(count_max) + " entries are allowed");
        }
        TRY(read());
    }
}

base::Result<void> read_preferences(JsonReader& reader, std::map<std::string, std::string>& preferences) {
    return read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (preferences.size() == limits::agent_list_max) {
            return reader.invalid("is one too many; at most " + std::to_string(limits::agent_list_max) +
                                  " preferences are allowed");
        }
        if (name.empty() || name.size() > limits::agent_name_bytes_max) {
            return reader.invalid("must have a name of 1 to " + std::to_string(limits::agent_name_bytes_max) +
                                  " bytes");
        }
        std::string key(name);
        TRY_ASSIGN(std::string value, read_text(reader, 0, limits::agent_text_bytes_max));
        preferences.insert_or_assign(std::move(key), std::move(value));
        return {};
    });
}

}  // namespace

base::Result<std::vector<std::string>> read_texts(JsonReader& reader, std::size_t count_max, std::size_t bytes_max) {
    std::vector<std::string> texts;
    TRY(read_elements(reader, count_max, [&]() -> base::Result<void> {
        TRY_ASSIGN(std::string text, read_text(reader, 1, bytes_max));
        texts.push_back(std::move(text));
        return {};
    }));
    return texts;
}

base::Result<base::Timestamp> read_time(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const auto time = base::parse_timestamp(text);
    if (!time)
        return reader.invalid("must be an ISO 8601 time with an offset, from 1970 on, such as 2026-11-16T07:00:00Z");
    return *time;
}

base::Result<std::optional<base::Timestamp>> read_time_or_null(JsonReader& reader) {
    TRY_ASSIGN(const bool is_null, reader.take_null());
    if (is_null) return std::optional<base::Timestamp>{};
    TRY_ASSIGN(const base::Timestamp time, read_time(reader));
    return std::optional(time);
}

base::Result<model::AgentMode> read_agent_mode(JsonReader& reader) {
    TRY_ASSIGN(const std::string_view text, reader.read_string());
    const auto mode = model::parse_agent_mode(text);
    if (!mode) return reader.invalid("must be autonomous, interactive or hybrid");
    return *mode;
}

base::Result<model::AgentConfig> read_agent_config(JsonReader& reader) {
    model::AgentConfig config;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "schema_version") {
            TRY_ASSIGN(config.schema_version, read_integer(reader, 1, std::numeric_limits<std::int32_t>::max()));
        } else if (name == "model_id") {
            TRY_ASSIGN(config.model_id, read_text(reader, 0, limits::agent_name_bytes_max));
        } else if (name == "prompt_id") {
            TRY_ASSIGN(config.prompt_id, read_text(reader, 0, limits::agent_name_bytes_max));
        } else if (name == "extension") {
            TRY_ASSIGN(config.extension, read_json_object(reader, limits::agent_json_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    return config;
}

base::Result<model::MemorySettings> read_memory_settings(JsonReader& reader) {
    model::MemorySettings memory;
    bool has_hot = false;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "budget_tokens") {
            TRY_ASSIGN(memory.budget_tokens,
                       read_integer(reader, limits::memory_budget_tokens_min, limits::memory_budget_tokens_max));
        } else if (name == "hot_tokens") {
            TRY_ASSIGN(memory.hot_tokens,
                       read_integer(reader, limits::memory_hot_tokens_min, limits::memory_budget_tokens_max));
            has_hot = true;
        } else if (name == "hot_messages") {
            TRY_ASSIGN(memory.hot_messages, read_integer(reader, 1, limits::memory_hot_messages_max));
        } else if (name == "summarizer") {
            TRY_ASSIGN(const std::string_view text, reader.read_string());
            memory.summarizer = model::parse_summarizer(text);
            if (!memory.summarizer) return reader.invalid("must be rules or model");
        } else if (name == "base_url") {
            TRY_ASSIGN(memory.base_url, read_text(reader, 0, limits::agent_text_bytes_max));
        } else if (name == "model") {
            TRY_ASSIGN(memory.model, read_text(reader, 0, limits::agent_name_bytes_max));
        } else if (name == "key_env") {
            TRY_ASSIGN(memory.key_env, read_text(reader, 0, limits::agent_name_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    if (!has_hot) memory.hot_tokens = std::min(memory.hot_tokens, memory.budget_tokens / 2);
    return memory;
}

base::Result<std::map<std::string, model::ToolPolicy>> read_tool_policies(JsonReader& reader) {
    std::map<std::string, model::ToolPolicy> policies;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        std::string tool(name);
        TRY_ASSIGN(const std::string_view text, reader.read_string());
        const auto policy = model::parse_tool_policy(text);
        if (!policy) return reader.invalid("must be run, ask or propose");
        policies.insert_or_assign(std::move(tool), *policy);
        if (policies.size() <= limits::agent_list_max) return {};
        return base::error(base::Code::too_large,
                           "has more than " + std::to_string(limits::agent_list_max) + " entries", "tool_policies");
    }));
    return policies;
}

base::Result<model::AgentSlots> read_agent_slots(JsonReader& reader) {
    model::AgentSlots slots;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "primary_goal") {
            TRY_ASSIGN(slots.primary_goal, read_text(reader, 0, limits::agent_text_bytes_max));
        } else if (name == "active_task_id") {
            TRY_ASSIGN(slots.active_task_id, read_text(reader, 0, limits::scope_id_bytes_max));
        } else if (name == "open_loop_ids") {
            TRY_ASSIGN(slots.open_loop_ids, read_texts(reader, limits::agent_list_max, limits::scope_id_bytes_max));
        } else if (name == "preferences") {
            return read_preferences(reader, slots.preferences);
        } else if (name == "extension") {
            TRY_ASSIGN(slots.extension, read_json_object(reader, limits::agent_json_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    return slots;
}

base::Result<WorkflowWords> read_workflow(JsonReader& reader) {
    WorkflowWords words;
    TRY(read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "kind") {
            TRY_ASSIGN(const std::string_view text, reader.read_string());
            words.kind = model::parse_workflow_kind(text);
            if (!words.kind) return reader.invalid("must be worker, model or script");
        } else if (name == "settings") {
            TRY_ASSIGN(words.settings, read_json_object(reader, limits::agent_json_bytes_max));
        } else {
            return unknown(reader);
        }
        return {};
    }));
    return words;
}

base::Result<void> read_agent_member(JsonReader& reader, std::string_view name, model::Agent& draft) {
    if (name == "id") {
        TRY_ASSIGN(draft.id, read_scope_id(reader));
    } else if (name == "user_id") {
        TRY_ASSIGN(draft.user_id, read_scope_id(reader));
    } else if (name == "kind") {
        TRY_ASSIGN(draft.kind, read_text(reader, 0, limits::agent_name_bytes_max));
    } else if (name == "display_name") {
        TRY_ASSIGN(draft.display_name, read_text(reader, 0, limits::agent_name_bytes_max));
    } else if (name == "mode") {
        TRY_ASSIGN(draft.mode, read_agent_mode(reader));
    } else if (name == "allowed_category_ids") {
        TRY_ASSIGN(draft.allowed_category_ids, read_texts(reader, limits::agent_list_max, limits::scope_id_bytes_max));
    } else if (name == "capabilities") {
        TRY_ASSIGN(draft.capabilities, read_texts(reader, limits::agent_list_max, limits::scope_id_bytes_max));
    } else if (name == "tool_policies") {
        TRY_ASSIGN(draft.tool_policies, read_tool_policies(reader));
    } else if (name == "config") {
        TRY_ASSIGN(draft.config, read_agent_config(reader));
    } else if (name == "memory") {
        TRY_ASSIGN(draft.memory, read_memory_settings(reader));
    } else if (name == "workflow") {
        TRY_ASSIGN(WorkflowWords words, read_workflow(reader));
        if (words.kind) draft.workflow = *words.kind;
        if (words.settings) draft.workflow_settings = std::move(*words.settings);
    } else {
        return unknown(reader);
    }
    return {};
}

base::Result<void> read_state_patch(JsonReader& reader, ports::AgentStatePatch& patch) {
    return read_members(reader, [&](std::string_view name) -> base::Result<void> {
        if (name == "revision") {
            TRY_ASSIGN(patch.revision, read_integer(reader, 1, std::numeric_limits<std::int64_t>::max()));
        } else if (name == "sleep_until") {
            TRY_ASSIGN(patch.sleep_until, read_time_or_null(reader));
        } else if (name == "next_wake_at") {
            TRY_ASSIGN(patch.next_wake_at, read_time_or_null(reader));
        } else if (name == "slots") {
            TRY_ASSIGN(patch.slots, read_agent_slots(reader));
        } else {
            return unknown(reader);
        }
        return {};
    });
}

base::Result<model::WakeId> wake_id_of_path(const Exchange& exchange) {
    const std::string& text = exchange.captures.front();
    model::WakeId id = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (failed != std::errc{} || end != text.data() + text.size() || id <= 0) {
        return base::error(base::Code::not_found, "there is no such wake: its id is a whole number above 0", "id");
    }
    return id;
}

std::string agent_json(const model::AgentRecord& record) {
    std::string body;
    model::JsonWriter writer(body);
    model::append_agent(writer, record);
    return body;
}

void answer_agent(const Reply& to, int status, const model::AgentRecord& record) {
    to.respond({status, "application/json", agent_json(record), {}});
}

}  // namespace belfry::net::handlers
