#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

// The bounds of what agents remember and of how it is folded, beside those of message_limits.hpp.
namespace belfry::base::limits {

// What an agent may choose for itself (model::MemorySettings).
inline constexpr std::int64_t memory_budget_tokens_default = 16'000;
inline constexpr std::int64_t memory_budget_tokens_min = 500;
inline constexpr std::int64_t memory_budget_tokens_max = 1'000'000;
inline constexpr std::int64_t memory_hot_tokens_default = 6'000;
inline constexpr std::int64_t memory_hot_tokens_min = 100;
inline constexpr std::int64_t memory_hot_messages_default = 50;
inline constexpr std::int64_t memory_hot_messages_max = 200;

// Of one summary: what it says in words, and each list of what it carries.
inline constexpr std::size_t summary_text_bytes_max = 4 << 10;
inline constexpr std::size_t summary_item_bytes_max = 500;
inline constexpr std::size_t summary_items_max = 200;  // goals, decisions, open loops: each
inline constexpr std::size_t summary_events_max = 20;  // errors, effects of tools: each
inline constexpr std::size_t summary_bytes_max = 200 << 10;
inline constexpr std::int64_t summary_count_max = 1'000'000'000'000;  // of any number in it

// Of one fold.
inline constexpr std::size_t fold_messages_max = 500;
inline constexpr std::int64_t fold_tokens_max = 60'000;
inline constexpr std::size_t summaries_kept_max = 8;   // of one depth, before the oldest of them are folded
inline constexpr std::size_t summaries_open_max = 32;  // of one depth, where folding is behind: more are folded at once
inline constexpr std::size_t summaries_read_max = 512;  // of all depths, should there be more after all
inline constexpr std::size_t summaries_fold_least = 4;  // so many at once, and one remains at least

inline constexpr std::int64_t fold_attempts_max = 6;        // then it is given up, until somebody starts it again
inline constexpr std::int64_t fold_model_attempts_max = 3;  // then by rules
inline constexpr base::Duration fold_lease = base::minutes(3);
inline constexpr base::Duration fold_pause_first = base::seconds(10);
inline constexpr base::Duration fold_pause_max = base::minutes(30);
inline constexpr base::Duration thread_idle_before_fold = base::minutes(60);
inline constexpr base::Duration fold_jobs_kept = base::days(7);  // that are done

inline constexpr std::size_t agent_import_messages_max = 500;  // of one transaction

inline constexpr std::size_t recall_words_max = 16;
inline constexpr std::size_t recall_results_max = 50;
inline constexpr std::size_t recall_tries_max = 8;
inline constexpr std::size_t memory_text_bytes_max = 64 << 10;  // of one message, that words are looked for in

}  // namespace belfry::base::limits
