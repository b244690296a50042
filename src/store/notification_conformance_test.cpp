#include <algorithm>

#include "base/injection_limits.hpp"
#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

using model::DeliveryState;
using model::InjectAt;
using model::Priority;
using model::Severity;

class Notifications : public TableSuite {};
BELFRY_ON_BOTH_DATABASES(Notifications);

std::uint32_t class_bit(Priority priority, InjectAt point) {
    return 1U << (static_cast<unsigned>(priority) * 4 + static_cast<unsigned>(point));
}

// Handed to somebody under the next lease.
model::Notification leased(model::Notification n, base::Timestamp until) {
    n.state = DeliveryState::dispatched;
    n.lease += 1;
    n.holder = "token:agent";
    n.handed_to = "s1";
    n.lease_until = until;
    return n;
}

model::Notification ended(model::Notification n, DeliveryState state, base::Timestamp at) {
    n.state = state;
    n.ended_at = at;
    return n;
}

void expect_same(const model::Notification& seen, const model::Notification& wanted) {
    EXPECT_EQ(seen.id, wanted.id);
    EXPECT_EQ(seen.ordinal, wanted.ordinal);
    EXPECT_EQ(seen.scope, wanted.scope);
    EXPECT_EQ(seen.subscriber_id, wanted.subscriber_id);
    EXPECT_EQ(seen.priority, wanted.priority);
    EXPECT_EQ(seen.inject_at, wanted.inject_at);
    EXPECT_EQ(seen.severity, wanted.severity);
    EXPECT_EQ(seen.address, wanted.address);
    EXPECT_EQ(seen.target, wanted.target);
    EXPECT_EQ(seen.handler, wanted.handler);
    EXPECT_TRUE(seen.content == wanted.content);
    EXPECT_EQ(seen.text, wanted.text);
    EXPECT_EQ(seen.directive, wanted.directive);
    EXPECT_TRUE(seen.events == wanted.events);
    EXPECT_EQ(seen.follow_up, wanted.follow_up);
    EXPECT_EQ(seen.model_tokens, wanted.model_tokens);
    EXPECT_EQ(seen.version, wanted.version);
    EXPECT_EQ(seen.created_at, wanted.created_at);
    EXPECT_EQ(seen.state, wanted.state);
    EXPECT_EQ(seen.outcome, wanted.outcome);
    EXPECT_EQ(seen.ended_at, wanted.ended_at);
    EXPECT_EQ(seen.handed_to, wanted.handed_to);
    EXPECT_EQ(seen.handle, wanted.handle);
    EXPECT_EQ(seen.lease, wanted.lease);
    EXPECT_EQ(seen.holder, wanted.holder);
    EXPECT_EQ(seen.lease_until, wanted.lease_until);
    EXPECT_EQ(seen.pull_id, wanted.pull_id);
    EXPECT_EQ(seen.passed_over, wanted.passed_over);
    EXPECT_EQ(seen.emitter, wanted.emitter);
    EXPECT_EQ(seen.deduplication_key, wanted.deduplication_key);
    EXPECT_EQ(seen.tone_hint, wanted.tone_hint);
    EXPECT_EQ(seen.metadata.bytes(), wanted.metadata.bytes());
    EXPECT_EQ(seen.ttl, wanted.ttl);
    EXPECT_EQ(seen.deadline, wanted.deadline);
    EXPECT_EQ(seen.deadline_max, wanted.deadline_max);
    EXPECT_EQ(seen.depth, wanted.depth);
    EXPECT_EQ(seen.caused_by, wanted.caused_by);
    EXPECT_EQ(seen.follows, wanted.follows);
    EXPECT_EQ(seen.retry_of, wanted.retry_of);
    EXPECT_EQ(seen.narration, wanted.narration);
    EXPECT_EQ(seen.used_tools, wanted.used_tools);
    EXPECT_EQ(seen.answered_at, wanted.answered_at);
    EXPECT_EQ(seen.seen_at, wanted.seen_at);
    EXPECT_EQ(seen.acted_at, wanted.acted_at);
    EXPECT_EQ(seen.dismissed_at, wanted.dismissed_at);
}

