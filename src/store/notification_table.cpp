#include "store/notification_table.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/injection_limits.hpp"
#include "store/notification_row.hpp"

namespace belfry::store {
namespace {

// As the statements say it.
static_assert(static_cast<int>(model::DeliveryState::pending) == 0);
static_assert(static_cast<int>(model::DeliveryState::delivered) == 4);
static_assert(static_cast<int>(model::DeliveryState::failed) == 5);
static_assert(static_cast<int>(model::Priority::low) * 4 + static_cast<int>(model::InjectAt::turn_end) == 15);

constexpr Sql select_last{
    "SELECT (SELECT coalesce(max(ordinal), 0) FROM notifications), (SELECT last_notification FROM ledger WHERE id = "
    "1)"};
constexpr Sql remember_last{
    "UPDATE ledger SET last_notification = (SELECT coalesce(max(ordinal), 0) FROM notifications) WHERE id = 1 "
    "AND last_notification < (SELECT coalesce(max(ordinal), 0) FROM notifications)"};
constexpr Sql insert_notification{
    "INSERT INTO notifications (" BELFRY_NOTIFICATION_BIRTH ", " BELFRY_NOTIFICATION_WAY ", " BELFRY_NOTIFICATION_MATTER
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, "
    "$23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, "
    "$45, $46, $47, $48, $49, $50, $51)"};
// Class 15 is low and turn_end, class 12 low and immediate, which is the next point of a turn: low context that no
// turn's end came for in time counts as the second.
#define BELFRY_DUE                                                                        \
    "WHERE queue = $1 AND (lease_until IS NULL OR lease_until <= $2) "                    \
    "AND ((($3 >> CAST(due_class AS INTEGER)) & 1) = 1 OR created_at <= $4 "              \
    "OR (due_class = 15 AND created_at <= $7 AND (($3 >> CAST(12 AS INTEGER)) & 1) = 1) " \
    "OR (handed_to = $5 AND length(handed_to) > 0 AND state = 2)) "                       \
    "AND (length(session_id) > 0 OR length(agent_id) = 0 OR agent_id = $6) "              \
    "AND ($8 = $9 OR length(agent_id) = 0 OR agent_id = $8) "
constexpr Sql select_due{BELFRY_NOTIFICATIONS BELFRY_DUE "ORDER BY priority, ordinal LIMIT $10"};
constexpr Sql count_due_rows{"SELECT count(*) FROM notifications " BELFRY_DUE};
constexpr Sql count_queue{"SELECT CAST(coalesce(sum(event_rows), 0) AS BIGINT) FROM notifications WHERE queue = $1"};
// The queue is gone through in its index alone; only the one that is found is read.
constexpr Sql select_least{
    BELFRY_NOTIFICATIONS
    "WHERE ordinal = (SELECT ordinal FROM notifications WHERE queue = $1 AND +state = 0 "
    "AND severity < $2 AND subscriber_id <> $3 AND target = 1 AND handler = 0 ORDER BY severity, ordinal LIMIT 1)"};
constexpr Sql select_newest{BELFRY_NOTIFICATIONS
                            "WHERE ordinal = (SELECT max(ordinal) FROM notifications WHERE queue = $1 AND +state = 0 "
                            "AND substr(subscriber_id, 1) = $2)"};
constexpr Sql select_pull{BELFRY_NOTIFICATIONS "WHERE pull_id = $1 ORDER BY ordinal"};
constexpr Sql select_created{
    "SELECT ordinal, notification_id, user_id, session_id, agent_id, subscriber_id, due_class, follow_up, created_at, "
    "state, events_json FROM notifications WHERE created_at >= $1 AND length(subscriber_id) > 0 ORDER BY created_at, "
    "ordinal"};
// Writes the way and tells whether the matter is as it was. Only where it is not comes the statement for that, which
// has SQLite write most indexes anew, whether their columns have changed or not; so does the queue's where it is set.
#define BELFRY_UPDATE_WAY(further_columns, further_values)                                                       \
    "UPDATE notifications SET (" BELFRY_NOTIFICATION_WAY further_columns                                         \
    ") = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21" further_values \
    ") "                                                                                                         \
    "WHERE notification_id = $1 AND lease = $2 AND state < 4 "                                                   \
    "RETURNING CASE WHEN (" BELFRY_NOTIFICATION_MATTER                                                           \
    ") IS NOT DISTINCT FROM ($22, $23, $24, $25, $26, "                                                          \
    "$27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43) THEN 1 ELSE 0 END"
constexpr Sql update_open{BELFRY_UPDATE_WAY("", "")};
constexpr Sql update_ended{BELFRY_UPDATE_WAY(", queue", ", NULL")};
constexpr Sql update_matter{"UPDATE notifications SET (" BELFRY_NOTIFICATION_MATTER
                            ") = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, "
                            "$20, $21, $22, $23) WHERE notification_id = $1"};
constexpr Sql raise_passed_over{"UPDATE notifications SET passed_over = passed_over + 1 WHERE notification_id = $1"};
constexpr Sql delete_ended{
    "DELETE FROM notifications WHERE ordinal IN (SELECT ordinal FROM notifications WHERE ended_at < $1 AND state >= 4 "
    "ORDER BY ended_at LIMIT $2) RETURNING notification_id"};
constexpr Sql delete_of_user{
    "DELETE FROM notifications WHERE ordinal IN (SELECT ordinal FROM notifications WHERE user_id = $1 LIMIT $2) "
    "RETURNING notification_id"};
constexpr Sql delete_in_sessions{
    "DELETE FROM notifications WHERE ordinal IN (SELECT n.ordinal FROM sessions s JOIN notifications n "
    "ON n.session_id = s.session_id WHERE s.user_id = $1 LIMIT $2) RETURNING notification_id"};
constexpr Sql delete_steps{"DELETE FROM transitions WHERE notification_id = $1"};

constexpr std::size_t columns_max = 52;

// What the dedupe windows need.
model::Notification read_created(RowReader& row) {
    model::Notification n;
    n.ordinal = row.number();
    n.id.uuid = row.uuid();
    n.scope.user_id = row.text();
    n.scope.session_id = row.text();
    n.scope.agent_id = row.text();
    n.subscriber_id = row.text();
    read_due_class(row, n);
    n.follow_up = row.flag();
    n.created_at = row.time();
    n.state = row.choice(model::DeliveryState::failed);
    n.events = read_events(row);
    return n;
}

std::vector<Param> due_params(const std::string& queue, const ports::DueQuestion& question) {
    const std::int64_t before = question.or_before ? question.or_before->us : std::numeric_limits<std::int64_t>::min();
    return {bytes(queue),
            number(question.now),
            number(std::uint64_t{question.classes}),
            number(before),
            bytes(question.or_handed_before ? std::string_view(question.session_id) : std::string_view()),
            bytes(question.agent_id),
            number(question.now - base::limits::low_wait_max),
            bytes(question.only_agent),
            bytes("")};
}

}  // namespace

base::Result<std::int64_t> SqlNotificationTable::next_ordinal() {
    std::int64_t last = 0;
    TRY(database_.run(select_last, {}, [&](const Row& row) { last = std::max(row.number(0), row.number(1)); }));
    return last + 1;
}

base::Result<void> SqlNotificationTable::insert(std::span<const model::Notification> notifications) {
    std::vector<Derived> derived;  // what the parameters point into
    derived.reserve(notifications.size());
    std::vector<std::vector<Param>> sets;
    sets.reserve(notifications.size());
    for (const model::Notification& notification : notifications) {
        const Derived& added = derived.emplace_back(notification);
        std::vector<Param>& set = sets.emplace_back(birth_of(notification));
        set.reserve(columns_max);
        std::ranges::move(way_of(notification, added), std::back_inserter(set));
        std::ranges::move(matter_of(notification, added), std::back_inserter(set));
    }
    return database_.run_many(insert_notification, sets, {});
}

base::Result<std::vector<model::Notification>> SqlNotificationTable::due_in(const std::string& queue,
                                                                            const ports::DueQuestion& question) {
    std::vector<Param> params = due_params(queue, question);
    params.push_back(number(std::uint64_t{question.limit}));
    Collector<model::Notification, model::Notification (*)(RowReader&)> rows(read_notification);
    TRY(database_.run(select_due, params, rows.sink()));
    return rows.take("notifications");
}

base::Result<std::int64_t> SqlNotificationTable::count_due(const ports::DueQuestion& question) {
    std::int64_t count = 0;
    const auto add = [&](const Row& row) { count += row.number(0); };
    const std::string of_session = model::queue_of({question.user_id, question.session_id, {}});
    const std::string of_user = model::queue_of({question.user_id, {}, {}});
    if (!question.session_id.empty()) TRY(database_.run(count_due_rows, due_params(of_session, question), add));
    if (!question.user_id.empty()) TRY(database_.run(count_due_rows, due_params(of_user, question), add));
    return count;
}

// Each queue by itself comes out of its index in order; together they would have to be sorted, contents and all.
base::Result<std::vector<model::Notification>> SqlNotificationTable::due(const ports::DueQuestion& question) {
    std::vector<model::Notification> due;
    if (!question.session_id.empty()) {
        TRY_ASSIGN(due, due_in(model::queue_of({question.user_id, question.session_id, {}}), question));
    }
    if (question.user_id.empty()) return due;
    TRY_ASSIGN(std::vector<model::Notification> of_user, due_in(model::queue_of({question.user_id, {}, {}}), question));
    std::vector<model::Notification> merged;
    merged.reserve(due.size() + of_user.size());
    std::ranges::merge(std::make_move_iterator(due.begin()), std::make_move_iterator(due.end()),
                       std::make_move_iterator(of_user.begin()), std::make_move_iterator(of_user.end()),
                       std::back_inserter(merged), [](const model::Notification& a, const model::Notification& b) {
                           return std::tie(a.priority, a.ordinal) < std::tie(b.priority, b.ordinal);
                       });
    if (merged.size() > question.limit) merged.resize(question.limit);
    return merged;
}

base::Result<std::int64_t> SqlNotificationTable::count_open(const model::Scope& scope) {
    const std::string queue = model::queue_of(scope);
    std::int64_t count = 0;
    TRY(database_.run(count_queue, {bytes(queue)}, [&](const Row& row) { count = row.number(0); }));
    return count;
}

base::Result<std::optional<model::Notification>> SqlNotificationTable::least(const model::Scope& scope,
                                                                             model::Severity below) {
    const std::string queue = model::queue_of(scope);
    return select_one(database_, "notifications", select_least,
                      {bytes(queue), choice(below), bytes(model::overload_subscriber)}, read_notification);
}

base::Result<std::optional<model::Notification>> SqlNotificationTable::newest_pending(const model::Scope& scope,
                                                                                      std::string_view subscriber_id) {
    const std::string queue = model::queue_of(scope);
    return select_one(database_, "notifications", select_newest, {bytes(queue), bytes(subscriber_id)},
                      read_notification);
}

base::Result<std::optional<model::Notification>> SqlNotificationTable::find(const model::NotificationId& id) {
    return select_one(database_, "notifications", select_notification, {bytes(id.uuid)}, read_notification);
}

base::Result<std::optional<model::Notification>> SqlNotificationTable::find_handle(std::string_view session_id,
                                                                                   std::int64_t handle) {
    return select_one(database_, "notifications", select_handle, {bytes(session_id), number(handle)},
                      read_notification);
}

base::Result<std::vector<model::Notification>> SqlNotificationTable::of_pull(const base::Uuid& pull_id) {
    return select(database_, "notifications", select_pull, {bytes(pull_id)}, read_notification);
}

base::Result<std::vector<model::Notification>> SqlNotificationTable::created_since(base::Timestamp since) {
    return select(database_, "notifications", select_created, {number(since)}, read_created);
}

base::Result<bool> SqlNotificationTable::update(const model::Notification& n, std::int64_t lease_before) {
    const Derived derived(n);
    const std::vector<Param> matter = matter_of(n, derived);
    std::vector<Param> params{bytes(n.id.uuid), number(lease_before)};
    params.reserve(columns_max);
    std::ranges::move(way_of(n, derived), std::back_inserter(params));
    params.insert(params.end(), matter.begin(), matter.end());
    bool is_found = false;
    bool is_same = false;
    TRY(database_.run(model::is_terminal(n.state) ? update_ended : update_open, params, [&](const Row& row) {
        is_found = true;
        is_same = row.number(0) != 0;
    }));
    if (is_same || !is_found) return is_found;
    params.assign(1, bytes(n.id.uuid));
    params.insert(params.end(), matter.begin(), matter.end());
    TRY(database_.run(update_matter, params, {}));
    return true;
}

base::Result<void> SqlNotificationTable::pass_over(std::span<const model::NotificationId> ids) {
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const model::NotificationId& id : ids) sets.push_back({bytes(id.uuid)});
    return database_.run_many(raise_passed_over, sets, {});
}

