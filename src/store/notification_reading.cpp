#include "store/notification_reading.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "store/notification_row.hpp"
#include "store/notification_table.hpp"
#include "store/snapshot.hpp"
#include "store/waiting_table.hpp"

namespace belfry::store {
namespace {

// One statement for each index that a list can be read along; the other members of the filter narrow what it yields.
// $1 user, $2 session, $3 subscriber, $4 and $5 the least and the greatest state, $6 after, $7 limit, $8 outcome,
// $9 the latest creation; its plus keeps SQLite from going along an index of those. Each stands twice, for both orders.
#define BELFRY_NARROWED                                                                                            \
    "(length($1) = 0 OR user_id = $1) AND (length($2) = 0 OR session_id = $2) "                                    \
    "AND (length($3) = 0 OR subscriber_id = $3) AND state BETWEEN $4 AND $5 AND (length($8) = 0 OR outcome = $8) " \
    "AND +created_at <= $9"
#define BELFRY_UP " AND ordinal > $6 ORDER BY ordinal LIMIT $7"
#define BELFRY_DOWN " AND ordinal < $6 ORDER BY ordinal DESC LIMIT $7"
#define BELFRY_BOTH_WAYS(where)                                    \
    {                                                              \
        {BELFRY_NOTIFICATIONS where BELFRY_NARROWED BELFRY_UP}, {  \
            BELFRY_NOTIFICATIONS where BELFRY_NARROWED BELFRY_DOWN \
        }                                                          \
    }

using BothWays = std::array<Sql, 2>;  // oldest first, newest first
constexpr BothWays list_session{BELFRY_BOTH_WAYS("WHERE session_id = $2 AND ")};
constexpr BothWays list_user{BELFRY_BOTH_WAYS("WHERE user_id = $1 AND ")};
constexpr BothWays list_failed{BELFRY_BOTH_WAYS("WHERE state = 5 AND ")};
constexpr BothWays list_all{BELFRY_BOTH_WAYS("WHERE ")};
// The plus keeps SQLite from walking along the ordinals of what ended long ago. Only ordinals are sorted before a page
// of rows is read.
#define BELFRY_OPEN \
    BELFRY_NOTIFICATIONS "WHERE ordinal IN (SELECT ordinal FROM notifications WHERE state < 4 AND " BELFRY_NARROWED
constexpr BothWays list_open{
    {{BELFRY_OPEN " AND +ordinal > $6 ORDER BY +ordinal LIMIT $7) ORDER BY ordinal"},
     {BELFRY_OPEN " AND +ordinal < $6 ORDER BY +ordinal DESC LIMIT $7) ORDER BY ordinal DESC"}}};
// What is neither open nor failed was delivered: no index knows those.
constexpr Sql count_states{
    "SELECT state, count(*) FROM notifications WHERE state < 4 GROUP BY state UNION ALL "
    "SELECT 5, count(*) FROM notifications WHERE state = 5 UNION ALL "
    "SELECT 6, count(*) FROM notifications"};
constexpr Sql count_states_of{
    "SELECT state, count(*) FROM notifications WHERE user_id = $1 GROUP BY state UNION ALL "
    "SELECT 6, count(*) FROM notifications WHERE user_id = $1"};
constexpr Sql count_failures{
    "SELECT outcome, count(*) FROM notifications WHERE state = 5 AND (length($1) = 0 OR user_id = $1) "
    "GROUP BY outcome ORDER BY count(*) DESC, outcome"};
constexpr Sql oldest_open{
    "SELECT min(created_at) FROM notifications WHERE state < 4 AND (length($1) = 0 OR user_id = $1)"};
constexpr Sql count_waiting_rows{"SELECT count(*) FROM waiting_rows WHERE length($1) = 0 OR user_id = $1"};

constexpr Sql select_steps{
    "SELECT notification_id, ordinal, happened_at, from_state, to_state, lease, holder, reason FROM transitions "
    "WHERE notification_id = $1 ORDER BY ordinal"};
constexpr Sql select_events{"SELECT ordinal, events_json FROM notifications WHERE created_at BETWEEN $1 AND $2"};
constexpr Sql select_ordinal{BELFRY_NOTIFICATIONS "WHERE ordinal = $1"};
#define BELFRY_INBOX_PAGE " AND ordinal < $3 AND (length($2) = 0 OR session_id = $2) ORDER BY ordinal DESC LIMIT $4"
constexpr Sql list_inbox{BELFRY_NOTIFICATIONS "WHERE user_id = $1 AND inbox IS NOT NULL" BELFRY_INBOX_PAGE};
constexpr Sql list_unread{BELFRY_NOTIFICATIONS "WHERE user_id = $1 AND inbox = 1" BELFRY_INBOX_PAGE};
constexpr Sql count_unread{"SELECT count(*) FROM notifications WHERE user_id = $1 AND inbox = 1"};
constexpr Sql count_unshown{
    "SELECT count(*) FROM notifications WHERE user_id = $1 AND inbox IS NOT NULL AND state < 4"};
constexpr Sql count_unread_here{
    "SELECT count(*) FROM notifications WHERE session_id = $2 AND user_id = $1 AND inbox = 1"};
constexpr Sql count_unshown_here{
    "SELECT count(*) FROM notifications WHERE session_id = $2 AND user_id = $1 AND inbox IS NOT NULL AND state < 4"};

using model::DeliveryState;
constexpr auto last_state = static_cast<std::int64_t>(DeliveryState::failed);
constexpr std::int64_t last_open_state = static_cast<std::int64_t>(DeliveryState::delivered) - 1;

// What has no end is short along every index that a person or a session is found by; the ended ones only grow.
const BothWays& statements_for(const ports::NotificationFilter& filter) {
    if (filter.state == DeliveryState::failed && !filter.open_only) return list_failed;
    if (!filter.session_id.empty()) return list_session;
    if (!filter.user_id.empty()) return list_user;
    const bool is_open = filter.open_only || (filter.state && !model::is_terminal(*filter.state));
    return is_open ? list_open : list_all;
}

base::Result<std::uint64_t> count_of(Database& database, const Sql& sql, std::span<const Param> whose) {
    std::uint64_t count = 0;
    TRY(database.run(sql, whose, [&](const Row& row) { count = static_cast<std::uint64_t>(row.number(0)); }));
    return count;
}

}  // namespace

base::Result<std::optional<model::Notification>> SqlNotificationReading::find(const model::NotificationId& id) {
    return select_one(database_, "notifications", select_notification, {bytes(id.uuid)}, read_notification);
}

base::Result<std::optional<model::Notification>> SqlNotificationReading::find_handle(std::string_view session_id,
                                                                                     std::int64_t handle) {
    return select_one(database_, "notifications", select_handle, {bytes(session_id), number(handle)},
                      read_notification);
}

base::Result<std::vector<model::Notification>> SqlNotificationReading::list(const ports::NotificationFilter& filter) {
    const std::int64_t least = filter.state ? static_cast<std::int64_t>(*filter.state) : 0;
    std::int64_t greatest = filter.state ? least : last_state;
    if (filter.open_only && greatest > last_open_state) greatest = last_open_state;
    const std::int64_t latest =
        filter.created_before ? filter.created_before->us : std::numeric_limits<std::int64_t>::max();
    const bool from_newest = filter.newest_first && filter.after == 0;
    const std::int64_t from = from_newest ? std::numeric_limits<std::int64_t>::max() : filter.after;
    return select(
        database_, "notifications", statements_for(filter)[filter.newest_first ? 1 : 0],
        {bytes(filter.user_id), bytes(filter.session_id), bytes(filter.subscriber_id), number(least), number(greatest),
         number(from), number(std::uint64_t{filter.limit}), bytes(filter.outcome), number(latest)},
        read_notification);
}

base::Result<ports::NotificationReading::Figures> SqlNotificationReading::figures(std::string_view user_id) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    const std::array<Param, 1> whose{bytes(user_id)};
    std::array<std::int64_t, last_state + 2> counts{};  // the last one is of all
    bool is_damaged = false;
    const auto count = [&](const Row& row) {
        const auto state = static_cast<std::size_t>(row.number(0));
        if (state < counts.size()) counts[state] = row.number(1);
        else is_damaged = true;
    };
    TRY(user_id.empty() ? database_.run(count_states, {}, count) : database_.run(count_states_of, whose, count));
    if (is_damaged) return base::error(base::Code::malformed, "a row of notifications is damaged");
    auto& delivered = counts[static_cast<std::size_t>(DeliveryState::delivered)];
    delivered = 0;
    delivered = counts.back() - std::accumulate(counts.begin(), counts.end() - 1, std::int64_t{0});
    Figures figures;
    for (std::size_t state = 0; state + 1 < counts.size(); ++state) {
        if (counts[state] == 0) continue;
        figures.by_state.emplace_back(static_cast<DeliveryState>(state), static_cast<std::uint64_t>(counts[state]));
    }
    TRY(database_.run(count_failures, whose, [&](const Row& row) {
        figures.failures.emplace_back(std::string(row.bytes(0)), static_cast<std::uint64_t>(row.number(1)));
    }));
    TRY(database_.run(oldest_open, whose, [&](const Row& row) {
        if (!row.is_null(0)) figures.oldest_open = base::Timestamp{row.number(0)};
    }));
    TRY_ASSIGN(figures.waiting_rows, count_of(database_, count_waiting_rows, whose));
    return figures;
}

