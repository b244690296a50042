#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "tools/bench.hpp"

namespace belfry::tools {

// Whether `argument` names a category that the agent may work in. One that it may not, and one that is not there, are
// refused in the same words.
base::Result<void> check_category(const Bench& bench, const std::string& id, std::string_view argument);

}  // namespace belfry::tools
