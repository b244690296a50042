#pragma once

#include "cli/command.hpp"
#include "client/client.hpp"

namespace belfry::cli {

// What `belfry run` does beside asking and telling: follows a run's events, and adds some.
Exit tail_run(Context& context, const Arguments& arguments, client::Client& client, model::RunId id);
Exit emit_to_run(Context& context, const Arguments& arguments, client::Client& client, model::RunId id);

}  // namespace belfry::cli
