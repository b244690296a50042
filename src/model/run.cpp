#include "model/run.hpp"

#include <array>
#include <charconv>

namespace belfry::model {
namespace {

constexpr std::array<std::string_view, 5> state_names{"pending", "running", "completed", "failed", "cancelled"};
constexpr std::array<std::string_view, 3> type_names{"global_supervisor", "team_supervisor", "worker"};

template <class Enum, std::size_t count>
std::optional<Enum> parse(const std::array<std::string_view, count>& names, std::string_view name) {
    for (std::size_t i = 0; i < count; ++i) {
        if (names[i] == name) return static_cast<Enum>(i);
    }
    return std::nullopt;
}

void append_number(std::string& out, std::int64_t value) {
    std::array<char, 20> digits;
    out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace

std::string_view run_state_name(RunState state) {
    return state_names[static_cast<std::size_t>(state)];
}
std::optional<RunState> parse_run_state(std::string_view name) {
    return parse<RunState>(state_names, name);
}
std::string_view agent_type_name(AgentType type) {
    return type_names[static_cast<std::size_t>(type)];
}
std::optional<AgentType> parse_agent_type(std::string_view name) {
    return parse<AgentType>(type_names, name);
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
    if (!stream_name.starts_with("run:") || !type.starts_with("lifecycle.")) return false;
    return type == "lifecycle.completed" || type == "lifecycle.failed" || type == "lifecycle.cancelled";
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
