#pragma once

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "cli/hook_input.hpp"
#include "client/client.hpp"

namespace belfry::cli {

struct HookWish {
    std::string agent_id;  // whom the session belongs to
    std::string user_id;   // empty: whose the daemon takes it to be
    std::int64_t budget_tokens = 0;
    std::string memory_folder = {};  // keeps the last pull of each session between two hooks; empty: nothing is kept
};

// What a moment of a coding agent's life means to Belfry: reports it, and asks what the agent must know now.
//
//   SessionStart        the session is put, pull at turn_start
//   UserPromptSubmit    a turn begins, pull at turn_start
//   PostToolUse(Failure) the call is reported, pull at after_tool; of a subagent's call only the report
//   Stop                the turn ends, with the handles that its last message names, and with that message as the
//                       narration of those that the user must be told of; pull at turn_end, once
//   StopFailure         the turn ends
//   SessionEnd          the turn ends, where one is open
class HookRun {
public:
    HookRun(client::Client& client, HookWish wish) : client_(client), wish_(std::move(wish)) {}

    // The additional context for the agent; empty: nothing. A report that the daemon refuses does not cost the agent
    // what it must know.
    base::Result<std::string> run(const HookInput& input);
    // Why the last `run` could not report; nothing where it could.
    [[nodiscard]] const std::optional<base::Error>& unreported() const { return unreported_; }
    // The context of the last `run` has been given to the agent: passive items are done with it.
    void given();

private:
    base::Result<void> put_session(const HookInput& input);
    base::Result<void> check_session(const HookInput& input);
    base::Result<void> report_call(const HookInput& input);
    base::Result<void> report_turn(const HookInput& input, client::TurnReport::Edge edge);
    base::Result<std::string> pull_after(base::Result<void> reported, const HookInput& input, model::InjectAt point);
    base::Result<std::string> pull(const HookInput& input, model::InjectAt point);
    void narrate(const std::vector<std::string>& handles, const std::string& message);
    [[nodiscard]] std::string memory_file() const;
    [[nodiscard]] std::string last_pull() const;

    client::Client& client_;
    HookWish wish_;
    std::string session_id_;
    std::string pull_id_;
    std::optional<base::Error> unreported_;
};

// The answer that the hook's event expects, in one line.
std::string hook_answer(HookEvent event, std::string_view context);

// Connections of a hook: it never keeps its coding agent waiting for a daemon that is not there.
client::Options hook_options(client::Options options);

}  // namespace belfry::cli
