#include "client/caller_context.hpp"

#include <array>
#include <utility>

#include "base/limits.hpp"

namespace belfry::client {
namespace {

constexpr std::array<std::string_view, 3> names{"global_supervisor", "team_supervisor", "worker"};

base::Error refused(std::string message, std::string field) {
    return base::error(base::Code::invalid, std::move(message), std::move(field));
}

base::Result<void> check(const std::string& text, const char* field, bool needed) {
    constexpr std::size_t bytes_max = base::limits::caller_field_bytes_max;
    if (needed && text.empty()) return refused(std::string(field) + " must not be empty", field);
    if (text.size() <= bytes_max) return {};
    return refused(std::string(field) + " is longer than " + std::to_string(bytes_max) + " bytes", field);
}

}  // namespace

std::string_view agent_type_name(AgentType type) {
    return names[static_cast<std::size_t>(type)];
}

std::optional<AgentType> parse_agent_type(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return static_cast<AgentType>(i);
    }
    return std::nullopt;
}

base::Result<CallerContext> CallerContext::make(std::string agent_id, AgentType type, std::string agent_name,
                                                std::string team_name) {
    TRY(check(agent_id, "agent_id", true));
    TRY(check(agent_name, "agent_name", true));
    TRY(check(team_name, "team_name", false));
    if (type != AgentType::global_supervisor && team_name.empty()) {
        return refused("team_name must be given: a " + std::string(agent_type_name(type)) + " belongs to a team",
                       "team_name");
    }
    CallerContext made;
    made.agent_id_ = std::move(agent_id);
    made.type_ = type;
    made.agent_name_ = std::move(agent_name);
    made.team_name_ = std::move(team_name);
    return made;
}

base::Result<CallerContext> CallerContext::child_of(const CallerContext& supervisor, std::string agent_id,
                                                    AgentType type, std::string agent_name, std::string team_name) {
    if (type <= supervisor.type_) {
        return refused(
            "a " + std::string(agent_type_name(supervisor.type_)) + " leads no " + std::string(agent_type_name(type)),
            "agent_type");
    }
    if (team_name.empty()) team_name = supervisor.team_name_;
    if (supervisor.type_ == AgentType::team_supervisor && team_name != supervisor.team_name_) {
        return refused("team_name must be the supervisor's, \"" + supervisor.team_name_ + "\"", "team_name");
    }
    return make(std::move(agent_id), type, std::move(agent_name), std::move(team_name));
}

void CallerContext::append_json(model::JsonWriter& writer) const {
    writer.begin_object().field("agent_id", agent_id_).field("agent_type", agent_type_name(type_));
    writer.field("agent_name", agent_name_).name("team_name");
    team_name_.empty() ? writer.null() : writer.text(team_name_);
    writer.end_object();
}

}  // namespace belfry::client
