#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

// The bounds of context values.
namespace belfry::base::limits {

inline constexpr std::size_t context_name_chars_max = 100;
inline constexpr std::size_t context_content_bytes_max = 16 << 10;
inline constexpr std::size_t context_values_per_user_max = 100;  // values that have expired do not count
inline constexpr Duration context_ttl_min = seconds(1);
inline constexpr Duration context_ttl_max = hours(24);
inline constexpr Duration context_ttl_default = minutes(5);
inline constexpr std::size_t context_names_max = 100;           // that one pull asks for
inline constexpr std::int64_t context_tokens_default = 16'000;  // of the values in a pull without `budget_tokens`
// A value whose `set_at` lies further ahead than this was set before the clock was set back, and counts as expired.
inline constexpr Duration context_clock_slack = minutes(1);

}  // namespace belfry::base::limits
