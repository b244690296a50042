#include "store/clock_table.hpp"

#include <array>

#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "base/timer_limits.hpp"
#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

namespace limits = base::limits;

constexpr Sql select_latest{"SELECT latest FROM clock_state WHERE id = 1"};
constexpr Sql update_latest{"UPDATE clock_state SET latest = $1 WHERE id = 1"};
constexpr Sql insert_correction{
    "INSERT INTO clock_corrections (number, noticed_at, set_back, timers, timer_ids, agents, deadlines) "
    "VALUES ((SELECT coalesce(max(number), 0) + 1 FROM clock_corrections), $1, $2, $3, $4, $5, $6)"};
constexpr Sql drop_corrections{
    "DELETE FROM clock_corrections WHERE number <= (SELECT max(number) FROM clock_corrections) - $1"};
constexpr Sql select_corrections{
    "SELECT noticed_at, set_back, timers, timer_ids, agents, deadlines FROM clock_corrections ORDER BY number DESC"};
constexpr Sql select_spans{"SELECT timer_id, user_id, spans_json FROM timer_spans WHERE timer_id = $1"};
constexpr Sql upsert_spans{
    "INSERT INTO timer_spans (timer_id, user_id, spans_json) VALUES ($1, $2, $3) ON CONFLICT (timer_id) DO UPDATE SET "
    "user_id = excluded.user_id, spans_json = excluded.spans_json"};
constexpr Sql select_timers_ahead{
    "SELECT timer_id FROM agent_timers WHERE timer_id > $2 AND active = 1 AND (counted_from > $1 OR fault IS NOT NULL) "
    "ORDER BY timer_id LIMIT $3"};
constexpr Sql select_agents_ahead{
    "SELECT agent_id FROM agent_states WHERE agent_id > $2 AND updated_at > $1 AND (next_wake_at > updated_at OR "
    "sleep_until > updated_at) ORDER BY agent_id LIMIT $3"};

// A kind of time that ends a wait: $1 becomes the time of rows whose time is later than $2.
struct Wait {
    Sql sql;
    base::Duration left;  // $1 is so much later than now
    base::Duration most;  // no wait of this kind ends later than this from now on
};

const std::array<Wait, 12> waits{{
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
    {{"UPDATE interactions SET expires_at = $1 WHERE state = 0 AND expires_at > $2"},
     limits::interaction_time_max,
     limits::interaction_time_max},
    {{"UPDATE wakes SET lease_until = $1 WHERE state = 1 AND lease_until > $2"},
     limits::wake_lease_max,
     limits::wake_lease_max},
    {{"UPDATE wakes SET deadline = $1 WHERE state = 1 AND deadline > $2"},
     limits::wake_time_max,
     limits::wake_time_max},
    {{"UPDATE wakes SET due_at = $1 WHERE state = 0 AND attempts > 0 AND due_at > $2"}, {}, limits::wake_retry_max},
    {{"UPDATE wakes SET due_at = $1 WHERE state = 0 AND attempts = 0 AND due_at > $2 AND created_at > $2"}, {}, {}},
    {{"UPDATE tool_calls SET deadline = $1 + (deadline - created_at), lease_until = $1 + (lease_until - created_at), "
      "due_at = $1 + (due_at - created_at), created_at = $1 WHERE state < 2 AND created_at > $2"},
     {},
     {}},
}};

// How long a notification may wait is half of what lies between its creation and its last deadline, 30 days at most.
#define BELFRY_WAIT                                                                                    \
    "(CASE WHEN (deadline_max - created_at) / 2 < 2592000000000 THEN (deadline_max - created_at) / 2 " \
    "ELSE 2592000000000 END)"
constexpr Sql wait_again{
    "UPDATE notifications SET deadline = $1 + " BELFRY_WAIT ", deadline_max = $1 + 2 * " BELFRY_WAIT
    " WHERE state < 4 AND deadline > $1 AND deadline_max > created_at AND deadline - $1 > " BELFRY_WAIT
    " AND (lease_until IS NULL OR deadline > lease_until)"};

