#pragma once

#include "base/result.hpp"
#include "model/agent.hpp"

namespace belfry::engine {

// Whether Belfry's own workflows can do the work of this agent: every setting is read and every template compiled. An
// error names the field: `workflow.settings.steps[2].with.text`.
base::Result<void> check_workflow(const model::Agent& agent);

}  // namespace belfry::engine
