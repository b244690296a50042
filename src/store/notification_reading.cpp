#include "store/notification_reading.hpp"

#include "store/notification_row.hpp"
#include "store/snapshot.hpp"

namespace belfry::store {
namespace {

// One statement for each index that a list can be read along; the other members of the filter narrow what it yields.
// $1 user, $2 session, $3 subscriber, $4 and $5 the least and the greatest state, $6 after, $7 limit.
#define BELFRY_LIST "SELECT " BELFRY_NOTIFICATION_COLUMNS " FROM notifications WHERE "
#define BELFRY_IF_USER " AND (length($1) = 0 OR user_id = $1)"
#define BELFRY_IF_SESSION " AND (length($2) = 0 OR session_id = $2)"
#define BELFRY_IF_SUBSCRIBER " AND (length($3) = 0 OR subscriber_id = $3)"
#define BELFRY_IF_STATE " AND state BETWEEN $4 AND $5"
#define BELFRY_PAGE " AND ordinal > $6 ORDER BY ordinal LIMIT $7"

constexpr Sql list_session{BELFRY_LIST
                           "session_id = $2" BELFRY_IF_USER BELFRY_IF_SUBSCRIBER BELFRY_IF_STATE BELFRY_PAGE};
constexpr Sql list_user{BELFRY_LIST "user_id = $1" BELFRY_IF_SESSION BELFRY_IF_SUBSCRIBER BELFRY_IF_STATE BELFRY_PAGE};
constexpr Sql list_subscriber{BELFRY_LIST
                              "subscriber_id = $3" BELFRY_IF_USER BELFRY_IF_SESSION BELFRY_IF_STATE BELFRY_PAGE};
#define BELFRY_IF_NOTHING "length($1) + length($2) + length($3) = 0"
constexpr Sql list_all{BELFRY_LIST BELFRY_IF_NOTHING BELFRY_IF_STATE BELFRY_PAGE};
constexpr Sql list_state{BELFRY_LIST BELFRY_IF_NOTHING " AND state = $4 AND state <= $5" BELFRY_PAGE};
// The plus keeps SQLite from walking along the ordinals of what ended long ago. Only ordinals are sorted, out of the
// index alone, before a page of rows is read.
constexpr Sql list_open{BELFRY_LIST
                        "ordinal IN (SELECT ordinal FROM notifications WHERE " BELFRY_IF_NOTHING BELFRY_IF_STATE
                        " AND +ordinal > $6 ORDER BY +ordinal LIMIT $7) ORDER BY ordinal"};
constexpr Sql count_states{"SELECT state, count(*) FROM notifications GROUP BY state ORDER BY state"};
constexpr Sql count_waiting{"SELECT count(*) FROM waiting_rows"};

constexpr auto last_state = static_cast<std::int64_t>(model::DeliveryState::failed);
constexpr std::int64_t last_open_state = static_cast<std::int64_t>(model::DeliveryState::delivered) - 1;

const Sql& statement_for(const ports::NotificationFilter& filter) {
    if (!filter.session_id.empty()) return list_session;
    if (!filter.user_id.empty()) return list_user;
    if (!filter.subscriber_id.empty()) return list_subscriber;
    if (filter.state) return list_state;
    return filter.open_only ? list_open : list_all;
}

using StateCount = std::pair<model::DeliveryState, std::uint64_t>;

StateCount read_state_count(RowReader& row) {
    const auto state = row.choice(model::DeliveryState::failed);
    return {state, static_cast<std::uint64_t>(row.number())};
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
    return select(database_, "notifications", statement_for(filter),
                  {bytes(filter.user_id), bytes(filter.session_id), bytes(filter.subscriber_id), number(least),
                   number(greatest), number(filter.after), number(std::uint64_t{filter.limit})},
                  read_notification);
}

base::Result<ports::NotificationReading::Figures> SqlNotificationReading::figures() {
    const Snapshot snapshot(database_);
    if (!snapshot.begun().ok()) return snapshot.begun().error();
    Figures figures;
    TRY_ASSIGN(figures.by_state, select(database_, "notifications", count_states, {}, read_state_count));
    TRY(database_.run(count_waiting, {},
                      [&](const Row& row) { figures.waiting_rows = static_cast<std::uint64_t>(row.number(0)); }));
    return figures;
}

}  // namespace belfry::store
