#pragma once

#include "cli/command.hpp"

namespace belfry::daemon {

// `belfry model`: a word to a language model, to see whether its server works. It needs no daemon, but what the daemon
// asks models with.
cli::Command model_command();

}  // namespace belfry::daemon
