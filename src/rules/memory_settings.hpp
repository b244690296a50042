#pragma once

#include "base/result.hpp"
#include "model/memory_settings.hpp"

namespace belfry::rules {

// How an agent's memory is to be kept, as whoever makes the agent says it. What is not given or null has its default;
// hot_tokens is then half of the budget where that is less. An error names the field (`hot_tokens`) and its limit.
[[nodiscard]] base::Result<model::MemorySettings> read_memory_settings(model::JsonView json);

}  // namespace belfry::rules
