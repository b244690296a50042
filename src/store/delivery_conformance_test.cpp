#include <algorithm>
#include <map>

#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

using model::Address;
using model::DeliveryState;
using model::Handler;
using model::Target;

class Delivery : public TableSuite {
protected:
    model::Notification stored(const model::NotificationId& id) {
        const auto found = notifications().find(id);
        EXPECT_OK(found);
        EXPECT_TRUE(found.ok() && found->has_value());
        return found.ok() && *found ? **found : model::Notification{};
    }
    void write(const model::Notification& changed, std::int64_t lease_before = 1) {
        ASSERT_TRUE(*notifications().update(changed, lease_before));
    }
    void ring(std::int64_t ordinal, DeliveryState state, base::Timestamp deadline) {
        model::Notification one = notification(ordinal);
        one.state = state;
        one.deadline = deadline;
        insert({one});
    }
};
BELFRY_ON_BOTH_DATABASES(Delivery);

model::Notification with_key(model::Notification made, std::string key) {
    made.deduplication_key = std::move(key);
    return made;
}

model::Notification in_state(model::Notification made, DeliveryState state) {
    made.state = state;
    return made;
}

model::Notification escalated(model::Notification made) {
    made.state = DeliveryState::escalated;
    made.target = Target::user;
    made.handler = Handler::system;
    ++made.lease;
    return made;
}

TEST_P(Delivery, finds_the_newest_open_one_of_a_user_under_a_key) {
    model::Notification of_bob = with_key(alert(5), "k");
    of_bob.scope.user_id = "bob";
    insert({with_key(alert(1), "k"), with_key(notification(2), "k"), with_key(alert(3), "other"), alert(4), of_bob});
    const auto under = [&](std::string_view user, std::string_view key) {
        const auto found = notifications().find_key(user, key);
        EXPECT_OK(found);
        return found->has_value() ? (*found)->ordinal : 0;
    };
    EXPECT_EQ(under("ada", "k"), 2) << "whatever the axes";
    EXPECT_EQ(under("bob", "k"), 5);
    EXPECT_EQ(under("ada", "none"), 0);
    EXPECT_EQ(under("ada", ""), 0) << "no key is no key";
    write(in_state(with_key(notification(2), "k"), DeliveryState::locked));
    EXPECT_EQ(under("ada", "k"), 2) << "a locked one is open";
    write(delivered(with_key(notification(2), "k"), at_second(9)));
    EXPECT_EQ(under("ada", "k"), 1);
    write(escalated(with_key(alert(1), "k")));
    EXPECT_EQ(under("ada", "k"), 1) << "so is an escalated one";
    model::Notification failed = with_key(alert(1), "k");
    failed.state = DeliveryState::failed;
    failed.lease = 2;
    write(failed, 2);
    EXPECT_EQ(under("ada", "k"), 0);
}

TEST_P(Delivery, finds_what_is_held_under_a_key_and_a_lease_whatever_follows_it) {
    insert({with_key(notification(1), "k"), with_key(notification(2), "k"), with_key(notification(3), "other")});
    const auto held = [&](const char* key, std::int64_t lease) {
        const auto found = notifications().find_held_key("ada", key, lease);
        return found.ok() && *found ? (*found)->ordinal : 0;
    };
    EXPECT_EQ(held("k", 1), 0) << "nobody holds one";
    write(in_state(with_key(notification(1), "k"), DeliveryState::locked));
    EXPECT_EQ(held("k", 1), 1);
    EXPECT_EQ(held("k", 2), 0);
    EXPECT_EQ(held("other", 1), 0);
    EXPECT_FALSE(notifications().find_held_key("bob", "k", 1)->has_value());
    write(delivered(with_key(notification(1), "k"), at_second(9)));
    EXPECT_EQ(held("k", 1), 0);
}

TEST_P(Delivery, finds_by_the_key_that_a_row_has_now) {
    insert({alert(1)});
    write(with_key(alert(1), "k"));
    EXPECT_TRUE(notifications().find_key("ada", "k")->has_value());
    write(alert(1));
    EXPECT_FALSE(notifications().find_key("ada", "k")->has_value());
}

