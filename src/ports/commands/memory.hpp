#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/memory.hpp"
#include "ports/commands/command.hpp"
#include "ports/commands/outbox.hpp"

// How memory is folded, and how it is taken away for good.
namespace belfry::ports {

// The next job that is due, for whoever folds here. Its span is read beside the engine.
struct FoldGrant {
    model::FoldJob job;
    model::AgentRecord agent;
};
struct ClaimFold final : CommandOf<std::optional<FoldGrant>> {
    // Only summaries by rules: as many questions to models are under way as there may be.
    bool rules_only = false;
    // Models (rules::summary_model_key) and users with as many questions under way as they may have. Their summaries by
    // models are left for later; summaries by rules are not.
    std::vector<std::string> busy_models = {};
    std::vector<std::string> busy_users = {};
    // Jobs that are left for later stay due, also if they hide jobs behind them: the caller asks again for these.
    bool leaves_waiting = false;
};

// The summary of a span, under the claim that `attempt` (FoldJob::attempts) tells. Summary, links, pointers and the end
// of the job are one transaction. A summary that is none (rules::check_memory_summary) is a failed attempt, not an
// error of the command. `conflict` with the reason `stale_claim` where it is not at this attempt any more.
struct FinishFold final : CommandOf<model::FoldJob> {
    base::Uuid id;
    std::int64_t attempt = 0;
    model::MemorySummary summary;
};

struct FailFold final : CommandOf<model::FoldJob> {
    base::Uuid id;
    std::int64_t attempt = 0;
    model::FoldFault fault = model::FoldFault::passing;
    std::string why;
};

// Nobody folds here: Belfry has just started. What was running waits again.
struct ReturnFolds final : CommandOf<Nothing> {};

// One that was given up is tried again from the beginning; any other is left as it is.
struct RestartFold final : CommandOf<model::FoldJob> {
    base::Uuid id;
};

// Folds what can be folded now, without waiting for it to be due: of a thread, or of all that the agent has. How many
// jobs there are now.
struct FoldNow final : CommandOf<std::int64_t> {
    std::string agent_id;
    std::string thread_id;  // empty: all
};

struct ForgottenMemory {
    std::uint64_t messages = 0;
    std::uint64_t summaries = 0;  // made of them; what is left of their spans is folded anew
    bool more = false;            // it was too much for one go: the same once more
};
// Takes messages away for good, with what was made of them: one, or all of a thread, or all before a time. Audited.
// In slices: `more` of them are left where there are too many for one.
struct ForgetMemory final : CommandOf<ForgottenMemory> {
    std::string agent_id;
    std::optional<base::Uuid> message_id;
    std::string thread_id;                  // empty: of all
    std::optional<base::Timestamp> before;  // nothing: whenever
};

}  // namespace belfry::ports
