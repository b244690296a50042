#pragma once

#include <string>

#include "base/result.hpp"
#include "model/tool.hpp"
#include "tools/arguments.hpp"
#include "tools/bench.hpp"

namespace belfry::tools {

// What it says: a JSON object, as its output schema has it. An error is the tool's refusal, or the store's.
using Run = base::Result<std::string> (*)(Bench& bench, const Arguments& arguments);

struct Tool {
    model::ToolContract contract;
    Run run = nullptr;
    // Whether it may change several records, so that a refusal in the middle has to undo what came before.
    bool is_compound = false;
};

}  // namespace belfry::tools
