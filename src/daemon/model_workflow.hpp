#pragma once

#include "host/environment.hpp"
#include "ports/language_model.hpp"
#include "ports/workflow.hpp"
#include "rules/model_settings.hpp"

namespace belfry::daemon {

// Asks a language model, does what it calls for, and asks again with the results, until it calls for nothing more. What
// it says and calls is a round of the plan; it is never asked twice for one.
class ModelWorkflow final : public ports::Workflow {
public:
    // Keys are read from the environment when they are needed, and kept nowhere.
    ModelWorkflow(ports::LanguageModel& models, const host::Environment& environment)
        : models_(models), environment_(environment) {}

    base::Result<ports::TurnEnd> run(ports::Turn& turn) override;

private:
    base::Result<model::ChatRequest> request(const rules::ModelSettings& settings, const ports::Turn& turn) const;
    model::ChatOutcome ask(model::ChatRequest request, ports::Turn& turn);

    ports::LanguageModel& models_;
    const host::Environment& environment_;
};

}  // namespace belfry::daemon
