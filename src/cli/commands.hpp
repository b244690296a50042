#pragma once

#include <span>

#include "cli/command.hpp"
#include "model/tool.hpp"

// One function a command, each in a file of its own.
namespace belfry::cli {

Command agent_command();
Command backup_command();
Command category_command();
Command checklist_command();
Command config_command();
Command context_command();
Command demo_command();
Command doctor_command();
Command emit_command();
Command entry_command();
Command erase_command();
Command help_command();
Command hook_command();
Command inbox_command();
Command interaction_command();
Command change_command();
Command journal_command();
Command label_command();
Command ledger_command();
Command link_command();
Command memory_command();
Command notify_command();
Command open_command();
Command peer_command();
Command plan_command();
Command rate_command();
Command render_command();
Command restore_command();
Command rpc_command();
Command run_command();
Command send_command();
Command status_command();
Command subscriber_command();
Command sync_command();
Command tail_command();
Command task_command();
Command time_command();
Command timer_command();
Command token_command();
// `own`: Belfry's own tools, for `contract`.
Command tool_command(std::span<const model::ToolContract> own);
Command toon_command();
Command version_command();
Command wait_command();
Command wake_command();
Command why_command();
Command work_command();

}  // namespace belfry::cli