TEST_P(Delivery, tells_what_is_overdue_the_longest_first_and_only_of_what_is_open) {
    EXPECT_FALSE(notifications().next_deadline()->has_value());
    insert({notification(1)});
    EXPECT_FALSE(notifications().next_deadline()->has_value()) << "without a deadline it is not watched";
    ring(2, DeliveryState::pending, at_second(30));
    ring(3, DeliveryState::locked, at_second(10));
    ring(4, DeliveryState::delivered, at_second(5));
    ring(5, DeliveryState::failed, at_second(5));
    ring(6, DeliveryState::escalated, at_second(20));
    ring(7, DeliveryState::dispatched, at_second(20));
    EXPECT_EQ(*notifications().next_deadline(), at_second(10));
    EXPECT_EQ(ordinals(notifications().overdue(at_second(9), 10)), Ordinals{});
    EXPECT_EQ(ordinals(notifications().overdue(at_second(10), 10)), (Ordinals{3})) << "at that very time";
    EXPECT_EQ(ordinals(notifications().overdue(at_second(99), 10)), (Ordinals{3, 6, 7, 2}));
    EXPECT_EQ(ordinals(notifications().overdue(at_second(99), 2)), (Ordinals{3, 6}));
    model::Notification later = in_state(notification(3), DeliveryState::locked);
    later.deadline = at_second(40);
    write(later);
    EXPECT_EQ(*notifications().next_deadline(), at_second(20));
    EXPECT_EQ(ordinals(notifications().overdue(at_second(99), 10)), (Ordinals{6, 7, 2, 3}));
    later.deadline.reset();
    write(later);
    EXPECT_EQ(ordinals(notifications().overdue(at_second(99), 10)), (Ordinals{6, 7, 2}));
}

TEST_P(Delivery, gives_interfaces_what_nobody_acknowledged_oldest_first) {
    model::Notification of_bob = alert(7);
    of_bob.scope.user_id = "bob";
    insert({alert(1), alert(2, "s1"), notification(3), for_an_agent_to_say(4), alert(5, "s2"), alert(6), of_bob});
    const auto waiting = [&](std::string_view session = "", std::size_t limit = 10) {
        return ordinals(notifications().for_interfaces({.user_id = "ada", .session_id = session, .limit = limit}));
    };
    EXPECT_EQ(waiting(), (Ordinals{1, 2, 5, 6})) << "what is an agent's is not shown by itself";
    EXPECT_EQ(waiting("s1"), (Ordinals{2}));
    EXPECT_EQ(waiting("", 2), (Ordinals{1, 2}));
    EXPECT_EQ(ordinals(notifications().for_interfaces({.user_id = "ada", .after = 1, .until = 5, .limit = 10})),
              (Ordinals{2, 5}));
    EXPECT_EQ(ordinals(notifications().for_interfaces({.user_id = "bob", .limit = 10})), (Ordinals{7}));
    write(in_state(alert(1), DeliveryState::dispatched));
    EXPECT_EQ(waiting(), (Ordinals{1, 2, 5, 6})) << "sent is not acknowledged";
    write(delivered(alert(2, "s1"), at_second(50)));
    write(escalated(for_an_agent_to_say(4)));
    write(escalated(notification(3)));
    EXPECT_EQ(waiting(), (Ordinals{1, 3, 4, 5, 6})) << "escalated ones are";
    model::Notification gone = alert(6);
    gone.state = DeliveryState::failed;
    gone.outcome = "nobody_there";
    gone.ended_at = at_second(60);
    write(gone);
    EXPECT_EQ(waiting(), (Ordinals{1, 3, 4, 5}));
}

