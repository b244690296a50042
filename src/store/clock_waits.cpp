#include "store/clock_waits.hpp"

#include <array>
#include <span>

#include "base/context_limits.hpp"
#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

namespace limits = base::limits;

// A kind of time that ends a wait: $1 becomes the time of rows whose time is later than $2.
struct Wait {
    Sql sql;
    base::Duration left;  // $1 is so much later than now
    base::Duration most;  // no wait of this kind ends later than this from now on
};

// `state < 2` of wakes: SQLite then reads the open ones only.
const std::array<Wait, 14> waits{{
    {{"UPDATE outbox SET due_at = $1 WHERE finished_at IS NULL AND due_at > $2"}, {}, limits::obligation_retry_max},
    {{"UPDATE outbox SET claimed_until = $1 WHERE finished_at IS NULL AND claimed_until > $2"},
     limits::obligation_claim,
     limits::obligation_claim},
    {{"UPDATE notifications SET lease_until = $1 WHERE state = 2 AND deadline > $2 AND lease_until > $2"},
     {},
     limits::lease_max},
    {{"UPDATE messages SET handed_until = $1 WHERE waits = 1 AND handed_until > $2"}, {}, limits::lease_max},
    {{"UPDATE fold_jobs SET next_attempt_at = $1, due_at = $1 WHERE state = 0 AND next_attempt_at > $2"},
     {},
     limits::fold_pause_max},
    {{"UPDATE fold_jobs SET lease_until = $1, due_at = $1 WHERE state = 1 AND lease_until > $2"},
     {},
     limits::fold_lease},
    {{"UPDATE agent_threads SET last_at = $1, quiet_since = CASE WHEN closed = 1 THEN quiet_since ELSE $1 END WHERE "
      "last_at > $2"},
     {},
     {}},
    {{"UPDATE interactions SET expires_at = $1 WHERE state = 0 AND expires_at > $2"},
     limits::interaction_time_max,
     limits::interaction_time_max},
    {{"UPDATE wakes SET lease_until = $1 WHERE state < 2 AND state = 1 AND lease_until > $2"},
     limits::wake_lease_max,
     limits::wake_lease_max},
    {{"UPDATE wakes SET deadline = $1 WHERE state < 2 AND state = 1 AND deadline > $2"},
     limits::wake_time_max,
     limits::wake_time_max},
    {{"UPDATE wakes SET due_at = $1 WHERE state < 2 AND state = 0 AND attempts > 0 AND due_at > $2"},
     {},
     limits::wake_retry_max},
    {{"UPDATE wakes SET due_at = $1 WHERE state < 2 AND state = 0 AND attempts = 0 AND due_at > $2 AND created_at > "
      "$2"},
     {},
     {}},
    {{"UPDATE tool_calls SET deadline = $1 + (deadline - created_at), lease_until = $1 + (lease_until - created_at), "
      "due_at = $1 + (due_at - created_at), created_at = $1 WHERE state < 2 AND created_at > $2"},
     {},
     {}},
    {{"UPDATE context_values SET expires_at = $1 + (expires_at - set_at), set_at = $1 WHERE set_at > $2"},
     {},
     limits::context_clock_slack},
}};

// How long a notification waits by its route, as rules::delivery::wait_of has it: $2 for an interface, its TTL for an
// agent, or else $3 for an agent's turn and $4 for passive context.
#define BELFRY_WAIT                                                                                                \
    "(CASE WHEN narration IS NOT NULL OR (target = 0 AND handler = 0) THEN $2 WHEN ttl > 0 THEN ttl WHEN handler " \
    "= 1 THEN $3 ELSE $4 END)"
// A row that was held may wait for the end of its lease, $5 at most, though the lease was given back.
constexpr Sql wait_again{
    "UPDATE notifications SET deadline = $1 + " BELFRY_WAIT ", deadline_max = CASE WHEN deadline_max > $1 + 2 * "  //
    BELFRY_WAIT " THEN $1 + 2 * " BELFRY_WAIT " ELSE deadline_max END WHERE state < 4 AND deadline - $1 > " BELFRY_WAIT
    " AND (state <> 2 OR deadline - $1 > $5) AND (lease_until IS NULL OR deadline > lease_until)"};

// Times after $2 and not after $3 become later by $1. Pauses before another attempt are over.
const std::array<Sql, 9> carried{{
    {"UPDATE outbox SET claimed_until = claimed_until + $1 WHERE finished_at IS NULL AND claimed_until > $2 AND "
     "claimed_until <= $3"},
    {"UPDATE notifications SET lease_until = lease_until + $1 WHERE state = 2 AND lease_until > $2 AND lease_until <= "
     "$3"},
    {"UPDATE notifications SET deadline = deadline + $1, deadline_max = deadline_max + $1 WHERE state < 4 AND deadline "
     "> $2 AND deadline <= $3"},
    {"UPDATE messages SET handed_until = handed_until + $1 WHERE waits = 1 AND handed_until > $2 AND handed_until <= "
     "$3"},
    {"UPDATE fold_jobs SET lease_until = lease_until + $1, due_at = due_at + $1 WHERE state = 1 AND lease_until > $2 "
     "AND lease_until <= $3"},
    {"UPDATE interactions SET expires_at = expires_at + $1 WHERE state = 0 AND expires_at > $2 AND expires_at <= $3"},
    {"UPDATE wakes SET lease_until = lease_until + $1, deadline = deadline + $1 WHERE state < 2 AND state = 1 AND "
     "lease_until > $2 "
     "AND lease_until <= $3"},
    {"UPDATE tool_calls SET deadline = deadline + $1, lease_until = lease_until + $1, due_at = due_at + $1 WHERE state "
     "< 2 AND deadline > $2 AND deadline <= $3"},
    {"UPDATE context_values SET set_at = set_at + $1, expires_at = expires_at + $1 WHERE expires_at > $2 AND "
     "expires_at <= $3"},
}};
constexpr Sql carry_threads{
    "UPDATE agent_threads SET last_at = last_at + $1, quiet_since = CASE WHEN closed = 1 THEN quiet_since ELSE last_at "
    "+ $1 END WHERE last_at <= $2 AND last_at >= $3"};

}  // namespace

base::Result<std::int64_t> bring_back_waits(Database& database, base::Timestamp now) {
    std::int64_t changed = 0;
    for (const Wait& wait : waits) {
        TRY_ASSIGN(const std::int64_t rows, database.run(wait.sql, {number(now + wait.left), number(now + wait.most)}));
        changed += rows;
    }
    TRY_ASSIGN(const std::int64_t waiting,
               database.run(wait_again,
                            {number(now), number(limits::interface_wait_max.us), number(limits::agent_ttl_default.us),
                             number(limits::passive_ttl_default.us), number(limits::lease_max.us)}));
    return changed + waiting;
}

base::Result<void> carry_on_waits(Database& database, const ports::ClockJump& jump) {
    // No wait is longer, and `from` may be the time that was noted some seconds before a wait began.
    const base::Timestamp until = jump.from + limits::interface_wait_max + base::hours(1);
    for (const Sql& sql : carried) {
        TRY(database.run(sql, {number(jump.by.us), number(jump.from), number(until)}));
    }
    return {};
}

base::Result<void> carry_on_threads(Database& database, const ports::ClockJump& jump) {
    TRY(database.run(carry_threads, {number(jump.by.us), number(jump.from), number(jump.set_back_to)}));
    return {};
}

}  // namespace belfry::store
