#pragma once

#include "cli/command.hpp"

// One function a command, each in a file of its own.
namespace belfry::cli {

Command agent_command();
Command backup_command();
Command config_command();
Command demo_command();
Command doctor_command();
Command emit_command();
Command erase_command();
Command help_command();
Command hook_command();
Command inbox_command();
Command interaction_command();
Command ledger_command();
Command notify_command();
Command open_command();
Command render_command();
Command restore_command();
Command rpc_command();
Command run_command();
Command send_command();
Command status_command();
Command subscriber_command();
Command tail_command();
Command timer_command();
Command token_command();
Command tool_command();
Command toon_command();
Command version_command();
Command wait_command();
Command wake_command();
Command why_command();
Command work_command();

}  // namespace belfry::cli