TEST_P(Delivery, gives_interfaces_what_an_agent_has_narrated_until_one_of_them_has_shown_it) {
    insert({for_an_agent_to_say(1), for_an_agent_to_say(2)});
    const auto waiting = [&] { return ordinals(notifications().for_interfaces({.user_id = "ada", .limit = 10})); };
    EXPECT_EQ(waiting(), Ordinals{});
    model::Notification narrated = in_state(for_an_agent_to_say(1), DeliveryState::locked);
    narrated.narration = "in its own words";
    write(narrated);
    EXPECT_EQ(waiting(), (Ordinals{1}));
    EXPECT_EQ(ordinals(notifications().due(question())), (Ordinals{2})) << "no agent is to say it any more";
    narrated.state = DeliveryState::delivered;
    narrated.ended_at = at_second(50);
    write(narrated);
    EXPECT_EQ(waiting(), Ordinals{});
}

TEST_P(Delivery, hands_agents_what_they_are_to_say_until_it_escalates) {
    insert({notification(1), for_an_agent_to_say(2), alert(3, "s1")});
    EXPECT_EQ(ordinals(notifications().due(question())), (Ordinals{1, 2}));
    EXPECT_EQ(*notifications().count_open(notification(1).scope), 2) << "what is a person's is not in the queue";
    EXPECT_EQ((*notifications().least(notification(1).scope, model::Severity::critical))->ordinal, 1);
    write(delivered(notification(1), at_second(9)));
    EXPECT_FALSE(notifications().least(notification(2).scope, model::Severity::critical)->has_value())
        << "what a person must hear never gives way";
    write(escalated(for_an_agent_to_say(2)));
    EXPECT_EQ(ordinals(notifications().due(question())), Ordinals{});
}

TEST_P(Delivery, keeps_what_an_internal_turn_promoted_in_the_agents_hands) {
    insert({notification(1)});
    model::Notification promoted = in_state(notification(1), DeliveryState::locked);
    promoted.handler = Handler::agent;
    write(promoted);
    promoted.target = Target::user;
    write(promoted);
    EXPECT_EQ(*notifications().count_open(promoted.scope), 1);
    EXPECT_EQ(ordinals(notifications().due(question())), (Ordinals{1})) << "still for the agent to say";
    EXPECT_EQ(ordinals(notifications().for_interfaces({.user_id = "ada", .limit = 10})), Ordinals{});
}

TEST_P(Delivery, knows_what_a_sessions_agent_has_in_its_hands) {
    model::Notification deep = notification(1);
    deep.depth = 2;
    insert({deep, notification(2), notification(3), notification(4)});
    for (const std::int64_t ordinal : {4, 2, 1}) {
        model::Notification held = in_state(notification(ordinal), DeliveryState::locked);
        held.handed_to = ordinal == 1 ? "s2" : "s1";
        held.holder = "token:agent";
        held.handle = ordinal;
        held.pull_id = uuid_of(static_cast<std::uint64_t>(70 + ordinal), 8);
        held.lease_until = at_second(1);
        held.deadline = at_second(300);
        write(held);
    }
    EXPECT_EQ(*notifications().depth_held("s1"), 0);
    EXPECT_EQ(*notifications().depth_held_by("token:agent"), 2) << "wherever it holds it";
    EXPECT_EQ(*notifications().depth_held_by("token:other"), std::nullopt);
    EXPECT_EQ(*notifications().depth_held("s3"), std::nullopt);
    EXPECT_EQ(ordinals(notifications().held_by_session("s1")), (Ordinals{2, 4})) << "also when the lease is over";
    EXPECT_EQ(ordinals(notifications().held_by_session("s2")), (Ordinals{1}));
    model::Notification said = delivered(notification(2), at_second(5));
    said.handed_to = "s1";
    write(said);
    EXPECT_EQ(ordinals(notifications().held_by_session("s1")), (Ordinals{4}));
    model::Notification kept = stored(notification(4).id);
    auto leases = *notifications().leases_of_session("s1");
    ASSERT_EQ(leases.size(), 1U);
    EXPECT_EQ(leases[0].id, kept.id);
    EXPECT_EQ(leases[0].state, kept.state);
    EXPECT_EQ(leases[0].lease, kept.lease);
    EXPECT_EQ(leases[0].holder, kept.holder);
    EXPECT_EQ(leases[0].lease_until, kept.lease_until);
    EXPECT_EQ(leases[0].deadline, kept.deadline);
    EXPECT_EQ(leases[0].pull_id, kept.pull_id) << "a caller may name its pull";
    EXPECT_EQ(leases[0].handle, kept.handle) << "or the lease of its handle";
    leases[0].lease_until = at_second(200);
    leases[0].deadline = at_second(400);
    EXPECT_EQ(*notifications().renew(leases), 1);
    kept.lease_until = leases[0].lease_until;
    kept.deadline = leases[0].deadline;
    EXPECT_EQ(stored(kept.id), kept) << "and nothing else of it";
    ++leases[0].lease;
    leases[0].lease_until = at_second(500);
    EXPECT_EQ(*notifications().renew(leases), 0) << "under another lease";
    EXPECT_EQ(stored(kept.id), kept);
    kept.holder.clear();
    write(kept);
    EXPECT_EQ(ordinals(notifications().held_by_session("s1")), Ordinals{}) << "it was let go";
    EXPECT_TRUE(notifications().leases_of_session("s1")->empty());
}