model::Notification with_everything() {
    model::Notification n = notification(7, Priority::low, InjectAt::turn_end);
    n.scope = {odd_text, odd_text, odd_text};
    n.subscriber_id = odd_text;
    n.severity = Severity::critical;
    n.address = model::Address::user;
    n.target = model::Target::agent;
    n.handler = model::Handler::agent;
    n.content = std::string(100'000, 'c') + odd_text;
    n.text = odd_text;
    n.directive = odd_text;
    n.events = {{{uuid_of(1, 9)}, 11, 1, odd_text}, {{uuid_of(2, 9)}, 12, 5'000'000'000, ""}};
    n.follow_up = true;
    n.model_tokens = 123;
    n.version = 4;
    n.outcome = odd_text;
    n.handed_to = odd_text;
    n.handle = 3;
    n.lease = 2;
    n.holder = odd_text;
    n.lease_until = at_second(70);
    n.pull_id = uuid_of(77, 8);
    n.passed_over = 6;
    n.state = DeliveryState::escalated;
    n.emitter = odd_text;
    n.deduplication_key = odd_text;
    n.tone_hint = odd_text;
    n.metadata = model::RawJson::trusted(R"({"a":[1,"\u0000"]})");
    n.ttl = base::seconds(45);
    n.deadline = at_second(80);
    n.deadline_max = at_second(90);
    n.depth = 2;
    n.caused_by = model::NotificationId{uuid_of(21)};
    n.follows = model::NotificationId{uuid_of(22)};
    n.retry_of = model::NotificationId{uuid_of(23)};
    n.narration = odd_text;
    n.used_tools = {"send_mail", "a \"tool\", with a comma"};
    n.answered_at = at_second(90);
    n.seen_at = at_second(91);
    n.acted_at = at_second(92);
    n.dismissed_at = at_second(93);
    return n;
}

TEST_P(Notifications, come_back_as_they_were_with_any_bytes_and_of_any_size) {
    insert({with_everything(), notification(8)});
    reopen();
    const auto full = notifications().find(with_everything().id);
    ASSERT_OK(full);
    ASSERT_TRUE(full->has_value());
    expect_same(**full, with_everything());
    const auto plain = notifications().find(notification(8).id);
    ASSERT_TRUE(plain.ok() && plain->has_value());
    expect_same(**plain, notification(8));
    EXPECT_FALSE(notifications().find({uuid_of(9)})->has_value());
    const auto read_beside = world().reading()->notifications().find(with_everything().id);
    ASSERT_TRUE(read_beside.ok() && read_beside->has_value());
    expect_same(**read_beside, with_everything());
}

TEST_P(Notifications, are_due_by_priority_and_then_first_in_first_out) {
    insert({notification(5, Priority::low), notification(1, Priority::normal), notification(4, Priority::critical),
            notification(2, Priority::critical), notification(3, Priority::high)});
    EXPECT_EQ(ordinals(notifications().due(question())), (Ordinals{2, 4, 3, 1, 5}));
    ports::DueQuestion few = question();
    few.limit = 3;
    EXPECT_EQ(ordinals(notifications().due(few)), (Ordinals{2, 4, 3}));
    EXPECT_EQ(*notifications().count_due(few), 5) << "whatever the limit";
    few.limit = 0;
    EXPECT_EQ(ordinals(notifications().due(few)), Ordinals{});
    few.classes = class_bit(Priority::critical, notification(1).inject_at);
    EXPECT_EQ(*notifications().count_due(few), 2);
}

TEST_P(Notifications, that_are_due_are_counted_in_both_queues) {
    model::Notification of_user = notification(3);
    of_user.scope.session_id.clear();
    insert({notification(1), notification(2), of_user});
    EXPECT_EQ(*notifications().count_due(question()), 3);
    ports::DueQuestion asked = question();
    asked.session_id.clear();
    EXPECT_EQ(*notifications().count_due(asked), 1);
    asked = question();
    asked.user_id.clear();
    EXPECT_EQ(*notifications().count_due(asked), 2);
}

TEST_P(Notifications, are_due_by_the_bits_of_their_classes_alone) {
    std::vector<model::Notification> all;
    for (int priority = 0; priority < 4; ++priority) {
        for (int point = 0; point < 4; ++point) {
            all.push_back(
                notification(priority * 4 + point + 1, static_cast<Priority>(priority), static_cast<InjectAt>(point)));
        }
    }
    insert(all);
    ports::DueQuestion asked = question(at_second(100));
    for (int bit = 0; bit < 16; ++bit) {
        asked.classes = 1U << static_cast<unsigned>(bit);
        EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{bit + 1}));
    }
    asked.classes = class_bit(Priority::low, InjectAt::turn_end) | class_bit(Priority::critical, InjectAt::after_tool);
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{3, 16}));
    asked.classes = 0;
    EXPECT_EQ(ordinals(notifications().due(asked)), Ordinals{});
}

