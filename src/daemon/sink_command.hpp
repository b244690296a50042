#pragma once

#include "cli/command.hpp"

namespace belfry::daemon {

// `belfry sink`: which sinks there are, and a word through one of them. It needs no daemon, but what the daemon calls
// sinks with.
cli::Command sink_command();

}  // namespace belfry::daemon
