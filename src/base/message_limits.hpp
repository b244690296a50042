#pragma once

#include <cstddef>
#include <cstdint>

// The bounds of agents' messages and plans, beside those of limits.hpp.
namespace belfry::base::limits {

inline constexpr std::size_t thread_id_bytes_max = 500;            // an agent, a word, a session or the key of a run
inline constexpr std::size_t agent_messages_batch_max = 100;       // of one request
inline constexpr std::size_t agent_message_bytes_max = 256 << 10;  // the content of one
inline constexpr std::size_t agent_message_inline_bytes_max = 4 << 10;  // more lies in an entry of its own
inline constexpr std::size_t agent_message_list_max = 100;              // changed entities, changed tokens
inline constexpr std::size_t agent_operation_id_bytes_max = 200;
inline constexpr std::size_t agent_tool_name_bytes_max = 200;
inline constexpr std::size_t agent_error_code_bytes_max = 200;
inline constexpr std::size_t agent_error_message_bytes_max = 4096;
inline constexpr std::int64_t agent_message_tokens_max = 100'000'000;
inline constexpr std::int64_t summary_depth_max = 100;

inline constexpr std::size_t plan_actions_max = 100;       // of one round
inline constexpr std::size_t plan_bytes_max = 256 << 10;   // their arguments together
inline constexpr std::int64_t plan_rounds_max = 1000;      // of one run
inline constexpr std::int64_t context_messages_max = 200;  // that come with a claim
inline constexpr std::size_t context_bytes_max = 1 << 20;  // their content together; what is left out is read by its id

}  // namespace belfry::base::limits
