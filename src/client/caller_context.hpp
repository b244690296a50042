#pragma once

#include <string>
#include <utility>

#include "base/result.hpp"
#include "model/run.hpp"

namespace belfry::client {

// A global supervisor leads team supervisors and workers, a team supervisor the workers of its team, a worker nobody.
using model::AgentType;

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

    [[nodiscard]] const std::string& agent_id() const { return value_.agent_id; }
    [[nodiscard]] AgentType agent_type() const { return value_.agent_type; }
    [[nodiscard]] const std::string& agent_name() const { return value_.agent_name; }
    [[nodiscard]] const std::string& team_name() const { return value_.team_name; }  // empty: none
    // As runs and their events have it; `model::append_caller_json` writes it.
    [[nodiscard]] const model::CallerContext& value() const { return value_; }

    bool operator==(const CallerContext&) const = default;

private:
    explicit CallerContext(model::CallerContext value) : value_(std::move(value)) {}

    model::CallerContext value_;
};

}  // namespace belfry::client
