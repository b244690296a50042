#pragma once

#include "cli/command.hpp"

namespace belfry::cli {

// `belfry hook install claude-code` and its opposite: change the settings file of that program, after showing how.
Exit install_hooks(Context& context, const Arguments& arguments);
Exit uninstall_hooks(Context& context, const Arguments& arguments);

}  // namespace belfry::cli
