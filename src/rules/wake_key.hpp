#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "model/change.hpp"
#include "model/value.hpp"
#include "model/wake.hpp"

// Keys that every device makes alike, so that one cause gives one run and one action one effect. A key is the SHA-256,
// in lower-case hex, of a word for its kind and then its parts, each part as its length (eight bytes, the greatest
// first) and its bytes; a number is its decimal text, a set is its size and then its members. They are stored and sent
// to other devices: what one is made of can never change.
namespace belfry::rules {

// Of the changes that were collected together, in any order; a repeat counts once.
std::string batch_id(std::span<const model::ChangeUnit> units);

// The id of a link among the records of its person, in their changes.
std::string link_key(std::string_view relation, std::string_view from_id, std::string_view to_id);

// The run key, by the reason of the wake.
std::string subscription_run_key(std::string_view agent_id, std::string_view subscription_id,
                                 std::string_view batch_id);
// Of plain events, in any order; a repeat counts once.
std::string event_run_key(std::string_view agent_id, std::string_view subscription_id,
                          std::span<const std::string> event_ids);
// A catch-up has the key of the last instant that was missed.
std::string timer_run_key(std::string_view agent_id, std::string_view timer_id, base::Timestamp scheduled_at);
std::string turn_run_key(std::string_view agent_id, std::string_view session_id, std::string_view turn_id);
std::string manual_run_key(std::string_view agent_id, std::string_view request_id);
// The key that a run would have if this signal were its first; nothing: it comes of what no other device knows of.
std::optional<std::string> shared_run_key(std::string_view agent_id, const model::WakeSignal& signal);
// Of what is left of a wake when another device has seen to the rest, by the keys of what is left.
std::string left_run_key(std::string_view run_key, std::span<const std::string> keys);

// `<agent>:run:<run key>` and `<agent>:session:<session>`.
std::string run_thread_id(std::string_view agent_id, std::string_view run_key);
std::string session_thread_id(std::string_view agent_id, std::string_view session_id);

// Of an action of a run's stored plan, by its place there.
std::string operation_id(std::string_view run_key, std::uint64_t ordinal, std::string_view tool);
// Of one in whose place another device, which went through the same run and planned something else, has done another.
std::string other_operation_id(std::string_view operation_id, std::string_view arguments_hash);
// Of a tool's arguments: equal for trees that are equal, whatever the order of members and the spelling of numbers.
std::string arguments_hash(const model::Value& arguments);

// Of a set of tokens, in any order; a repeat counts once.
std::string token_set_key(std::span<const model::ChangeToken> tokens);

}  // namespace belfry::rules
