#pragma once

#include <cstddef>

#include "base/limits.hpp"

// The bounds of what decides about wakes, beside those of limits.hpp.
namespace belfry::base::limits {

// Vector clocks
inline constexpr std::size_t clock_hosts_max = 64;
inline constexpr std::size_t host_bytes_max = 100;

// Changes: a token travels as a token of an event, so its text has the same bound.
inline constexpr std::size_t change_token_bytes_max = event_token_bytes_max;
inline constexpr std::size_t change_name_chars_max = 64;  // a semantic key, a namespace

// How long changes are collected before they are told together, and how many at the most; how long the log keeps them
inline constexpr Duration change_window_local = milliseconds(100);
inline constexpr Duration change_window_synced = seconds(1);
inline constexpr std::size_t change_batch_max = 500;
inline constexpr Duration changes_kept = days(30);

// Requests that wait for a job, or for the end of one
inline constexpr std::size_t wake_waiters_max = 4000;
inline constexpr std::size_t wake_waiters_per_principal_max = wake_waiters_max / 4;
inline constexpr std::size_t wake_waiters_per_link_max = 64;  // half of its unanswered calls: the others are heard
inline constexpr std::size_t wake_holder_bytes_max = 200;

// Predicates
inline constexpr std::size_t predicate_bytes_max = 4096;
inline constexpr std::size_t predicate_depth_max = 32;
inline constexpr std::size_t predicate_nodes_max = 256;  // conditions, `and`, `or`, `not`, paths, literals in lists too

}  // namespace belfry::base::limits
