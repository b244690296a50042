#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "model/tool.hpp"

namespace belfry::cli {

// The commands of this room, in the order of the overview. `tools`: Belfry's own, which live in another room.
std::vector<Command> own_commands(std::span<const model::ToolContract> tools = {});

// `belfry …` as a whole: finds the command, reads its arguments, runs it. `extra` come first in the overview (the
// daemon's `serve`). The result is the process's exit code.
int run(int argc, const char* const* argv, std::vector<Command> extra, std::span<const model::ToolContract> tools);

// The same in a world of the caller's making; `typed` without the program's name.
Exit run_commands(Context& context, std::span<const std::string> typed);

}  // namespace belfry::cli