TEST_P(Delivery, hands_over_again_what_a_session_had_whatever_its_point) {
    model::Notification other = notification(1, model::Priority::normal, model::InjectAt::turn_end);
    insert({other});
    ports::DueQuestion asked = question();
    asked.classes = 0;
    EXPECT_EQ(ordinals(notifications().due(asked)), Ordinals{});
    other.state = DeliveryState::locked;
    other.handed_to = "s1";
    other.lease_until = at_second(1);
    write(other);
    EXPECT_EQ(ordinals(notifications().due(asked)), Ordinals{});
    asked.or_handed_before = true;
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{1}));
    asked.now = at_second(0);
    EXPECT_EQ(ordinals(notifications().due(asked)), Ordinals{}) << "while it is held it is not due";
}

TEST_P(Delivery, keeps_what_is_for_one_agent_of_a_user_from_the_others) {
    model::Notification anybodys = notification(1);
    model::Notification coders = notification(2);
    model::Notification here = notification(3);  // of the session: whatever agent it names
    anybodys.scope = {"ada", "", ""};
    coders.scope = {"ada", "", "coder"};
    insert({anybodys, coders, here});
    ports::DueQuestion asked = question();
    asked.agent_id = "writer";
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{1, 3}));
    asked.agent_id = "coder";
    EXPECT_EQ(ordinals(notifications().due(asked)), (Ordinals{1, 2, 3}));
}

TEST_P(Delivery, knows_whether_a_dead_letter_is_on_its_way_again) {
    model::Notification again = alert(2);
    again.retry_of = alert(1).id;
    insert({alert(1), again});
    EXPECT_TRUE(*notifications().has_open_retry("ada", alert(1).id));
    EXPECT_FALSE(*notifications().has_open_retry("ada", alert(2).id));
    EXPECT_FALSE(*notifications().has_open_retry("bob", alert(1).id));
    again.state = DeliveryState::delivered;
    again.ended_at = at_second(9);
    write(again);
    EXPECT_FALSE(*notifications().has_open_retry("ada", alert(1).id));
}

model::Notification with_fact(model::Notification row, std::int64_t number, std::int64_t second = 50) {
    row.fact = {number, row.version, model::FactStatus::shown, at_second(second)};
    return row;
}