base::Result<std::vector<model::Transition>> SqlNotificationReading::steps(const model::NotificationId& id) {
    return select(database_, "transitions", select_steps, {bytes(id.uuid)}, read_step);
}

// Events have no index of their own: every notification would pay for a question that is seldom asked.
base::Result<std::vector<model::Notification>> SqlNotificationReading::of_event(const model::EventId& id,
                                                                                base::Timestamp from,
                                                                                base::Timestamp to, Repeats repeats) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    const auto concerns = [&](const model::NotifiedEvent& event) {
        return event.id == id || (repeats == Repeats::wanted && event.count > 1);
    };
    std::vector<std::int64_t> concerned;
    TRY(database_.run(select_events, {number(from), number(to)}, [&](const Row& row) {
        RowReader reader(row);
        const std::int64_t ordinal = reader.number();
        if (std::ranges::any_of(read_events(reader), concerns)) concerned.push_back(ordinal);
    }));
    std::ranges::sort(concerned);
    std::vector<std::vector<Param>> sets;
    sets.reserve(concerned.size());
    for (const std::int64_t ordinal : concerned) sets.push_back({number(ordinal)});
    return select_many(database_, "notifications", select_ordinal, sets, read_notification);
}

base::Result<std::vector<model::WaitingRow>> SqlNotificationReading::waiting_of(std::string_view user_id) {
    return find_waiting(database_, user_id);
}

