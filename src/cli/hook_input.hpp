#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "client/session_types.hpp"

namespace belfry::cli {

// The moments of Claude Code's life at which it runs a hook and Belfry has something to do.
enum class HookEvent : std::uint8_t {
    session_start,
    user_prompt_submit,
    post_tool_use,
    post_tool_use_failure,
    stop,
    stop_failure,
    session_end,
};

// As that program writes them. The table is in the order of the enumerators.
std::vector<std::string_view> hook_event_names();
std::string_view hook_event_name(HookEvent event);

// What the hook was told on its standard input, as far as it matters here. What is absent is empty.
struct HookInput {
    HookEvent event = HookEvent::session_start;
    std::string session_id;
    std::string cwd;
    std::string source;          // of a session's start: startup, resume, clear, compact
    std::string model;           // likewise
    std::string subagent_id;     // the call is one of a subagent's, not of the conversation's own agent
    std::string last_message;    // of a stop: the agent's last words
    bool is_continuing = false;  // of a stop: the turn went on already because a hook wished it
    std::string reason;          // of a failed stop and of a session's end: why
    // Of the two after a tool; its source and agent are the caller's to fill in. Without a name it cannot be reported.
    client::ToolCallReport call;
};

// Nothing: an event that is none of ours, which is no error. Malformed or invalid where it is no hook's input. Read
// leniently (cut-off characters, deep arguments, long ids): a part that is odd must not cost the agent the whole.
base::Result<std::optional<HookInput>> read_hook_input(std::string_view json);

// Handles that an agent names in its words as dealt with: `[n7]`, each once, in their order. Not in code, and not where
// it is an index: `buf[n7]`.
std::vector<std::string> handles_in(std::string_view message);

}  // namespace belfry::cli
