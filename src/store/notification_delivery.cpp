#include <algorithm>
#include <deque>
#include <string>

#include "store/notification_row.hpp"
#include "store/notification_table.hpp"

// What the delivery protocol asks of the notifications.
namespace belfry::store {
namespace {

// As the statements and the conditions of their indexes say it.
static_assert(static_cast<int>(model::DeliveryState::locked) == 2);
static_assert(static_cast<int>(model::DeliveryState::delivered) == 4);
static_assert(static_cast<int>(model::Address::session) == 0 && static_cast<int>(model::Address::user) == 1);

// Marks come after the end too: they change nothing of how it was delivered.
constexpr Sql update_marks{
    "UPDATE notifications SET seen_at = $2, acted_at = $3, dismissed_at = $4, inbox = $5, shown_at = $6 "
    "WHERE notification_id = $1"};
// The history of a user repeats what the devices agreed on, whatever became of the notification.
constexpr Sql update_words{
    "UPDATE notifications SET content = $2, human_text = $3, model_tokens = $4, version = $5 "
    "WHERE notification_id = $1"};
constexpr Sql select_key{BELFRY_NOTIFICATIONS
                         "WHERE user_id = $1 AND deduplication_key = $2 AND deduplication_key IS NOT NULL "
                         "AND state < 4 ORDER BY ordinal DESC LIMIT 1"};
constexpr Sql select_held_key{BELFRY_NOTIFICATIONS
                              "WHERE user_id = $1 AND deduplication_key = $2 AND deduplication_key IS NOT NULL "
                              "AND state < 4 AND state = 2 AND lease = $3 ORDER BY ordinal DESC LIMIT 1"};
constexpr Sql select_overdue{BELFRY_NOTIFICATIONS
                             "WHERE state < 4 AND deadline <= $1 ORDER BY deadline, ordinal LIMIT $2"};
constexpr Sql select_next_deadline{
    "SELECT deadline FROM notifications WHERE state < 4 AND deadline IS NOT NULL ORDER BY deadline LIMIT 1"};
constexpr Sql select_for_interfaces{BELFRY_NOTIFICATIONS
                                    "WHERE user_id = $1 AND inbox IS NOT NULL AND state < 4 "
                                    "AND (length($2) = 0 OR session_id = $2) AND ordinal > $3 AND ordinal <= $4 "
                                    "ORDER BY ordinal LIMIT $5"};
constexpr Sql select_held{BELFRY_NOTIFICATIONS
                          "WHERE handed_to = $1 AND state = 2 AND length(holder) > 0 ORDER BY ordinal"};
constexpr Sql select_leases{
    "SELECT notification_id, state, lease, holder, lease_until, deadline, handle, pull_id FROM notifications "
    "WHERE handed_to = $1 AND state = 2 AND length(holder) > 0 ORDER BY ordinal"};
constexpr Sql renew_one{
    "UPDATE notifications SET lease_until = $3, deadline = $4 WHERE notification_id = $1 AND lease = $2 AND state = 2 "
    "RETURNING 1"};
// An agent knows its own narration: its session is not told of it. A fact of another session is a fact of that
// session's agent, also where the notification names none.
#define BELFRY_FACTS_OF_SESSION(agent, none)                                                                     \
    "AND (session_id = $2 OR address = 1 OR length(session_id) = 0) AND (narration IS NULL OR handed_to <> $2) " \
    "AND (session_id = $2 OR " agent " = " none " OR ((agent_id = " none " OR agent_id = " agent                 \
    ") "                                                                                                         \
    "AND (length(session_id) = 0 OR EXISTS (SELECT 1 FROM sessions WHERE sessions.session_id = "                 \
    "notifications.session_id AND sessions.agent_id = " agent ")))) "
#define BELFRY_FACTS \
    "WHERE user_id = $1 AND aware_no IS NOT NULL AND aware_no > $3 " BELFRY_FACTS_OF_SESSION("$5", "$6")
constexpr Sql select_facts{BELFRY_NOTIFICATIONS BELFRY_FACTS "ORDER BY aware_no LIMIT $4"};
constexpr Sql count_facts{
    "SELECT count(*), CAST(coalesce(sum(CASE WHEN address = 1 AND aware_no > $4 THEN 1 ELSE 0 END), 0) AS BIGINT) "
    "FROM notifications " BELFRY_FACTS};
// By number, not by time: after a clock that was set back, later facts have earlier times.
constexpr Sql select_first_fact{
    "SELECT min(aware_no) FROM notifications WHERE user_id = $1 AND shown_at IS NOT NULL AND shown_at >= $3 "
    "AND aware_no IS NOT NULL " BELFRY_FACTS_OF_SESSION("$4", "$5")};
constexpr Sql update_fact{
    "UPDATE notifications SET shown_at = $2, aware_no = $3, aware_fact = $4 WHERE notification_id = $1"};
constexpr Sql select_open_retry{
    "SELECT 1 FROM notifications WHERE user_id = $1 AND state < 4 AND retry_of = $2 LIMIT 1"};
constexpr Sql select_depth{
    "SELECT max(depth) FROM notifications WHERE handed_to = $1 AND state = 2 AND length(holder) > 0"};
constexpr Sql select_depth_by{"SELECT max(depth) FROM notifications WHERE holder = $1 AND state = 2"};
constexpr Sql select_open_of_session{BELFRY_NOTIFICATIONS
                                     "WHERE session_id = $1 AND state < 4 ORDER BY ordinal LIMIT $2"};
// Numbers of facts and ordinals of steps rise with the commits and inside each of them; no commit comes near the
// numbers of the next one.
constexpr std::int64_t numbers_per_commit = 2'097'152;
constexpr Sql insert_step{
    "INSERT INTO transitions (notification_id, ordinal, happened_at, from_state, to_state, lease, holder, reason) "
    "VALUES ($1, (SELECT commit_no FROM ledger WHERE id = 1) * 2097152 + $2, $3, $4, $5, $6, $7, $8)"};

constexpr Sql count_steps_of{"SELECT count(*) FROM transitions WHERE notification_id = $1 AND reason = $2"};

model::Notification read_lease(RowReader& row) {
    model::Notification n;
    n.id.uuid = row.uuid();
    n.state = row.choice(model::DeliveryState::failed);
    n.lease = row.number();
    n.holder = row.text();
    n.lease_until = row.maybe_time();
    n.deadline = row.maybe_time();
    n.handle = row.number();
    n.pull_id = row.maybe_uuid();
    return n;
}

}  // namespace

base::Result<bool> SqlNotificationTable::mark(const model::Notification& n) {
    const Derived derived(n);
    TRY_ASSIGN(
        const std::int64_t changed,
        database_.run(update_marks, {bytes(n.id.uuid), maybe(n.seen_at), maybe(n.acted_at), maybe(n.dismissed_at),
                                     derived.inbox ? number(*derived.inbox) : Param{}, maybe(derived.shown_at)}));
    return changed == 1;
}

base::Result<bool> SqlNotificationTable::revise(const model::Notification& n) {
    TRY_ASSIGN(const std::int64_t changed,
               database_.run(update_words, {bytes(n.id.uuid), bytes(n.content), bytes(n.text), number(n.model_tokens),
                                            number(n.version)}));
    return changed == 1;
}

base::Result<std::optional<model::Notification>> SqlNotificationTable::find_key(std::string_view user_id,
                                                                                std::string_view deduplication_key) {
    return select_one(database_, "notifications", select_key, {bytes(user_id), bytes(deduplication_key)},
                      read_notification);
}

base::Result<std::optional<model::Notification>> SqlNotificationTable::find_held_key(std::string_view user_id,
                                                                                     std::string_view deduplication_key,
                                                                                     std::int64_t lease) {
    return select_one(database_, "notifications", select_held_key,
                      {bytes(user_id), bytes(deduplication_key), number(lease)}, read_notification);
}

base::Result<std::vector<model::Notification>> SqlNotificationTable::overdue(base::Timestamp now, std::size_t limit) {
    return select(database_, "notifications", select_overdue, {number(now), number(std::uint64_t{limit})},
                  read_notification);
}

base::Result<std::optional<base::Timestamp>> SqlNotificationTable::next_deadline() {
    std::optional<base::Timestamp> next;
    TRY(database_.run(select_next_deadline, {}, [&](const Row& row) { next = RowReader(row).time(); }));
    return next;
}

base::Result<std::vector<model::Notification>> SqlNotificationTable::for_interfaces(const InterfaceQuestion& q) {
    return select(
        database_, "notifications", select_for_interfaces,
        {bytes(q.user_id), bytes(q.session_id), number(q.after), number(q.until), number(std::uint64_t{q.limit})},
        read_notification);
}

base::Result<std::vector<model::Notification>> SqlNotificationTable::held_by_session(std::string_view session_id) {
    return select(database_, "notifications", select_held, {bytes(session_id)}, read_notification);
}

base::Result<std::vector<model::Notification>> SqlNotificationTable::leases_of_session(std::string_view session_id) {
    return select(database_, "notifications", select_leases, {bytes(session_id)}, read_lease);
}

base::Result<std::int64_t> SqlNotificationTable::renew(std::span<const model::Notification> rows) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(rows.size());
    for (const model::Notification& row : rows) {
        sets.push_back({bytes(row.id.uuid), number(row.lease), maybe(row.lease_until), maybe(row.deadline)});
    }
    std::int64_t renewed = 0;
    TRY(database_.run_many(renew_one, sets, [&](const Row&) { ++renewed; }));
    return renewed;
}