TEST_P(Notifications, of_low_context_that_waited_long_enough_are_due_at_the_next_point) {
    insert({notification(1, Priority::low, InjectAt::turn_end), notification(2, Priority::low, InjectAt::turn_end),
            notification(3, Priority::low, InjectAt::after_tool),
            notification(4, Priority::normal, InjectAt::turn_end)});
    const base::Timestamp first_is_overdue = at_second(1) + base::limits::low_wait_max;
    ports::DueQuestion asked = question(first_is_overdue);
    asked.classes = class_bit(Priority::low, InjectAt::immediate);
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{1}));
    EXPECT_EQ(*notifications().count_due(asked), 1);
    asked.now = first_is_overdue - base::milliseconds(1);
    EXPECT_EQ(ordinals(notifications().due(asked)), Ordinals{});
    asked.now = first_is_overdue + base::seconds(60);
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{1, 2}));
    asked.classes = class_bit(Priority::critical, InjectAt::immediate);
    EXPECT_EQ(ordinals(notifications().due(asked)), Ordinals{});
}

TEST_P(Notifications, of_any_class_are_due_once_they_are_old_enough) {
    insert({notification(1, Priority::low), notification(2, Priority::low), notification(3, Priority::low),
            notification(4, Priority::high)});
    ports::DueQuestion asked = question();
    asked.classes = class_bit(Priority::high, InjectAt::turn_start);
    asked.or_before = at_second(2);
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{4, 1, 2}));
    asked.or_before.reset();
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{4}));
}

TEST_P(Notifications, that_somebody_holds_are_due_again_when_the_lease_ran_out) {
    insert({notification(1), notification(2)});
    ASSERT_TRUE(*notifications().update(leased(notification(1), at_second(50)), 1));
    EXPECT_EQ(ordinals(notifications().due(question(at_second(49)))), (Ordinals{2}));
    EXPECT_EQ(ordinals(notifications().due(question(at_second(50)))), (Ordinals{1, 2}));
}

TEST_P(Notifications, of_a_user_without_a_session_are_due_in_each_of_his_sessions) {
    model::Notification of_user = notification(2, Priority::high);
    of_user.scope.session_id.clear();
    model::Notification of_other_user = of_user;
    of_other_user.id.uuid = uuid_of(3);
    of_other_user.ordinal = 3;
    of_other_user.scope.user_id = "bob";
    model::Notification elsewhere = notification(4);
    elsewhere.scope.session_id = "s2";
    model::Notification to_person = notification(5);
    to_person.target = model::Target::user;
    insert({notification(1), of_user, of_other_user, elsewhere, to_person, notification(6, Priority::high)});
    EXPECT_EQ(ordinals(notifications().due(question())), (Ordinals{2, 6, 1}));
    ports::DueQuestion asked = question();
    asked.limit = 2;
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{2, 6}));
    asked = question();
    asked.session_id = "s2";
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{2, 4}));
    asked.user_id.clear();
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{4}));
    asked.session_id.clear();
    asked.user_id = "bob";
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{3}));
}

