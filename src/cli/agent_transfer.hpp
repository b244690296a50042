#pragma once

#include "cli/command.hpp"
#include "client/client.hpp"

namespace belfry::cli {

// `belfry agent export NAME`: the agent and all that it remembers, a JSON object a line.
Exit export_agent(Context& context, const Arguments& arguments, client::Client& client);
// `belfry agent import FILE`: such lines into another daemon, in slices.
Exit import_agent(Context& context, const Arguments& arguments, client::Client& client);

}  // namespace belfry::cli