TEST_P(Delivery, finds_the_facts_of_a_session_by_their_number) {
    model::Notification narrated = for_an_agent_to_say(4);
    narrated.narration = "the build broke";
    narrated.handed_to = "s2";
    narrated.address = model::Address::user;
    model::Notification narrated_here = for_an_agent_to_say(5);
    narrated_here.narration = "the disk is full";
    narrated_here.handed_to = "s1";
    insert({alert(1), alert(2, "s1"), alert(3, "s2"), narrated, narrated_here, alert(6)});
    const auto facts = [&](std::int64_t after, std::size_t limit = 10) {
        const auto found = notifications().facts({"ada", "s1", after, {}, 0, limit});
        return ordinals(base::Result<std::vector<model::Notification>>(found->oldest));
    };
    EXPECT_EQ(facts(0), Ordinals{}) << "a row that nobody was shown is no fact";
    ASSERT_OK(notifications().put_facts(std::vector{with_fact(alert(2, "s1"), 11), with_fact(alert(3, "s2"), 12),
                                                    with_fact(alert(1), 13), with_fact(narrated, 14),
                                                    with_fact(narrated_here, 15)}));
    EXPECT_EQ(facts(0), (Ordinals{2, 1, 4})) << "of this session or of none, and not its own narration";
    ASSERT_OK(notifications().put_facts(std::vector{with_fact(alert(2, "s1"), 16)}));
    EXPECT_EQ(facts(0), (Ordinals{1, 4, 2})) << "a fact that has changed comes again";
    EXPECT_EQ(facts(13), (Ordinals{4, 2}));
    EXPECT_EQ(facts(16), Ordinals{});
    EXPECT_EQ(facts(0, 2), (Ordinals{1, 4})) << "the oldest";
    EXPECT_TRUE(notifications().facts({"bob", "s1", 0, {}, 0, 10})->oldest.empty());
    for (const std::size_t limit : {1U, 2U, 10U}) {
        const auto found = notifications().facts({"ada", "s1", 0, {}, 0, limit});
        EXPECT_EQ(std::pair(found->count, found->in_inbox), std::pair(std::int64_t{3}, std::int64_t{2})) << limit;
        EXPECT_EQ(notifications().facts({"ada", "s1", 0, {}, 13, limit})->in_inbox, 1) << "not yet counted " << limit;
    }
    commit();
    const auto read = world().reading()->notifications().facts({"ada", "s1", 13, {}, 0, 10});
    ASSERT_EQ(read->oldest.size(), 2U) << "and beside the engine it is the same";
    EXPECT_EQ(read->oldest[1].fact, with_fact(alert(2, "s1"), 16).fact);
}

TEST_P(Delivery, begins_the_facts_of_a_new_session_with_the_first_recent_one) {
    insert({alert(1), alert(2), alert(3), alert(4, "s2")});
    const auto first = [&](std::int64_t since) {
        const auto found = notifications().facts({"ada", "s1", std::nullopt, at_second(since), 0, 10});
        return ordinals(base::Result<std::vector<model::Notification>>(found->oldest));
    };
    EXPECT_EQ(first(0), Ordinals{});
    // The clock was set back after the second one.
    ASSERT_OK(notifications().put_facts(std::vector{with_fact(alert(1), 21, 100), with_fact(alert(2), 22, 200),
                                                    with_fact(alert(3), 23, 50), with_fact(alert(4, "s2"), 20, 200)}));
    EXPECT_EQ(first(150), (Ordinals{2, 3}));
    EXPECT_EQ(first(100), (Ordinals{1, 2, 3}));
    EXPECT_EQ(first(0), (Ordinals{1, 2, 3}));
    EXPECT_EQ(first(201), Ordinals{});
}

TEST_P(Delivery, gives_no_number_of_a_fact_twice) {
    const std::int64_t first = notifications().next_fact_number();
    const std::int64_t second = notifications().next_fact_number();
    EXPECT_GT(first, 0);
    EXPECT_GT(second, first);
    insert({with_fact(alert(1), second)});
    ASSERT_OK(notifications().put_facts(std::vector{with_fact(alert(1), second)}));
    commit();
    EXPECT_EQ(*notifications().erase_user("ada", 10), 1U);
    commit();
    EXPECT_GT(notifications().next_fact_number(), second) << "also after the last one was erased";
    EXPECT_TRUE(notifications().facts({"ada", "s1", 0, {}, 0, 10})->oldest.empty());
}