TEST_P(Notifications, of_a_user_are_not_taken_for_those_of_a_session_of_the_same_name) {
    model::Notification of_user = notification(1);
    of_user.scope = {"same", "", ""};
    insert({of_user});
    ports::DueQuestion asked = question();
    asked.session_id = "same";
    asked.user_id = "ada";
    EXPECT_EQ(ordinals(notifications().due(asked)), Ordinals{});
    EXPECT_EQ(*notifications().count_open({"ada", "same", ""}), 0);
    EXPECT_EQ(*notifications().count_open({"same", "", ""}), 1);
}

TEST_P(Notifications, change_only_under_the_lease_that_the_writer_knows) {
    insert({notification(1)});
    model::Notification changed = with_everything();
    changed.id = notification(1).id;
    ASSERT_TRUE(*notifications().update(changed, 1));
    EXPECT_FALSE(*notifications().update(notification(1), 1)) << "the lease is another by now";
    EXPECT_FALSE(*notifications().update(notification(1), 3));
    EXPECT_FALSE(*notifications().update(notification(2), 1)) << "there is none";
    model::Notification wanted = changed;
    const model::Notification born = notification(1);
    wanted.ordinal = born.ordinal;
    wanted.scope.user_id = born.scope.user_id;
    wanted.subscriber_id = born.subscriber_id;
    wanted.created_at = born.created_at;
    wanted.emitter = born.emitter;
    wanted.depth = born.depth;
    wanted.caused_by = born.caused_by;
    wanted.follows = born.follows;
    wanted.retry_of = born.retry_of;
    const auto seen = notifications().find(born.id);
    ASSERT_TRUE(seen.ok() && seen->has_value());
    expect_same(**seen, wanted);
}

TEST_P(Notifications, that_have_ended_never_change) {
    insert({notification(1), notification(2)});
    ASSERT_TRUE(*notifications().update(ended(notification(1), DeliveryState::delivered, at_second(9)), 1));
    ASSERT_TRUE(*notifications().update(ended(notification(2), DeliveryState::failed, at_second(9)), 1));
    EXPECT_FALSE(*notifications().update(notification(1), 1));
    EXPECT_FALSE(*notifications().update(notification(2), 1));
    EXPECT_EQ((*notifications().find(notification(1).id))->state, DeliveryState::delivered);
    EXPECT_EQ(ordinals(notifications().due(question())), Ordinals{});
    EXPECT_EQ(*notifications().count_open(notification(1).scope), 0);
}

TEST_P(Notifications, are_counted_by_their_rows_while_they_are_open) {
    model::Notification elsewhere = notification(4);
    elsewhere.scope.session_id = "s2";
    model::Notification to_person = notification(5);
    to_person.target = model::Target::user;
    model::Notification of_two = notification(3);
    of_two.events.push_back({{uuid_of(2, 9)}, 12, 7, "k"});
    insert({notification(1), notification(2), of_two, elsewhere, to_person});
    ASSERT_TRUE(*notifications().update(leased(notification(1), at_second(50)), 1));
    ASSERT_TRUE(*notifications().update(ended(notification(2), DeliveryState::failed, at_second(9)), 1));
    EXPECT_EQ(*notifications().count_open({"ada", "s1", "another agent"}), 3);
    EXPECT_EQ(*notifications().count_open({"ada", "s2", ""}), 1);
    EXPECT_EQ(*notifications().count_open({"ada", "", ""}), 0);
}