base::Result<std::int64_t> SqlNotificationReading::count_waiting(std::string_view user_id,
                                                                 std::string_view session_id) {
    return count_waiting_events(database_, user_id, session_id);
}

base::Result<ports::Due> SqlNotificationReading::due(const ports::DueQuestion& question) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    SqlNotificationTable table(database_);
    ports::Due due;
    TRY_ASSIGN(due.first, table.due(question));
    due.count = std::ssize(due.first);
    if (due.first.size() < question.limit) return due;
    TRY_ASSIGN(due.count, table.count_due(question));
    return due;
}

base::Result<ports::Facts> SqlNotificationReading::facts(const ports::FactQuestion& question) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    return SqlNotificationTable(database_).facts(question);
}

base::Result<std::vector<model::Notification>> SqlNotificationReading::inbox(const InboxQuestion& question) {
    const std::int64_t before = question.before > 0 ? question.before : std::numeric_limits<std::int64_t>::max();
    return select(
        database_, "notifications", question.unread_only ? list_unread : list_inbox,
        {bytes(question.user_id), bytes(question.session_id), number(before), number(std::uint64_t{question.limit})},
        read_notification);
}

base::Result<ports::NotificationReading::InboxCounts> SqlNotificationReading::inbox_counts(
    std::string_view user_id, std::string_view session_id) {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    InboxCounts counts;
    std::vector<Param> whose{bytes(user_id)};
    if (!session_id.empty()) whose.push_back(bytes(session_id));
    TRY_ASSIGN(counts.unread, count_of(database_, session_id.empty() ? count_unread : count_unread_here, whose));
    TRY_ASSIGN(counts.waiting, count_of(database_, session_id.empty() ? count_unshown : count_unshown_here, whose));
    return counts;
}

}  // namespace belfry::store
