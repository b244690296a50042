#include "store/notification_world_test.hpp"

// What readers beside the engine learn of the delivery.
namespace belfry::store::testing {
namespace {

using model::DeliveryState;

class Inbox : public TableSuite {
protected:
    void write(const model::Notification& changed) { ASSERT_TRUE(*notifications().update(changed, 1)); }
};
BELFRY_ON_BOTH_DATABASES(Inbox);

TEST_P(Inbox, lists_an_inbox_newest_first_page_by_page) {
    std::vector<model::Notification> all{notification(1), for_an_agent_to_say(2)};
    for (std::int64_t i = 3; i <= 9; ++i) all.push_back(alert(i, i % 3 == 0 ? "s1" : ""));
    all.push_back(alert(10));
    all.back().scope.user_id = "bob";
    insert(all);
    write(delivered(alert(4), at_second(50)));
    model::Notification narrated = delivered(for_an_agent_to_say(2), at_second(50));
    narrated.narration = "in its own words";
    write(narrated);
    model::Notification read = alert(5);
    read.seen_at = at_second(51);
    ASSERT_TRUE(*notifications().mark(read));
    model::Notification dismissed = alert(7);
    dismissed.dismissed_at = at_second(52);
    write(dismissed);
    commit();
    const auto reading = world().reading();
    ports::NotificationReading::InboxQuestion asked;
    asked.user_id = "ada";
    asked.limit = 4;
    EXPECT_EQ(ordinals(reading->notifications().inbox(asked)), (Ordinals{9, 8, 7, 6}));
    asked.before = 6;
    EXPECT_EQ(ordinals(reading->notifications().inbox(asked)), (Ordinals{5, 4, 3, 2}));
    asked.before = 0;
    asked.limit = 100;
    asked.unread_only = true;
    EXPECT_EQ(ordinals(reading->notifications().inbox(asked)), (Ordinals{9, 8, 6, 4, 3, 2}));
    asked.session_id = "s1";
    EXPECT_EQ(ordinals(reading->notifications().inbox(asked)), (Ordinals{9, 6, 3, 2}));
    const auto counts = reading->notifications().inbox_counts("ada", "");
    ASSERT_OK(counts);
    EXPECT_EQ(counts->unread, 6U);
    EXPECT_EQ(counts->waiting, 6U) << "3 and 5 to 9";
    EXPECT_EQ(reading->notifications().inbox_counts("nobody", "")->unread, 0U);
    EXPECT_EQ(reading->notifications().inbox_counts("ada", "s1")->unread, 4U);
    EXPECT_EQ(reading->notifications().inbox_counts("bob", "s1")->unread, 0U);
    EXPECT_LT(reading->notifications().inbox_counts("ada", "s1")->waiting, 6U);
}

TEST_P(Inbox, lists_the_ledger_by_outcome_and_age) {
    std::vector<model::Notification> all;
    for (std::int64_t i = 1; i <= 24; ++i) {
        all.push_back(i % 2 == 0 ? notification(i) : alert(i, "s1"));
        all.back().state = static_cast<DeliveryState>(i % 6);
        if (i % 6 == 5) all.back().outcome = i % 4 == 1 ? "nobody_there" : "overload";
        if (i % 5 == 0) all.back().scope.user_id = "bob";
    }
    insert(all);
    commit();
    const auto reading = world().reading();
    for (int mask = 0; mask < 32; ++mask) {
        ports::NotificationFilter filter;
        filter.limit = 3;
        if ((mask & 1) != 0) filter.user_id = "ada";
        if ((mask & 2) != 0) filter.outcome = "nobody_there";
        if ((mask & 4) != 0) filter.created_before = at_second(17);
        if ((mask & 8) != 0) filter.state = DeliveryState::failed;
        if ((mask & 16) != 0) filter.session_id = "s1";
        Ordinals wanted;
        for (const model::Notification& n : all) {
            if (wanted.size() < filter.limit && (filter.user_id.empty() || n.scope.user_id == "ada") &&
                (filter.outcome.empty() || n.outcome == filter.outcome) &&
                (!filter.created_before || n.created_at <= *filter.created_before) &&
                (!filter.state || n.state == *filter.state) &&
                (filter.session_id.empty() || n.scope.session_id == "s1")) {
                wanted.push_back(n.ordinal);
            }
        }
        EXPECT_EQ(ordinals(reading->notifications().list(filter)), wanted) << "mask " << mask;
    }
}

TEST_P(Inbox, finds_the_notifications_of_an_event_among_those_of_its_time) {
    model::Notification two = notification(2);
    two.events.push_back(notification(1).events.front());
    model::Notification folded = notification(4);
    folded.events.front().count = 2;
    model::Notification late = notification(90);
    late.events = notification(1).events;
    insert({notification(1), two, notification(3), folded, late});
    commit();
    const auto reading = world().reading();
    const model::EventId event = notification(1).events.front().id;
    using Repeats = ports::NotificationReading::Repeats;
    const auto of = [&](const model::EventId& id, std::int64_t from, std::int64_t to,
                        Repeats repeats = Repeats::wanted) {
        return ordinals(reading->notifications().of_event(id, at_second(from), at_second(to), repeats));
    };
    EXPECT_EQ(of(event, 1, 50), (Ordinals{1, 2, 4})) << "and what may have folded it";
    EXPECT_EQ(of(event, 2, 90), (Ordinals{2, 4, 90}));
    EXPECT_EQ(of(event, 2, 90, Repeats::left_out), (Ordinals{2, 90}));
    EXPECT_EQ(of({uuid_of(5, 9)}, 0, 3), Ordinals{});
}

TEST_P(Inbox, tells_what_waits_of_one_user) {
    std::vector<model::WaitingRow> rows(3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].ordinal = static_cast<std::int64_t>(i) + 1;
        rows[i].scope.user_id = i == 1 ? "bob" : "ada";
        rows[i].event_json = "{}";
    }
    ASSERT_OK(waiting().insert(rows));
    commit();
    const auto found = world().reading()->notifications().waiting_of("ada");
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), 2U);
    for (model::WaitingRow& row : rows) row.event_json.clear();
    EXPECT_EQ(found->at(0), rows[0]);
    EXPECT_EQ(found->at(1), rows[2]);
}

TEST_P(Inbox, counts_the_events_that_wait_for_a_session) {
    std::vector<model::WaitingRow> rows(4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].ordinal = static_cast<std::int64_t>(i) + 1;
        rows[i].scope.user_id = i == 1 ? "bob" : "ada";
        rows[i].scope.session_id = i == 2 ? "s1" : i == 3 ? "s2" : "";
        rows[i].count = std::int64_t{1} << (8 * i);
    }
    ASSERT_OK(waiting().insert(rows));
    const std::vector<ports::WaitingTable::Count> further{{1, 5, model::Severity::info}};
    ASSERT_OK(waiting().update(further));
    commit();
    const auto reading = world().reading();
    EXPECT_EQ(*reading->notifications().count_waiting("ada", "s1"), 5 + (1 << 16)) << "its own, and the user's";
    EXPECT_EQ(*reading->notifications().count_waiting("ada", "s3"), 5);
    EXPECT_EQ(*reading->notifications().count_waiting("eve", "s1"), 0);
}

}  // namespace
}  // namespace belfry::store::testing