TEST_P(Notifications, give_way_least_severe_first_and_oldest_of_those) {
    std::vector<model::Notification> all;
    const std::vector<Severity> severities{Severity::error, Severity::info, Severity::debug, Severity::info,
                                           Severity::debug};
    for (std::size_t i = 0; i < severities.size(); ++i) {
        all.push_back(notification(static_cast<std::int64_t>(i) + 1));
        all.back().severity = severities[i];
    }
    insert(all);
    const model::Scope& scope = all[0].scope;
    const auto least = [&](Severity below) {
        const auto found = notifications().least(scope, below);
        EXPECT_OK(found);
        return found->has_value() ? (*found)->ordinal : 0;
    };
    EXPECT_EQ(least(Severity::critical), 3);
    EXPECT_EQ(least(Severity::debug), 0) << "nothing is below it";
    ASSERT_TRUE(*notifications().update(leased(all[2], at_second(50)), 1));
    EXPECT_EQ(least(Severity::critical), 5) << "what is out of the house does not give way";
    ASSERT_TRUE(*notifications().update(ended(all[4], DeliveryState::failed, at_second(9)), 1));
    EXPECT_EQ(least(Severity::critical), 2);
    EXPECT_EQ(least(Severity::info), 0);
    EXPECT_FALSE(notifications().least({"ada", "s2", ""}, Severity::critical)->has_value());
}

TEST_P(Notifications, tell_the_newest_pending_one_of_a_subscriber) {
    model::Notification other = notification(4);
    other.subscriber_id = "budget";
    insert({notification(1), notification(2), notification(3), other});
    const model::Scope scope = other.scope;
    EXPECT_EQ((*notifications().newest_pending(scope, "tool_failure"))->ordinal, 3);
    EXPECT_EQ((*notifications().newest_pending(scope, "budget"))->ordinal, 4);
    ASSERT_TRUE(*notifications().update(leased(notification(3), at_second(50)), 1));
    EXPECT_EQ((*notifications().newest_pending(scope, "tool_failure"))->ordinal, 2);
    EXPECT_FALSE(notifications().newest_pending(scope, "none")->has_value());
    EXPECT_FALSE(notifications().newest_pending({"ada", "s2", ""}, "budget")->has_value());
}

TEST_P(Notifications, are_found_by_handle_in_the_session_that_was_handed_them) {
    insert({notification(1), notification(2)});
    EXPECT_FALSE(notifications().find_handle("s1", 0)->has_value()) << "not handed over is no handle";
    model::Notification first = leased(notification(1), at_second(50));
    first.handle = 1;
    ASSERT_TRUE(*notifications().update(first, 1));
    model::Notification of_user = notification(3);
    of_user.scope.session_id.clear();
    insert({of_user});
    of_user = leased(of_user, at_second(50));
    of_user.handle = 2;
    ASSERT_TRUE(*notifications().update(of_user, 1));
    EXPECT_EQ((*notifications().find_handle("s1", 1))->ordinal, 1);
    EXPECT_EQ((*notifications().find_handle("s1", 2))->ordinal, 3) << "it belongs to no session, s1 holds it";
    EXPECT_FALSE(notifications().find_handle("s1", 3)->has_value());
    EXPECT_FALSE(notifications().find_handle("s2", 1)->has_value());
    commit();
    EXPECT_EQ((*world().reading()->notifications().find_handle("s1", 2))->ordinal, 3);
}

TEST_P(Notifications, of_a_hand_over_are_found_together) {
    insert({notification(1), notification(2), notification(3)});
    for (const std::int64_t ordinal : {3, 1}) {
        model::Notification handed = leased(notification(ordinal), at_second(50));
        handed.pull_id = uuid_of(1, 8);
        ASSERT_TRUE(*notifications().update(handed, 1));
    }
    EXPECT_EQ(ordinals(notifications().of_pull(uuid_of(1, 8))), (Ordinals{1, 3}));
    EXPECT_EQ(ordinals(notifications().of_pull(uuid_of(2, 8))), Ordinals{});
}

