#pragma once

#include "ports/workflow.hpp"

namespace belfry::daemon {

// Steps of templates: all of them are one round of a plan, made up once, and done.
class ScriptWorkflow final : public ports::Workflow {
public:
    base::Result<ports::TurnEnd> run(ports::Turn& turn) override;
};

// Whether the person has heard something in these rounds.
[[nodiscard]] bool was_heard(std::span<const model::PlanNow> rounds);
// `{"actions":2}`: what a turn of Belfry's own says of itself.
[[nodiscard]] model::RawJson rounds_result(std::span<const model::PlanNow> rounds);

}  // namespace belfry::daemon
