#pragma once

#include "cli/command.hpp"
#include "client/client.hpp"

namespace belfry::cli {

// Claims the calls of these tools, one after the other, and runs the command for each. Until it is told to stop; a
// daemon that is away is waited for.
Exit serve_tools(Context& context, const Arguments& arguments, const client::Options& options);

}  // namespace belfry::cli