TEST_P(Notifications, created_lately_tell_which_windows_they_started) {
    model::Notification full = notification(3);
    full.events = {{{uuid_of(1, 9)}, 11, 4, "a:b"}};
    full.follow_up = true;
    model::Notification of_the_house = notification(4);
    of_the_house.subscriber_id.clear();
    insert({notification(1), notification(2), full, of_the_house});
    ASSERT_TRUE(*notifications().update(ended(notification(2), DeliveryState::delivered, at_second(9)), 1));
    const auto found = notifications().created_since(at_second(2));
    EXPECT_EQ(ordinals(found), (Ordinals{2, 3}));
    const model::Notification& seen = found->back();
    EXPECT_EQ(seen.id, full.id);
    EXPECT_EQ(seen.scope, full.scope);
    EXPECT_EQ(seen.subscriber_id, full.subscriber_id);
    EXPECT_TRUE(seen.events == full.events);
    EXPECT_EQ(seen.created_at, full.created_at);
    EXPECT_TRUE(seen.follow_up);
}

TEST_P(Notifications, that_did_not_fit_are_counted) {
    insert({notification(1), notification(2)});
    const std::vector<model::NotificationId> ids{notification(1).id, notification(2).id};
    ASSERT_OK(notifications().pass_over(ids));
    ASSERT_OK(notifications().pass_over(std::span(ids).first(1)));
    ASSERT_OK(notifications().pass_over({}));
    EXPECT_EQ((*notifications().find(ids[0]))->passed_over, 2);
    EXPECT_EQ((*notifications().find(ids[1]))->passed_over, 1);
}

TEST_P(Notifications, are_dropped_after_their_end_the_longest_ended_first) {
    insert({notification(1), notification(2), notification(3), notification(4)});
    ASSERT_TRUE(*notifications().update(ended(notification(4), DeliveryState::delivered, at_second(10)), 1));
    ASSERT_TRUE(*notifications().update(ended(notification(1), DeliveryState::failed, at_second(20)), 1));
    ASSERT_TRUE(*notifications().update(ended(notification(2), DeliveryState::failed, at_second(30)), 1));
    EXPECT_EQ(*notifications().drop_ended(at_second(30), 1), 1U);
    EXPECT_FALSE(notifications().find(notification(4).id)->has_value());
    EXPECT_EQ(*notifications().drop_ended(at_second(30), 10), 1U);
    EXPECT_EQ(*notifications().drop_ended(at_second(30), 10), 0U);
    EXPECT_TRUE(notifications().find(notification(2).id)->has_value()) << "not before that time";
    EXPECT_TRUE(notifications().find(notification(3).id)->has_value()) << "open";
}

TEST_P(Notifications, never_get_an_ordinal_again_that_was_given_before) {
    EXPECT_EQ(*notifications().next_ordinal(), 1);
    insert({notification(1), notification(2)});
    EXPECT_EQ(*notifications().next_ordinal(), 3);
    ASSERT_TRUE(*notifications().update(ended(notification(2), DeliveryState::delivered, at_second(10)), 1));
    ASSERT_OK(notifications().drop_ended(at_second(11), 10));
    reopen();
    EXPECT_EQ(*notifications().next_ordinal(), 3);
    insert({notification(3)});
    ASSERT_OK(notifications().erase_user("ada", 10));
    EXPECT_EQ(rows_in("notifications"), 0);
    reopen();
    EXPECT_EQ(*notifications().next_ordinal(), 4);
}

TEST_P(Notifications, of_an_erased_user_go_in_slices_and_others_stay) {
    std::vector<model::Notification> all;
    for (std::int64_t i = 1; i <= 10; ++i) {
        all.push_back(notification(i));
        if (i % 2 == 0) all.back().scope = {"bob", "s2", ""};
    }
    all[1].scope = {"bob", "hers", ""};  // somebody else's name in a session of hers
    insert(all);
    ASSERT_OK(sessions().put(std::vector{session("hers", "ada"), session("s2", "bob")}));
    EXPECT_EQ(*notifications().erase_user("ada", 4), 4U);
    EXPECT_EQ(*notifications().erase_user("ada", 4), 2U);
    EXPECT_EQ(*notifications().erase_user("ada", 4), 0U);
    commit();
    ports::NotificationFilter filter;
    filter.limit = 100;
    EXPECT_EQ(ordinals(world().reading()->notifications().list(filter)), (Ordinals{4, 6, 8, 10}));
}

