#include "client/caller_context.hpp"

#include <utility>

#include "base/limits.hpp"

namespace belfry::client {
namespace {

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

base::Result<CallerContext> CallerContext::make(std::string agent_id, AgentType type, std::string agent_name,
                                                std::string team_name) {
    TRY(check(agent_id, "agent_id", true));
    TRY(check(agent_name, "agent_name", true));
    TRY(check(team_name, "team_name", false));
    if (type != AgentType::global_supervisor && team_name.empty()) {
        return refused("team_name must be given: a " + std::string(model::agent_type_name(type)) + " belongs to a team",
                       "team_name");
    }
    return CallerContext({std::move(agent_id), type, std::move(agent_name), std::move(team_name)});
}

base::Result<CallerContext> CallerContext::child_of(const CallerContext& supervisor, std::string agent_id,
                                                    AgentType type, std::string agent_name, std::string team_name) {
    if (type <= supervisor.agent_type()) {
        return refused("a " + std::string(model::agent_type_name(supervisor.agent_type())) + " leads no " +
                           std::string(model::agent_type_name(type)),
                       "agent_type");
    }
    if (team_name.empty()) team_name = supervisor.team_name();
    if (supervisor.agent_type() == AgentType::team_supervisor && team_name != supervisor.team_name()) {
        return refused("team_name must be the supervisor's, \"" + supervisor.team_name() + "\"", "team_name");
    }
    return make(std::move(agent_id), type, std::move(agent_name), std::move(team_name));
}

}  // namespace belfry::client
