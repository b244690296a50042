#pragma once

#include "cli/command.hpp"

namespace belfry::daemon {

// `belfry serve`: the daemon in the foreground.
cli::Command serve_command();

}  // namespace belfry::daemon
