#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/raw_json.hpp"

namespace belfry::client {

// What an agent is among its fellows. A global supervisor leads team supervisors and workers, a team supervisor the
// workers of its team, a worker nobody.
enum class AgentType : std::uint8_t { global_supervisor, team_supervisor, worker };

std::string_view agent_type_name(AgentType type);
std::optional<AgentType> parse_agent_type(std::string_view name);

// Who speaks: the identity that goes with every event of a run. One that is there is valid, and it never changes.
class CallerContext {
public:
    // Refused (invalid, with the field) without an id or a name, where one of the four is longer than 200 bytes, and
    // without a team unless it is a global supervisor.
    static base::Result<CallerContext> make(std::string agent_id, AgentType type, std::string agent_name,
                                            std::string team_name = {});

    // Somebody whom `supervisor` leads. Without a team he is of the supervisor's own; a team supervisor cannot lead
    // another team's, and a worker leads nobody.
    static base::Result<CallerContext> child_of(const CallerContext& supervisor, std::string agent_id, AgentType type,
                                                std::string agent_name, std::string team_name = {});

    [[nodiscard]] const std::string& agent_id() const { return agent_id_; }
    [[nodiscard]] AgentType agent_type() const { return type_; }
    [[nodiscard]] const std::string& agent_name() const { return agent_name_; }
    [[nodiscard]] const std::string& team_name() const { return team_name_; }  // empty: none

    // `{"agent_id":…,"agent_type":…,"agent_name":…,"team_name":…|null}`, as runs and their events have it.
    void append_json(model::JsonWriter& writer) const;

    bool operator==(const CallerContext&) const = default;

private:
    CallerContext() = default;

    std::string agent_id_;
    AgentType type_ = AgentType::worker;
    std::string agent_name_;
    std::string team_name_;
};

}  // namespace belfry::client