TEST_P(Delivery, keeps_a_fact_over_every_change_of_its_row) {
    insert({alert(1)});
    model::Notification row = with_fact(alert(1), 31);
    ASSERT_OK(notifications().put_facts(std::vector{row}));
    row.seen_at = at_second(60);
    ASSERT_TRUE(*notifications().mark(row));
    EXPECT_EQ((*notifications().find(row.id))->fact, row.fact);
    row.state = DeliveryState::delivered;
    row.ended_at = at_second(70);
    row.text = "other words";
    write(row);
    EXPECT_EQ((*notifications().find(row.id))->fact, row.fact);
    row.fact = {32, 1, model::FactStatus::seen, at_second(70)};
    ASSERT_OK(notifications().put_facts(std::vector{row}));
    EXPECT_EQ((*notifications().find(row.id))->fact, row.fact) << "also of a row that has ended";
}

TEST_P(Delivery, takes_marks_after_the_end_and_changes_nothing_else) {
    insert({alert(1), alert(2)});
    const model::Notification ended = delivered(alert(1), at_second(50));
    write(ended);
    model::Notification marked = ended;
    marked.seen_at = at_second(60);
    marked.acted_at = at_second(61);
    marked.content = "another";
    marked.state = DeliveryState::failed;
    marked.lease = 9;
    ASSERT_TRUE(*notifications().mark(marked));
    const model::Notification seen = stored(ended.id);
    EXPECT_EQ(seen.seen_at, at_second(60));
    EXPECT_EQ(seen.acted_at, at_second(61));
    EXPECT_FALSE(seen.dismissed_at);
    EXPECT_EQ(seen.content, ended.content);
    EXPECT_EQ(seen.state, DeliveryState::delivered);
    EXPECT_EQ(seen.lease, 1);
    EXPECT_FALSE(*notifications().mark(alert(3)));
}

TEST_P(Delivery, takes_other_words_after_the_end_and_changes_nothing_else) {
    insert({alert(1), alert(2)});
    const model::Notification ended = delivered(alert(1), at_second(50));
    write(ended);
    model::Notification revised = ended;
    revised.content = "another";
    revised.text = "another one";
    revised.model_tokens = 77;
    revised.version = ended.version + 1;
    model::Notification wanted = revised;
    revised.state = DeliveryState::failed;
    revised.lease = 9;
    revised.seen_at = at_second(60);
    ASSERT_TRUE(*notifications().revise(revised));
    EXPECT_EQ(stored(ended.id), wanted);
    EXPECT_FALSE(*notifications().revise(alert(3)));
}

TEST_P(Delivery, moves_what_lives_in_a_session_that_goes_to_its_user) {
    insert({notification(1), alert(2, "s1"), alert(3), notification(4), for_an_agent_to_say(5)});
    write(delivered(notification(4), at_second(9)));
    EXPECT_EQ(ordinals(notifications().open_of_session("s1", 10)), (Ordinals{1, 2, 5}));
    EXPECT_EQ(ordinals(notifications().open_of_session("s1", 1)), (Ordinals{1}));
    for (model::Notification left : {notification(1), alert(2, "s1")}) {
        left.address = Address::user;
        left.scope.session_id.clear();
        write(left);
    }
    EXPECT_EQ(ordinals(notifications().open_of_session("s1", 10)), (Ordinals{5}));
    ports::DueQuestion elsewhere = question();
    elsewhere.session_id = "s9";
    EXPECT_EQ(ordinals(notifications().due(elsewhere)), (Ordinals{1})) << "due in any of the user's sessions";
    EXPECT_EQ(*notifications().count_open({"ada", "", ""}), 1);
    EXPECT_EQ(stored(alert(2).id).address, Address::user);
}

