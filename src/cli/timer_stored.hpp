#pragma once

#include "cli/command.hpp"

// The timers that are kept by the daemon, and wake agents.
namespace belfry::cli {

Exit add_timer(Context& context, const Arguments& arguments);
Exit list_timers(Context& context, const Arguments& arguments);
Exit remove_timer(Context& context, const Arguments& arguments);

}  // namespace belfry::cli
