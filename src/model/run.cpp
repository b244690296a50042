#include "model/run.hpp"

#include <array>
#include <charconv>

#include "base/limits.hpp"
#include "model/record_json.hpp"
#include "model/session_stream.hpp"

namespace belfry::model {
namespace {

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

constexpr std::array<std::string_view, 5> state_names{"pending", "running", "completed", "failed", "cancelled"};
constexpr std::array<std::string_view, 3> type_names{"global_supervisor", "team_supervisor", "worker"};

void append_number(std::string& out, std::int64_t value) {
    std::array<char, 20> digits;
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace

std::string_view run_state_name(RunState state) {
    return state_names[static_cast<std::size_t>(state)];
}
std::optional<RunState> parse_run_state(std::string_view name) {
    return parse_choice<RunState>(state_names, name);
}
std::string_view agent_type_name(AgentType type) {
    return type_names[static_cast<std::size_t>(type)];
}
std::optional<AgentType> parse_agent_type(std::string_view name) {
    return parse_choice<AgentType>(type_names, name);
}

void append_caller_json(std::string& out, const CallerContext& caller) {
    JsonWriter writer(out);
    writer.begin_object().field("agent_id", caller.agent_id).field("agent_type", agent_type_name(caller.agent_type));
    writer.field("agent_name", caller.agent_name).name("team_name");
    caller.team_name.empty() ? writer.null() : writer.text(caller.team_name);
    writer.end_object();
}

std::string run_stream_name(RunId id) {
    return "run:" + std::to_string(id);
}
std::string tree_stream_name(RunId root) {
    return "tree:" + std::to_string(root);
}

bool ends_stream(std::string_view stream_name, std::string_view type) {
    if (stream_name.starts_with("tree:")) return type == "tree.closed";
    if (is_session_stream(stream_name)) return type == session_deleted_type;
    if (!stream_name.starts_with("run:") || !type.starts_with("lifecycle.")) return false;
    return type == "lifecycle.completed" || type == "lifecycle.failed" || type == "lifecycle.cancelled";
}

std::string_view run_event_name_fault(std::string_view name) {
    constexpr std::string_view form = "must be words of a-z and _ joined by dots, two at least: llm.stream";
    if (name.size() > base::limits::run_event_name_chars_max) return "must have at most 100 characters";
    bool in_word = false;
    bool has_dot = false;
    for (const char c : name) {
        if (c == '.') {
            if (!in_word) return form;
            has_dot = true;
            in_word = false;
        } else if ((c >= 'a' && c <= 'z') || c == '_') {
            in_word = true;
        } else {
            return form;
        }
    }
    if (!in_word || !has_dot) return form;
    for (const std::string_view own : {"lifecycle.", "control.", "interaction.", "tree."}) {
        if (name.starts_with(own)) return "lifecycle.*, control.*, interaction.* and tree.* are Belfry's own";
    }
    return {};
}

std::optional<CallerFault> caller_fault(const CallerContext& caller) {
    constexpr std::size_t bytes_max = base::limits::scope_id_bytes_max;
    if (caller.agent_id.empty()) return CallerFault{"agent_id", "must not be empty"};
    if (is_blank(caller.agent_id)) return CallerFault{"agent_id", "must not be blank"};
    if (caller.agent_name.empty()) return CallerFault{"agent_name", "must not be empty"};
    if (!caller.team_name.empty() && is_blank(caller.team_name)) return CallerFault{"team_name", "must not be blank"};
    if (caller.team_name.empty() && caller.agent_type != AgentType::global_supervisor) {
        return CallerFault{"team_name", "must be given for a team supervisor and a worker"};
    }
    if (caller.agent_id.size() > bytes_max) return CallerFault{"agent_id", "must have at most 200 bytes"};
    if (caller.agent_name.size() > bytes_max) return CallerFault{"agent_name", "must have at most 200 bytes"};
    if (caller.team_name.size() > bytes_max) return CallerFault{"team_name", "must have at most 200 bytes"};
    return std::nullopt;
}

void append_run_event_head(std::string& out, const RunEventHead& head) {
    out += "{\"id\":\"";
    out += head.id;
    out += "\",\"run_id\":";
    append_number(out, head.run_id);
    out += ",\"timestamp\":\"";
    base::append_timestamp(out, head.timestamp);
    out += "\",\"sequence\":";
    append_number(out, head.sequence);
    out += ",\"source\":";
    out += head.source;
    out += ",\"event\":\"";
    out += head.event;  // letters, underscores, dots: nothing to escape
    out += "\",\"data\":";
}

}  // namespace belfry::model
