#include "store/timer_table.hpp"

#include <algorithm>
#include <iterator>

#include "store/agent_row.hpp"

namespace belfry::store {
namespace {

#define BELFRY_TIMER_COLUMNS                                                                     \
    "timer_id, agent_id, user_id, name, schedule_json, active, next_run_at, last_scheduled_at, " \
    "begun_at, counted_from, due_at, fault, input_json, priority, created_at, updated_at"
#define BELFRY_TIMERS "SELECT " BELFRY_TIMER_COLUMNS " FROM agent_timers "

constexpr Sql select_due{BELFRY_TIMERS "WHERE due_at <= $1 ORDER BY due_at LIMIT $2"};
// A wish that a correction of the clock has moved is due at its other time.
#define BELFRY_IS_NOT_MOVED                                                                                   \
    "NOT EXISTS (SELECT 1 FROM moved_wake_times m WHERE m.agent_id = agent_states.agent_id AND m.wake_was = " \
    "agent_states.next_wake_at)"
// CROSS JOIN: SQLite reads the few moved times first, and not all agents that have a wish.
#define BELFRY_MOVED_WISHES                                                                                          \
    " FROM moved_wake_times moved CROSS JOIN agent_states s WHERE s.agent_id = moved.agent_id AND s.next_wake_at = " \
    "moved.wake_was"
constexpr Sql select_wishes{"SELECT agent_id, next_wake_at FROM agent_states WHERE next_wake_at <= $1 AND "  //
                            BELFRY_IS_NOT_MOVED " ORDER BY next_wake_at LIMIT $2"};
constexpr Sql select_moved_wishes{"SELECT moved.agent_id, moved.wake_is" BELFRY_MOVED_WISHES
                                  " AND moved.wake_is <= $1 LIMIT $2"};
constexpr Sql select_next_due{"SELECT due_at FROM agent_timers WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1"};
constexpr Sql select_next_wish{
    "SELECT next_wake_at FROM agent_states WHERE next_wake_at IS NOT NULL AND " BELFRY_IS_NOT_MOVED
    " ORDER BY next_wake_at LIMIT 1"};
constexpr Sql select_next_moved_wish{"SELECT min(moved.wake_is)" BELFRY_MOVED_WISHES};
constexpr Sql select_next_sleep{
    "SELECT min(moved.sleep_is) FROM moved_wake_times moved CROSS JOIN agent_states s WHERE s.agent_id = "
    "moved.agent_id AND "
    "s.sleep_until = moved.sleep_was"};
constexpr Sql select_timer{BELFRY_TIMERS "WHERE timer_id = $1"};
constexpr Sql select_name{BELFRY_TIMERS "WHERE agent_id = $1 AND name = $2"};
constexpr Sql count_of_agent{
    "SELECT count(*) FROM agent_timers WHERE agent_id = $1 AND (active = 0 OR due_at IS NOT NULL)"};
constexpr Sql upsert{
    "INSERT INTO agent_timers (" BELFRY_TIMER_COLUMNS
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT (timer_id) DO UPDATE "
    "SET "
    "name = excluded.name, schedule_json = excluded.schedule_json, active = excluded.active, "
    "next_run_at = excluded.next_run_at, last_scheduled_at = excluded.last_scheduled_at, "
    "begun_at = excluded.begun_at, counted_from = excluded.counted_from, due_at = excluded.due_at, fault = "
    "excluded.fault, "
    "input_json = excluded.input_json, priority = excluded.priority, updated_at = excluded.updated_at"};
constexpr Sql delete_timer{"DELETE FROM agent_timers WHERE timer_id = $1"};
constexpr Sql delete_spans{"DELETE FROM timer_spans WHERE timer_id = $1"};
constexpr Sql stop_of_agent{
    "UPDATE agent_timers SET active = 0, next_run_at = $3, due_at = NULL, fault = NULL, updated_at = $2 WHERE agent_id "
    "= $1 AND "
    "active = 1"};
constexpr Sql select_ended{BELFRY_TIMERS "WHERE next_run_at = $1 AND timer_id > $2 ORDER BY timer_id LIMIT $3"};
constexpr Sql erase_timers{
    "DELETE FROM agent_timers WHERE timer_id IN (SELECT timer_id FROM agent_timers WHERE user_id = $1 LIMIT $2)"};
constexpr Sql erase_spans{
    "DELETE FROM timer_spans WHERE timer_id IN (SELECT timer_id FROM timer_spans WHERE user_id = $1 LIMIT $2)"};

#define BELFRY_PAGE "(next_run_at, timer_id) > ($1, $2) ORDER BY next_run_at, timer_id LIMIT $3"
constexpr Sql list_all{BELFRY_TIMERS "WHERE " BELFRY_PAGE};
constexpr Sql list_of_user{BELFRY_TIMERS "WHERE user_id = $4 AND " BELFRY_PAGE};
constexpr Sql list_of_agent{BELFRY_TIMERS "WHERE agent_id = $4 AND " BELFRY_PAGE};

model::AgentTimer read_timer(RowReader& row) {
    model::AgentTimer timer;
    timer.id = {row.uuid()};
    timer.agent_id = row.text();
    timer.user_id = row.text();
    timer.name = row.text();
    auto schedule = model::kept_schedule_of(row.json().view());
    if (schedule) timer.schedule = std::move(*schedule);
    else row.note_damage();
    timer.active = row.flag();
    const std::int64_t next = row.number();
    if (next != never_fires) timer.next_run_at = base::Timestamp{next};
    timer.last_scheduled_at = row.maybe_time();
    timer.begun_at = row.time();
    timer.counted_from = row.time();
    timer.due_at = row.maybe_time();
    timer.fault = row.maybe_text().value_or("");
    timer.input = row.json();
    timer.priority = row.number();
    timer.created_at = row.time();
    timer.updated_at = row.time();
    return timer;
}

ports::WakeWish read_wish(RowReader& row) {
    ports::WakeWish wish;
    wish.agent_id = row.text();
    wish.at = row.time();
    return wish;
}

Param next_of(const std::optional<base::Timestamp>& time) {
    return time ? number(*time) : number(never_fires);
}

base::Result<std::optional<base::Timestamp>> first_time(Database& database, const Sql& sql) {
    std::optional<base::Timestamp> first;
    TRY(database.run(sql, {}, [&](const Row& row) {
        if (!row.is_null(0)) first = base::Timestamp{row.number(0)};
    }));
    return first;
}

}  // namespace

base::Result<std::vector<model::AgentTimer>> SqlTimerTable::due(base::Timestamp now, std::size_t limit) {
    return select(database_, "agent_timers", select_due, {number(now), number(std::uint64_t{limit})}, read_timer);
}

base::Result<std::vector<ports::WakeWish>> SqlTimerTable::due_wishes(base::Timestamp now, std::size_t limit) {
    const Param rows = number(std::uint64_t{limit});
    TRY_ASSIGN(auto wishes, select(database_, "agent_states", select_wishes, {number(now), rows}, read_wish));
    TRY_ASSIGN(auto moved, select(database_, "moved_wake_times", select_moved_wishes, {number(now), rows}, read_wish));
    std::ranges::move(moved, std::back_inserter(wishes));
    return wishes;
}

base::Result<std::optional<base::Timestamp>> SqlTimerTable::next_due() {
    std::optional<base::Timestamp> next;
    for (const Sql* const sql : {&select_next_due, &select_next_wish, &select_next_moved_wish, &select_next_sleep}) {
        TRY_ASSIGN(const auto due, first_time(database_, *sql));
        if (due && (!next || *due < *next)) next = due;
    }
    return next;
}

base::Result<std::optional<model::AgentTimer>> SqlTimerTable::find(const model::TimerId& id) {
    return select_one(database_, "agent_timers", select_timer, {bytes(id.uuid)}, read_timer);
}

base::Result<std::vector<model::AgentTimer>> SqlTimerTable::find_all(std::span<const model::TimerId> ids) {
    std::vector<std::vector<Param>> sets;
    for (const model::TimerId& id : ids) sets.push_back({bytes(id.uuid)});
    return select_many(database_, "agent_timers", select_timer, sets, read_timer);
}

base::Result<std::optional<model::AgentTimer>> SqlTimerTable::find_name(std::string_view agent_id,
                                                                        std::string_view name) {
    return select_one(database_, "agent_timers", select_name, {bytes(agent_id), bytes(name)}, read_timer);
}

base::Result<std::int64_t> SqlTimerTable::count(std::string_view agent_id) {
    std::int64_t count = 0;
    TRY(database_.run(count_of_agent, {bytes(agent_id)}, [&](const Row& row) { count = row.number(0); }));
    return count;
}

base::Result<void> SqlTimerTable::put(std::span<const model::AgentTimer> timers) {
    std::vector<std::string> schedules;
    std::vector<std::vector<Param>> sets;
    schedules.reserve(timers.size());
    sets.reserve(timers.size());
    for (const model::AgentTimer& timer : timers) {
        model::JsonWriter writer(schedules.emplace_back());
        model::append_kept_schedule(writer, timer.schedule);
        sets.push_back({bytes(timer.id.uuid), bytes(timer.agent_id), bytes(timer.user_id), bytes(timer.name),
                        bytes(schedules.back()), choice(timer.active), next_of(timer.next_run_at),
                        maybe(timer.last_scheduled_at), number(timer.begun_at), number(timer.counted_from),
                        maybe(timer.due_at), timer.fault.empty() ? Param{} : bytes(timer.fault),
                        bytes(timer.input.bytes()), number(timer.priority), number(timer.created_at),
                        number(timer.updated_at)});
    }
    return database_.run_many(upsert, sets, {});
}

base::Result<bool> SqlTimerTable::remove(const model::TimerId& id) {
    TRY(database_.run(delete_spans, {bytes(id.uuid)}));
    TRY_ASSIGN(const std::int64_t gone, database_.run(delete_timer, {bytes(id.uuid)}));
    return gone > 0;
}

base::Result<void> SqlTimerTable::stop_agent(std::string_view agent_id, base::Timestamp now) {
    TRY(database_.run(stop_of_agent, {bytes(agent_id), number(now), number(never_fires)}));
    return {};
}

base::Result<std::vector<model::AgentTimer>> SqlTimerTable::ended(const model::TimerId& after, std::size_t limit) {
    return select(database_, "agent_timers", select_ended,
                  {number(never_fires), bytes(after.uuid), number(std::uint64_t{limit})}, read_timer);
}

base::Result<std::uint64_t> SqlTimerTable::erase_user(std::string_view user_id, std::size_t limit) {
    return erase_rows(database_, {&erase_timers, &erase_spans}, user_id, limit);
}

base::Result<std::optional<model::AgentTimer>> SqlTimerReading::find(const model::TimerId& id) {
    return select_one(database_, "agent_timers", select_timer, {bytes(id.uuid)}, read_timer);
}

base::Result<std::vector<model::AgentTimer>> SqlTimerReading::list(const ports::TimerFilter& filter) {
    const Param from = filter.after ? next_of(filter.after->next_run_at) : number(std::int64_t{-1});
    const base::Uuid last = filter.after ? filter.after->id.uuid : base::Uuid{};
    const Param limit = number(std::uint64_t{filter.limit});
    if (!filter.agent_id.empty()) {
        return select(database_, "agent_timers", list_of_agent, {from, bytes(last), limit, bytes(filter.agent_id)},
                      read_timer);
    }
    if (!filter.user_id.empty()) {
        return select(database_, "agent_timers", list_of_user, {from, bytes(last), limit, bytes(filter.user_id)},
                      read_timer);
    }
    return select(database_, "agent_timers", list_all, {from, bytes(last), limit}, read_timer);
}

}  // namespace belfry::store
