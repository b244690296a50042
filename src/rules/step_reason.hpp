#pragma once

#include <string_view>

// Why a notification took a step, in one stable word each: they are stored in the audit and shown by `belfry why`.
namespace belfry::rules::step_reason {

inline constexpr std::string_view emitted = "emitted";            // it came into being
inline constexpr std::string_view chain_end = "chain_end";        // the chain was too long: shown, and no further turn
inline constexpr std::string_view dispatched = "dispatched";      // went out for the first time
inline constexpr std::string_view sent = "sent";                  // went out again, or after its escalation
inline constexpr std::string_view claimed = "claimed";            // somebody has it for himself
inline constexpr std::string_view taken_over = "taken_over";      // from a holder whose lease had run out
inline constexpr std::string_view pulled_again = "pulled_again";  // its holder began his turn anew and lets it go
inline constexpr std::string_view turn_lost = "turn_lost";        // so did one whose turn before never ended
inline constexpr std::string_view attempt_failed = "attempt_failed";  // the attempt at the wake of its holder failed
inline constexpr std::string_view not_arrived = "not_arrived";    // the turn ended, and its hand-over never came to it
inline constexpr std::string_view updated = "updated";            // its emitter put new content in its place
inline constexpr std::string_view promoted = "promoted";          // the person's matter from now on
inline constexpr std::string_view session_gone = "session_gone";  // lives with its user from now on

// How it was delivered.
inline constexpr std::string_view acknowledged = "acknowledged";  // by an interface that does not say how
inline constexpr std::string_view rendered = "acknowledged_rendered";
inline constexpr std::string_view clicked = "acknowledged_clicked";
inline constexpr std::string_view by_model = "acknowledged_by_model";
inline constexpr std::string_view by_runtime = "acknowledged_by_runtime";
inline constexpr std::string_view narrated = "narrated";      // in the agent's own text, which waits to be shown
inline constexpr std::string_view turn_ended = "turn_ended";  // passive context, carried by a turn
inline constexpr std::string_view told_with = "told_with";    // with another one, in one item of the agent
inline constexpr std::string_view vetoed = "vetoed";  // an internal matter that the agent let lie; also the outcome

// Why it escalated.
inline constexpr std::string_view ttl = "ttl";                      // nobody came
inline constexpr std::string_view lease_expired = "lease_expired";  // somebody came and was not heard of again
inline constexpr std::string_view silence = "silence";              // the turn ended without a word about it

inline constexpr std::string_view untold = "acknowledged_untold";       // acknowledged, and the user was not told
inline constexpr std::string_view session_deleted = "session_deleted";  // with the session of its holder
inline constexpr std::string_view agent_failed = "agent_failed";  // the agent that was woken for it failed for good

// Why it failed; also the outcome.
inline constexpr std::string_view overload = "overload";              // its agent's queue was full
inline constexpr std::string_view expired_unseen = "expired_unseen";  // no agent came for it
inline constexpr std::string_view nobody_there = "nobody_there";      // no interface of the person acknowledged it

}  // namespace belfry::rules::step_reason