TEST_P(Delivery, overwrites_all_that_an_update_brings) {
    insert({with_key(alert(1), "k")});
    model::Notification update = with_key(alert(1), "k");
    update.content = "new content";
    update.text = "new text";
    update.priority = model::Priority::critical;
    update.inject_at = model::InjectAt::immediate;
    update.severity = model::Severity::critical;
    update.directive = "be brief";
    update.tone_hint = "calm";
    update.metadata = model::RawJson::trusted(R"({"a":1})");
    update.ttl = base::seconds(60);
    update.deadline = at_second(100);
    update.deadline_max = at_second(200);
    update.version = 2;
    write(update);
    model::Notification seen = stored(update.id);
    EXPECT_EQ(seen.content, "new content");
    EXPECT_EQ(seen.text, "new text");
    EXPECT_EQ(seen.priority, model::Priority::critical);
    EXPECT_EQ(seen.inject_at, model::InjectAt::immediate);
    EXPECT_EQ(seen.severity, model::Severity::critical);
    EXPECT_EQ(seen.directive, "be brief");
    EXPECT_EQ(seen.tone_hint, "calm");
    EXPECT_EQ(seen.metadata.bytes(), R"({"a":1})");
    EXPECT_EQ(seen.ttl, base::seconds(60));
    EXPECT_EQ(seen.deadline, at_second(100));
    EXPECT_EQ(seen.deadline_max, at_second(200));
    EXPECT_EQ(seen.version, 2);
    update.content = "newer";  // the smallest of changes beside the way
    write(update);
    EXPECT_EQ(stored(update.id).content, "newer");
    update.metadata = {};
    update.tone_hint.clear();
    write(update);
    seen = stored(update.id);
    EXPECT_EQ(seen.metadata.bytes(), "{}");
    EXPECT_EQ(seen.tone_hint, "");
}

model::Transition step(std::int64_t of, DeliveryState to, std::string reason) {
    model::Transition made;
    made.notification = notification(of).id;
    made.at = at_second(of);
    made.to = to;
    made.lease = of;
    made.holder = odd_text;
    made.reason = std::move(reason);
    return made;
}

TEST_P(Delivery, keeps_every_step_in_order_over_commits) {
    insert({notification(1), notification(2)});
    ASSERT_OK(notifications().add_steps({}));
    ASSERT_OK(notifications().add_steps(std::vector{step(1, DeliveryState::pending, "emitted"),
                                                    step(2, DeliveryState::pending, "emitted"),
                                                    step(1, DeliveryState::dispatched, "dispatched")}));
    ASSERT_OK(notifications().add_steps(std::vector{step(1, DeliveryState::locked, "claimed")}));
    reopen();
    ASSERT_OK(notifications().add_steps(std::vector{step(1, DeliveryState::delivered, odd_text)}));
    commit();
    const auto way = world().reading()->notifications().steps(notification(1).id);
    ASSERT_OK(way);
    ASSERT_EQ(way->size(), 4U);
    EXPECT_EQ(std::ranges::adjacent_find(*way, std::ranges::greater_equal{}, &model::Transition::ordinal), way->end());
    EXPECT_EQ(way->at(0).reason, "emitted");
    EXPECT_EQ(way->at(2).reason, "claimed");
    model::Transition wanted = step(1, DeliveryState::delivered, odd_text);
    wanted.ordinal = way->at(3).ordinal;
    EXPECT_EQ(way->at(3), wanted);
    const auto other = world().reading()->notifications().steps(notification(2).id);
    ASSERT_EQ(other->size(), 1U);
    EXPECT_GT(other->at(0).ordinal, way->at(0).ordinal) << "they rise in the whole ledger";
    EXPECT_LT(other->at(0).ordinal, way->at(1).ordinal);
    EXPECT_TRUE(world().reading()->notifications().steps({uuid_of(9)})->empty());
}

TEST_P(Delivery, keeps_with_the_first_step_what_was_asked_for_and_counts_steps_by_their_reason) {
    insert({notification(1)});
    model::Transition birth = step(1, DeliveryState::pending, "emitted");
    birth.routing = {model::Address::user, model::Target::agent, model::Handler::agent};
    ASSERT_OK(notifications().add_steps(
        std::vector{birth, step(1, DeliveryState::pending, "sent"), step(1, DeliveryState::pending, "sent")}));
    EXPECT_EQ(*notifications().count_steps(notification(1).id, "sent"), 2);
    EXPECT_EQ(*notifications().count_steps(notification(1).id, "claimed"), 0);
    EXPECT_EQ(*notifications().count_steps(notification(2).id, "sent"), 0);
    commit();
    const auto way = world().reading()->notifications().steps(notification(1).id);
    ASSERT_EQ(way->size(), 3U);
    EXPECT_EQ(way->at(0).reason, "emitted");
    EXPECT_EQ(way->at(0).routing, birth.routing);
    EXPECT_EQ(way->at(1).routing, std::nullopt);
}

