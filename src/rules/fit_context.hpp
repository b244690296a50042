#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/context_value.hpp"

namespace belfry::rules {

struct FittedContext {
    std::vector<model::ContextValue> values;  // whole
    std::vector<std::string> left_out;        // names of values that did not fit
    std::int64_t model_tokens = 0;            // of the values with their headings
};

// Selects the values that a pull asks for, in the order of its names or else as they come, as far as the budget goes
// once `spent` went to the rest of the pull. A value is returned whole or not at all; a smaller one may follow a value
// that did not fit. `budget_tokens` 0: at most limits::context_tokens_default for the values.
FittedContext fit_context(std::vector<model::ContextValue> in_scope, const model::ContextRequest& request,
                          std::int64_t budget_tokens, std::int64_t spent);

}  // namespace belfry::rules