ports::ClockCorrection read_correction(RowReader& row) {
    ports::ClockCorrection made;
    made.noticed_at = row.time();
    made.set_back = {row.number()};
    made.timers = row.number();
    const std::string_view ids = row.bytes();
    base::Uuid id;
    for (std::size_t at = 0; at + id.bytes.size() <= ids.size(); at += id.bytes.size()) {
        for (std::size_t i = 0; i < id.bytes.size(); ++i) id.bytes[i] = static_cast<std::uint8_t>(ids[at + i]);
        made.named.push_back({id});
    }
    made.agents = row.number();
    made.deadlines = row.number();
    return made;
}

ports::ClockTable::TimerSpans read_spans(RowReader& row) {
    ports::ClockTable::TimerSpans spans;
    spans.id = {row.uuid()};
    spans.user_id = row.text();
    spans.spans = row.text();
    return spans;
}

model::TimerId read_timer_id(RowReader& row) {
    return {row.uuid()};
}

std::string read_text(RowReader& row) {
    return row.text();
}

}  // namespace

base::Result<std::optional<base::Timestamp>> SqlClockTable::latest() {
    std::optional<base::Timestamp> latest;
    TRY(database_.run(select_latest, {}, [&](const Row& row) { latest = base::Timestamp{row.number(0)}; }));
    return latest;
}

base::Result<void> SqlClockTable::note(base::Timestamp now) {
    TRY(database_.run(update_latest, {number(now)}));
    return {};
}

base::Result<void> SqlClockTable::add(const ports::ClockCorrection& correction) {
    std::string ids;
    for (const model::TimerId& id : correction.named) ids += view(id.uuid);
    TRY(database_.run(insert_correction,
                      {number(correction.noticed_at), number(correction.set_back.us), number(correction.timers),
                       bytes(ids), number(correction.agents), number(correction.deadlines)}));
    TRY(database_.run(drop_corrections, {number(std::uint64_t{limits::clock_corrections_kept})}));
    return {};
}

base::Result<std::vector<ports::ClockCorrection>> SqlClockTable::corrections() {
    return select(database_, "clock_corrections", select_corrections, {}, read_correction);
}

base::Result<std::vector<ports::ClockTable::TimerSpans>> SqlClockTable::spans(std::span<const model::TimerId> timers) {
    std::vector<std::vector<Param>> sets;
    for (const model::TimerId& id : timers) sets.push_back({bytes(id.uuid)});
    return select_many(database_, "timer_spans", select_spans, sets, read_spans);
}

base::Result<void> SqlClockTable::put_spans(std::span<const TimerSpans> spans) {
    std::vector<std::vector<Param>> sets;
    for (const TimerSpans& one : spans) sets.push_back({bytes(one.id.uuid), bytes(one.user_id), bytes(one.spans)});
    return database_.run_many(upsert_spans, sets, {});
}

base::Result<std::vector<model::TimerId>> SqlClockTable::timers_ahead(base::Timestamp now, const model::TimerId& after,
                                                                      std::size_t limit) {
    return select(database_, "agent_timers", select_timers_ahead,
                  {number(now), bytes(after.uuid), number(std::uint64_t{limit})}, read_timer_id);
}

base::Result<std::vector<std::string>> SqlClockTable::agents_ahead(base::Timestamp now, std::string_view after,
                                                                   std::size_t limit) {
    return select(database_, "agent_states", select_agents_ahead,
                  {number(now), bytes(after), number(std::uint64_t{limit})}, read_text);
}

base::Result<std::int64_t> SqlClockTable::bring_back_deadlines(base::Timestamp now) {
    std::int64_t changed = 0;
    for (const Wait& wait : waits) {
        TRY_ASSIGN(const std::int64_t rows,
                   database_.run(wait.sql, {number(now + wait.left), number(now + wait.most)}));
        changed += rows;
    }
    TRY_ASSIGN(const std::int64_t waiting, database_.run(wait_again, {number(now)}));
    return changed + waiting;
}

}  // namespace belfry::store
