#include "store/clock_table.hpp"

#include "base/timer_limits.hpp"
#include "store/clock_waits.hpp"
#include "store/row_reader.hpp"

namespace belfry::store {
namespace {

namespace limits = base::limits;

constexpr Sql select_state{"SELECT latest, set_back_from, set_back_to FROM clock_state WHERE id = 1"};
constexpr Sql update_state{"UPDATE clock_state SET latest = $1, set_back_from = $2, set_back_to = $3 WHERE id = 1"};
constexpr Sql insert_correction{
    "INSERT INTO clock_corrections (number, noticed_at, set_back, timers, timer_ids, agents, deadlines) "
    "VALUES ((SELECT coalesce(max(number), 0) + 1 FROM clock_corrections), $1, $2, $3, $4, $5, $6)"};
// Many small steps must not push a large one out that `belfry doctor` still reports.
constexpr Sql drop_corrections{
    "DELETE FROM clock_corrections WHERE number <= (SELECT max(number) FROM clock_corrections) - $1 AND number NOT IN "
    "(SELECT number FROM clock_corrections WHERE noticed_at > $2 ORDER BY set_back DESC, number DESC LIMIT $1)"};
constexpr Sql select_corrections{
    "SELECT noticed_at, set_back, timers, timer_ids, agents, deadlines FROM clock_corrections ORDER BY number DESC"};
constexpr Sql select_spans{"SELECT timer_id, user_id, spans_json FROM timer_spans WHERE timer_id = $1"};
constexpr Sql upsert_spans{
    "INSERT INTO timer_spans (timer_id, user_id, spans_json) VALUES ($1, $2, $3) ON CONFLICT (timer_id) DO UPDATE SET "
    "user_id = excluded.user_id, spans_json = excluded.spans_json"};
constexpr Sql select_timers_ahead{
    "SELECT timer_id FROM agent_timers WHERE timer_id > $2 AND active = 1 AND (counted_from > $1 OR fault IS NOT NULL) "
    "ORDER BY timer_id LIMIT $3"};
#define BELFRY_SAID_TIMES                                                                                      \
    "SELECT s.agent_id, s.wake_said_at, m.wake_was, m.wake_is, s.sleep_said_at, m.sleep_was, m.sleep_is FROM " \
    "agent_states s LEFT JOIN moved_wake_times m ON m.agent_id = s.agent_id WHERE s.agent_id > $1 AND "
constexpr Sql select_said_ahead{
    BELFRY_SAID_TIMES
    "((s.wake_said_at > $2 AND s.next_wake_at > s.wake_said_at) OR (s.sleep_said_at > $2 AND "
    "s.sleep_until > s.sleep_said_at)) ORDER BY s.agent_id LIMIT $3"};
constexpr Sql select_said_behind{
    BELFRY_SAID_TIMES
    "((s.wake_said_at >= $2 AND s.next_wake_at > $3 AND s.next_wake_at <= $4) OR (s.sleep_said_at >= $2 AND "
    "s.sleep_until > $3 AND s.sleep_until <= $4)) ORDER BY s.agent_id LIMIT $5"};
constexpr Sql upsert_moved{
    "INSERT INTO moved_wake_times (agent_id, user_id, wake_was, wake_is, sleep_was, sleep_is) SELECT agent_id, "
    "user_id, "
    "$2, $3, $4, $5 FROM agents WHERE agent_id = $1 ON CONFLICT (agent_id) DO UPDATE SET wake_was = excluded.wake_was, "
    "wake_is = excluded.wake_is, sleep_was = excluded.sleep_was, sleep_is = excluded.sleep_is"};
constexpr Sql delete_moved{"DELETE FROM moved_wake_times"};
// Times after $2 become later by $1, but not later than the date that was said.
#define BELFRY_CARRIED(is, was) \
    "CASE WHEN " is " <= $2 THEN " is " WHEN " is " + $1 < " was " THEN " is " + $1 ELSE " was " END"
constexpr Sql carry_moved{
    "UPDATE moved_wake_times SET wake_is = " BELFRY_CARRIED("wake_is", "wake_was") ", sleep_is = "  //
    BELFRY_CARRIED("sleep_is", "sleep_was")};
constexpr Sql select_moved_sleep{"SELECT sleep_is FROM moved_wake_times WHERE agent_id = $1 AND sleep_was = $2"};
constexpr Sql select_ended_sleeps{
    "SELECT m.agent_id FROM moved_wake_times m JOIN agent_states s ON s.agent_id = m.agent_id AND s.sleep_until = "
    "m.sleep_was WHERE m.sleep_is <= $1 LIMIT $2"};
constexpr Sql forget_moved{
    "UPDATE moved_wake_times SET wake_was = CASE WHEN $2 = 1 THEN NULL ELSE wake_was END, sleep_was = CASE WHEN $3 = 1 "
    "THEN NULL ELSE sleep_was END WHERE agent_id = $1"};
constexpr Sql forget_said{
    "UPDATE agent_states SET wake_said_at = CASE WHEN $2 = 1 THEN 0 ELSE wake_said_at END, sleep_said_at = CASE WHEN "
    "$3 = 1 THEN 0 ELSE sleep_said_at END WHERE agent_id = $1"};
constexpr Sql carry_corrections{
    "UPDATE clock_corrections SET noticed_at = noticed_at + $1 WHERE noticed_at <= $2 AND noticed_at >= $3"};

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

std::string read_agent_id(RowReader& row) {
    return row.text();
}

ports::ClockState read_state(RowReader& row) {
    ports::ClockState state;
    state.latest = row.time();
    state.set_back_from = row.time();
    state.set_back_to = row.time();
    return state;
}

ports::SaidTime read_said(RowReader& row) {
    ports::SaidTime said;
    said.at = row.time();
    said.was = row.maybe_time();
    said.is = row.maybe_time();
    return said;
}

ports::SaidTimes read_said_times(RowReader& row) {
    ports::SaidTimes said;
    said.agent_id = row.text();
    said.wake = read_said(row);
    said.sleep = read_said(row);
    return said;
}

}  // namespace

base::Result<ports::ClockState> SqlClockTable::state() {
    TRY_ASSIGN(const auto state, select_one(database_, "clock_state", select_state, {}, read_state));
    return state.value_or(ports::ClockState{});
}

base::Result<void> SqlClockTable::put_state(const ports::ClockState& state) {
    TRY(database_.run(update_state, {number(state.latest), number(state.set_back_from), number(state.set_back_to)}));
    return {};
}

base::Result<void> SqlClockTable::add(const ports::ClockCorrection& correction) {
    std::string ids;
    for (const model::TimerId& id : correction.named) ids += view(id.uuid);
    TRY(database_.run(insert_correction,
                      {number(correction.noticed_at), number(correction.set_back.us), number(correction.timers),
                       bytes(ids), number(correction.agents), number(correction.deadlines)}));
    TRY(database_.run(drop_corrections, {number(std::uint64_t{limits::clock_corrections_kept}),
                                         number(correction.noticed_at - limits::clock_correction_told)}));
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

base::Result<std::vector<ports::SaidTimes>> SqlClockTable::said_ahead(base::Timestamp now, std::string_view after,
                                                                      std::size_t limit) {
    return select(database_, "agent_states", select_said_ahead,
                  {bytes(after), number(now), number(std::uint64_t{limit})}, read_said_times);
}

base::Result<std::vector<ports::SaidTimes>> SqlClockTable::said_behind(const ports::ClockJump& jump,
                                                                       std::string_view after, std::size_t limit) {
    return select(database_, "agent_states", select_said_behind,
                  {bytes(after), number(jump.set_back_to), number(jump.from), number(jump.from + jump.by),
                   number(std::uint64_t{limit})},
                  read_said_times);
}

base::Result<void> SqlClockTable::put_moved(std::span<const ports::SaidTimes> moved) {
    std::vector<std::vector<Param>> sets;
    for (const ports::SaidTimes& one : moved) {
        sets.push_back(
            {bytes(one.agent_id), maybe(one.wake.was), maybe(one.wake.is), maybe(one.sleep.was), maybe(one.sleep.is)});
    }
    return database_.run_many(upsert_moved, sets, {});
}

base::Result<void> SqlClockTable::drop_moved() {
    TRY(database_.run(delete_moved, {}));
    return {};
}

base::Result<void> SqlClockTable::carry_on_moved(const ports::ClockJump& jump) {
    TRY(database_.run(carry_moved, {number(jump.by.us), number(jump.from)}));
    return {};
}

base::Result<base::Timestamp> SqlClockTable::moved_sleep(std::string_view agent_id, base::Timestamp until) {
    base::Timestamp moved = until;
    TRY(database_.run(select_moved_sleep, {bytes(agent_id), number(until)},
                      [&](const Row& row) { moved = {row.number(0)}; }));
    return moved;
}

base::Result<std::vector<std::string>> SqlClockTable::ended_sleeps(base::Timestamp now, std::size_t limit) {
    return select(database_, "moved_wake_times", select_ended_sleeps, {number(now), number(std::uint64_t{limit})},
                  read_agent_id);
}

base::Result<void> SqlClockTable::note_said(std::string_view agent_id, ports::SaidBy wake, ports::SaidBy sleep) {
    using By = ports::SaidBy;
    const auto flag = [](bool is_set) { return number(std::int64_t{is_set ? 1 : 0}); };
    TRY(database_.run(forget_moved, {bytes(agent_id), flag(wake != By::nobody), flag(sleep != By::nobody)}));
    if (wake != By::another_device && sleep != By::another_device) return {};
    TRY(database_.run(forget_said,
                      {bytes(agent_id), flag(wake == By::another_device), flag(sleep == By::another_device)}));
    return {};
}

base::Result<std::int64_t> SqlClockTable::bring_back_deadlines(base::Timestamp now) {
    return bring_back_waits(database_, now);
}

base::Result<void> SqlClockTable::carry_on_waits(const ports::ClockJump& jump) {
    return store::carry_on_waits(database_, jump);
}

base::Result<void> SqlClockTable::carry_on_records(const ports::ClockJump& jump) {
    TRY(database_.run(carry_corrections, {number(jump.by.us), number(jump.from), number(jump.set_back_to)}));
    return carry_on_threads(database_, jump);
}

}  // namespace belfry::store