base::Result<ports::Facts> SqlNotificationTable::facts(const ports::FactQuestion& q) {
    ports::Facts facts;
    const Param agent = bytes(q.only_agent);
    const Param none = bytes("");
    std::optional<std::int64_t> after = q.after;
    if (!after) {
        TRY(database_.run(select_first_fact, {bytes(q.user_id), bytes(q.session_id), number(q.since), agent, none},
                          [&](const Row& row) {
                              if (!row.is_null(0)) after = row.number(0) - 1;
                          }));
        if (!after) return facts;
    }
    TRY_ASSIGN(facts.oldest, select(database_, "notifications", select_facts,
                                    {bytes(q.user_id), bytes(q.session_id), number(*after),
                                     number(std::uint64_t{q.limit}), agent, none},
                                    read_notification));
    if (facts.oldest.size() < q.limit) {
        facts.count = std::ssize(facts.oldest);
        facts.in_inbox = std::ranges::count_if(facts.oldest, [&](const model::Notification& one) {
            return one.address == model::Address::user && one.fact.number > q.counted;
        });
        return facts;
    }
    TRY(database_.run(count_facts,
                      {bytes(q.user_id), bytes(q.session_id), number(*after), number(q.counted), agent, none},
                      [&](const Row& row) {
                          facts.count = row.number(0);
                          facts.in_inbox = row.number(1);
                      }));
    return facts;
}