TEST_P(Delivery, lets_steps_go_with_their_notification) {
    insert({notification(1), notification(2), notification(3)});
    for (const std::int64_t of : {1, 1, 2, 3}) {
        ASSERT_OK(notifications().add_steps(std::vector{step(of, DeliveryState::pending, "emitted")}));
    }
    write(delivered(notification(1), at_second(5)));
    EXPECT_EQ(*notifications().drop_ended(at_second(6), 10), 1U);
    EXPECT_EQ(rows_in("transitions"), 2);
    EXPECT_EQ(*notifications().erase_user("ada", 1), 1U);
    EXPECT_EQ(rows_in("transitions"), 1);
    EXPECT_EQ(*notifications().erase_user("ada", 10), 1U);
    EXPECT_EQ(rows_in("transitions"), 0);
}

TEST_P(Delivery, remembers_the_last_fact_that_an_agent_was_told) {
    model::Session aware = session("s1");
    aware.aware_no = 77;
    aware.progress.aware_pull = uuid_of(7);
    aware.progress.aware_next = 79;
    aware.progress.digest_next = 80;
    aware.progress.digest_no = 78;
    ASSERT_OK(sessions().put(std::vector{aware, session("s2")}));
    const std::vector<std::string> both{"s1", "s2"};
    std::map<std::string, std::optional<std::int64_t>> seen;
    const auto found = sessions().find(both);
    ASSERT_OK(found);
    for (const model::Session& one : *found) seen[one.id] = one.aware_no;
    EXPECT_EQ(seen["s1"], 77);
    EXPECT_FALSE(seen["s2"]);
    aware.aware_no = 79;
    ASSERT_OK(sessions().put(std::vector{aware}));
    commit();
    const auto read = world().reading()->sessions().find("s1");
    EXPECT_EQ((*read)->aware_no, 79);
    EXPECT_EQ((*read)->progress, aware.progress);
}

TEST_P(Delivery, keeps_tools_by_name) {
    const model::ToolInfo mail{odd_text, model::Impact::external, odd_text, model::RawJson::trusted(R"({"a":1})"),
                               at_second(3)};
    ASSERT_OK(store().tools().put(mail));
    ASSERT_OK(store().tools().put({"grep", model::Impact::external, "", {}, at_second(4)}));
    ASSERT_OK(store().tools().put({"grep", model::Impact::internal, "finds", {}, at_second(5)}));
    commit();
    for (const auto& found : {store().tools().load(), world().reading()->tools("", 10)}) {
        ASSERT_OK(found);
        ASSERT_EQ(found->size(), 2U);
        EXPECT_EQ(found->at(0).name, "grep");
        EXPECT_EQ(found->at(0).impact, model::Impact::internal);
        EXPECT_EQ(found->at(0).description, "finds");
        EXPECT_EQ(found->at(0).schema.bytes(), "{}");
        EXPECT_EQ(found->at(0).updated_at, at_second(5));
        EXPECT_EQ(found->at(1).name, odd_text);
        EXPECT_EQ(found->at(1).schema, mail.schema);
    }
    const auto reading = world().reading();
    EXPECT_EQ(reading->tools("", 1)->size(), 1U);
    EXPECT_EQ(reading->tools("grep", 10)->at(0).name, odd_text);
    EXPECT_EQ(reading->tool("grep")->value().description, "finds");
    EXPECT_FALSE(reading->tool("gre")->has_value());
    ASSERT_OK(store().tools().remove("grep"));
    ASSERT_OK(store().tools().remove("never there"));
    EXPECT_EQ(store().tools().load()->size(), 1U);
}

}  // namespace
}  // namespace belfry::store::testing
