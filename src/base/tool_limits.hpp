#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

// The bounds of tools that somebody outside carries out, beside those of limits.hpp.
namespace belfry::base::limits {

inline constexpr Duration tool_time_default = seconds(60);  // of one call, until its result
inline constexpr Duration tool_time_max = seconds(3600);
inline constexpr Duration tool_lease_default = seconds(60);
inline constexpr Duration tool_lease_max = seconds(600);
inline constexpr Duration tool_wait_max = seconds(60);     // of a claim that waits
inline constexpr std::int64_t tool_attempts_max = 5;       // of workers who are not heard of any more
inline constexpr std::size_t tool_claim_tools_max = 100;   // of one claim
inline constexpr std::size_t tool_capabilities_max = 100;  // that one needs
inline constexpr std::size_t tools_offered_max = 64;       // of them, to a language model
// An action names it (agent_tool_name_bytes_max), and so does the capability `tool:NAME`.
inline constexpr std::size_t callable_tool_name_bytes_max = 195;
inline constexpr std::size_t tool_url_bytes_max = 2000;
inline constexpr std::size_t tool_secret_env_bytes_max = 200;
inline constexpr std::size_t tool_threads = 8;  // that wait for webhooks
inline constexpr std::size_t tool_waiters_max = 2000;
inline constexpr std::size_t tool_waiters_per_principal_max = tool_waiters_max / 4;

}  // namespace belfry::base::limits