std::int64_t SqlNotificationTable::next_fact_number() {
    return commit_number_ * numbers_per_commit + ++facts_numbered_;
}

base::Result<void> SqlNotificationTable::put_facts(std::span<const model::Notification> rows) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(rows.size());
    for (const model::Notification& row : rows) {
        sets.push_back({bytes(row.id.uuid), number(row.fact.at), number(row.fact.number), number(fact_code(row.fact))});
    }
    return database_.run_many(update_fact, sets, {});
}

base::Result<bool> SqlNotificationTable::has_open_retry(std::string_view user_id, const model::NotificationId& id) {
    bool found = false;
    TRY(database_.run(select_open_retry, {bytes(user_id), bytes(id.uuid)}, [&](const Row&) { found = true; }));
    return found;
}

base::Result<std::optional<std::int64_t>> SqlNotificationTable::depth_held(std::string_view session_id) {
    std::optional<std::int64_t> depth;
    TRY(database_.run(select_depth, {bytes(session_id)}, [&](const Row& row) {
        if (!row.is_null(0)) depth = row.number(0);
    }));
    return depth;
}

base::Result<std::optional<std::int64_t>> SqlNotificationTable::depth_held_by(std::string_view holder) {
    std::optional<std::int64_t> depth;
    TRY(database_.run(select_depth_by, {bytes(holder)}, [&](const Row& row) {
        if (!row.is_null(0)) depth = row.number(0);
    }));
    return depth;
}

base::Result<std::vector<model::Notification>> SqlNotificationTable::open_of_session(std::string_view session_id,
                                                                                     std::size_t limit) {
    return select(database_, "notifications", select_open_of_session, {bytes(session_id), number(std::uint64_t{limit})},
                  read_notification);
}

base::Result<std::int64_t> SqlNotificationTable::count_steps(const model::NotificationId& id, std::string_view reason) {
    std::int64_t count = 0;
    TRY(database_.run(count_steps_of, {bytes(id.uuid), bytes(reason)}, [&](const Row& row) { count = row.number(0); }));
    return count;
}

base::Result<void> SqlNotificationTable::add_steps(std::span<const model::Transition> steps) {
    std::vector<std::vector<Param>> sets;
    std::deque<std::string> births;  // the parameters point to them
    sets.reserve(steps.size());
    for (const model::Transition& step : steps) {
        const std::string_view reason = step.routing ? births.emplace_back(birth_text(step)) : step.reason;
        sets.push_back({bytes(step.notification.uuid), number(++steps_added_), number(step.at), choice(step.from),
                        choice(step.to), number(step.lease), bytes(step.holder), bytes(reason)});
    }
    return database_.run_many(insert_step, sets, {});
}

}  // namespace belfry::store
