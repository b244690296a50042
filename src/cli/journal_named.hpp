#pragma once

#include <string>

#include "cli/command.hpp"
#include "model/journal.hpp"

namespace belfry::cli {

// The command of what has an id that people type, a name and a colour: categories and labels.
Command named_command(model::JournalKind kind, const std::string& summary, const std::string& detail);

}  // namespace belfry::cli
