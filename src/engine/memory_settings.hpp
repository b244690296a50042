#pragma once

#include "base/result.hpp"
#include "model/agent.hpp"

namespace belfry::engine {

// Whether an agent can remember like this. An error names the setting: `memory.hot_tokens`.
base::Result<void> check_memory_settings(const model::Agent& agent);

}  // namespace belfry::engine
