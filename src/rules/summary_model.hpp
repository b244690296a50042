#pragma once

#include <string>

#include "base/result.hpp"
#include "model/agent.hpp"
#include "rules/model_settings.hpp"

namespace belfry::rules {

// Returns how the model is asked that makes an agent's summaries: the one that its `memory` names, else the agent's
// own. An error names the setting.
[[nodiscard]] base::Result<ModelSettings> summary_model_settings(const model::Agent& agent);

// Returns one text for each model: its address and its name. Questions under way are counted by it. Empty if the agent
// has no model: such a question fails at once.
[[nodiscard]] std::string summary_model_key(const model::Agent& agent);

}  // namespace belfry::rules