TEST_P(Notifications, go_in_by_the_thousand) {
    std::vector<model::Notification> all;
    for (std::int64_t i = 1; i <= 3000; ++i) {
        all.push_back(notification(i, static_cast<Priority>(i % 4)));
        all.back().content = std::string(static_cast<std::size_t>(i % 100 == 0 ? 20'000 : 300), 'x');
    }
    insert(all);
    EXPECT_EQ(*notifications().count_open(all[0].scope), 3000);
    EXPECT_EQ(*notifications().next_ordinal(), 3001);
    ports::DueQuestion asked = question();
    asked.limit = 10'000;
    const auto due = notifications().due(asked);
    ASSERT_EQ(due->size(), 3000U);
    EXPECT_TRUE(std::ranges::is_sorted(*due, {}, [](const auto& n) { return std::pair(n.priority, n.ordinal); }));
}

TEST_P(Notifications, are_listed_by_any_mixture_of_what_narrows_them) {
    std::vector<model::Notification> all;
    for (std::int64_t i = 1; i <= 48; ++i) {
        all.push_back(notification(i));
        model::Notification& n = all.back();
        n.scope.user_id = i % 2 == 0 ? "ada" : "bob";
        n.scope.session_id = i % 3 == 0 ? "" : "s" + std::to_string(i % 3);
        n.subscriber_id = i % 4 == 0 ? "budget" : "loop";
        n.state = static_cast<DeliveryState>(i % 6);
    }
    insert(all);
    commit();
    const auto reading = world().reading();
    for (int mask = 0; mask < 64; ++mask) {
        ports::NotificationFilter filter;
        filter.limit = 5;
        if ((mask & 1) != 0) filter.user_id = "ada";
        if ((mask & 2) != 0) filter.session_id = "s1";
        if ((mask & 4) != 0) filter.subscriber_id = "budget";
        if ((mask & 8) != 0) filter.state = DeliveryState::delivered;
        if ((mask & 16) != 0) filter.open_only = true;
        if ((mask & 32) != 0) filter.after = 9;
        Ordinals wanted;
        for (const model::Notification& n : all) {
            if (wanted.size() < filter.limit && n.ordinal > filter.after &&
                (filter.user_id.empty() || n.scope.user_id == filter.user_id) &&
                (filter.session_id.empty() || n.scope.session_id == filter.session_id) &&
                (filter.subscriber_id.empty() || n.subscriber_id == filter.subscriber_id) &&
                (!filter.state || n.state == *filter.state) && (!filter.open_only || !model::is_terminal(n.state))) {
                wanted.push_back(n.ordinal);
            }
        }
        EXPECT_EQ(ordinals(reading->notifications().list(filter)), wanted) << "mask " << mask;
    }
}

TEST_P(Notifications, are_counted_by_state_together_with_what_waits) {
    EXPECT_TRUE(world().reading()->notifications().figures({})->by_state.empty());
    insert({notification(1), notification(2), notification(3)});
    ASSERT_TRUE(*notifications().update(ended(notification(2), DeliveryState::failed, at_second(9)), 1));
    model::WaitingRow row;
    row.ordinal = 1;
    row.event_json = "{}";
    ASSERT_OK(waiting().insert(std::vector{row}));
    commit();
    const auto figures = world().reading()->notifications().figures({});
    ASSERT_OK(figures);
    using Counted = std::vector<std::pair<DeliveryState, std::uint64_t>>;
    EXPECT_EQ(figures->by_state, (Counted{{DeliveryState::pending, 2}, {DeliveryState::failed, 1}}));
    EXPECT_EQ(figures->waiting_rows, 1U);
}

}  // namespace
}  // namespace belfry::store::testing
