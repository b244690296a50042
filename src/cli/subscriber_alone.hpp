#pragma once

#include "cli/command.hpp"

// The actions of `belfry subscriber` that need no daemon.
namespace belfry::cli {

// Names every problem of the files and folders that are given, or of the configured folder.
Exit lint_subscribers(Context& context, const Arguments& arguments);
// Shows what a subscriber would make of events.
Exit test_subscriber(Context& context, const Arguments& arguments);

}  // namespace belfry::cli
