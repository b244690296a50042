#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

// Belfry's lines in the settings file of Claude Code, as text: `{"hooks": {"Stop": [{"hooks": [{"type": "command",
// "command": "belfry hook claude-code", …}]}]}}`. Everything else in the file stays as it is, byte for byte.
namespace belfry::cli {

// Is this a command that Belfry has put there? Whatever its path and options.
bool is_hook_command(std::string_view command);

// The settings with this command at every event that Belfry has something to do at. One of ours that is there already
// gets this command; doing it twice changes nothing. An empty text counts as empty settings. Refused (malformed,
// invalid) where the settings are not what they should be: then nothing is guessed.
base::Result<std::string> with_hooks(std::string_view settings, std::string_view command);

// The settings without any command of ours, and without what would be empty without it.
base::Result<std::string> without_hooks(std::string_view settings);

}  // namespace belfry::cli