base::Result<std::uint64_t> SqlNotificationTable::drop_ended(base::Timestamp older_than, std::size_t limit) {
    TRY(database_.run(remember_last, {}));
    return drop_with_steps(delete_ended, {number(older_than), number(std::uint64_t{limit})});
}

base::Result<std::uint64_t> SqlNotificationTable::drop_with_steps(const Sql& deletion,
                                                                  std::initializer_list<Param> params) {
    std::vector<std::string> ids;
    TRY(database_.run(deletion, params, [&](const Row& row) { ids.emplace_back(row.bytes(0)); }));
    std::vector<std::vector<Param>> sets;
    sets.reserve(ids.size());
    for (const std::string& id : ids) sets.push_back({bytes(id)});
    TRY(database_.run_many(delete_steps, sets, {}));
    return ids.size();
}

base::Result<std::uint64_t> SqlNotificationTable::erase_user(std::string_view user_id, std::size_t limit) {
    TRY(database_.run(remember_last, {}));
    TRY_ASSIGN(std::uint64_t gone, drop_with_steps(delete_of_user, {bytes(user_id), number(std::uint64_t{limit})}));
    if (gone >= limit) return gone;
    TRY_ASSIGN(const std::uint64_t further,
               drop_with_steps(delete_in_sessions, {bytes(user_id), number(limit - gone)}));
    return gone + further;
}

}  // namespace belfry::store
