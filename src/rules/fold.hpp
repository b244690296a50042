#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "model/memory.hpp"

// What to fold, when, by whom, and what comes after a failure.
namespace belfry::rules {

// How many of these, from the oldest on, are to be folded so that the rest costs no more than the budget. The newest
// always stays.
[[nodiscard]] std::size_t choose_fold(std::span<const std::int64_t> costs, std::int64_t budget);

// Whether it is time to fold something of a thread: more is hot than the agent wants, or it is closed, or nothing was
// said in it for limits::thread_idle_before_fold.
[[nodiscard]] bool is_fold_due(const model::AgentThread& thread, const model::MemorySettings& settings,
                               base::Timestamp now);
// When that is at the latest, if nothing more is said; nothing: never.
[[nodiscard]] std::optional<base::Timestamp> fold_due_at(const model::AgentThread& thread);
// True if all of a thread is to be folded: it is closed, or nothing was said in it for
// limits::thread_idle_before_fold.
[[nodiscard]] bool is_at_rest(const model::AgentThread& thread, base::Timestamp now);

// True if more messages of a thread wait for a summary than a context reads (limits::unsummarized_read_max beyond the
// hot window). Its next summaries are made by rules, which take no time, until the rest fits.
[[nodiscard]] bool is_summary_behind(const model::AgentThread& thread, const model::MemorySettings& settings);

// The span of a thread's oldest hot messages (from the oldest on, at most limits::fold_messages_max of them) that is
// folded now: a count, 0: none. Half of what the agent wants hot stays; of a closed or idle thread nothing does. A span
// does not end between an action and its result where both are here, unless nothing could be folded otherwise.
[[nodiscard]] std::size_t choose_span(std::span<const model::AgentMessage> hot, const model::AgentThread& thread,
                                      const model::MemorySettings& settings, base::Timestamp now);

// Of the summaries of one depth that nothing has folded yet, the oldest first: how many are folded into one of the next
// depth, 0: none.
[[nodiscard]] std::size_t choose_summaries(std::span<const model::SummaryPlace> places);

// Every device gives the same span the same id. Of version 8.
[[nodiscard]] base::Uuid summary_id(std::string_view agent_id, std::string_view thread_id, std::int64_t depth,
                                    const base::Uuid& start, const base::Uuid& end);
// Of a summary that was made again of what is left of its span: another one each time, and on every device the same.
[[nodiscard]] base::Uuid remade_summary_id(const base::Uuid& id);

// `<agent>:memory`: where summaries of summaries stand.
[[nodiscard]] std::string memory_thread_of(std::string_view agent_id);

// Who makes the first attempt at a job of this agent whose span has so many tokens. Fewer than these are not worth a
// question to a model, unless the agent says so.
inline constexpr std::int64_t model_tokens_min = 2'000;
[[nodiscard]] model::Summarizer first_summarizer(const model::Agent& agent, std::int64_t tokens);

// The job after it: pending again, later and perhaps by rules, or given up. A job that a model was asked for is never
// given up, but left to rules after limits::fold_model_attempts_max attempts. FoldFault::stopped takes its attempt
// back; the caller must have ended all work under that attempt, because the next claim has the same number.
void fail_fold(model::FoldJob& job, model::FoldFault fault, std::string_view why, base::Timestamp now);

// What a summary must be to be kept: something to tell, within its limits. An error names the field and the limit.
[[nodiscard]] base::Result<void> check_memory_summary(const model::MemorySummary& summary);

}  // namespace belfry::rules
