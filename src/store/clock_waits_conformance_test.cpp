#include "base/limits.hpp"
#include "base/memory_limits.hpp"
#include "store/memory_world_test.hpp"

namespace belfry::store::testing {
namespace {

namespace limits = base::limits;
using model::DeliveryState;

const base::Timestamp now = at_second(1'000'000);
const base::Timestamp ahead = now + base::days(400);

// A row of each kind that waits for a time.
class ClockWaits : public TableSuite {
protected:
    ports::ClockTable& table() { return store().clock(); }
    base::Timestamp value(const char* sql) {
        base::Timestamp found;
        const MadeSql& made = *statements_.emplace_back(std::make_unique<MadeSql>(sql));
        EXPECT_OK(store().database().run(made, {}, [&](const Row& row) { found = {row.number(0)}; }));
        return found;
    }
    void bring_back(std::int64_t rows) {
        const auto changed = table().bring_back_deadlines(now);
        ASSERT_OK(changed);
        EXPECT_EQ(*changed, rows);
        EXPECT_EQ(*table().bring_back_deadlines(now), 0) << "they are right now";
    }
    // The clock was behind at `now` and jumps forward by a year, 10 s after that.
    void jump(base::Duration by = year) {
        const ports::ClockJump jump{now + base::seconds(10), by, now};
        ASSERT_OK(table().carry_on_waits(jump));
        ASSERT_OK(table().carry_on_records(jump));
    }

    void owe(base::Timestamp due, std::optional<base::Timestamp> claimed) {
        ports::Obligation one;
        one.id = uuid_of(static_cast<std::uint64_t>(rows_in("outbox")), 6);
        one.kind = "sink";
        one.due_at = due;
        one.claimed_until = claimed;
        ASSERT_OK(store().outbox().put(one));
    }
    void hand_over(base::Timestamp until) {
        ASSERT_OK(sessions().add_message(message(1, 1)));
        ASSERT_OK(store().user_messages().wait({uuid_of(1, 3)}));
        const std::vector<model::MessageId> ids{{uuid_of(1, 3)}};
        ASSERT_OK(store().user_messages().hand_over(ids, uuid_of(1, 7), until));
    }
    void ask(base::Timestamp expires) {
        model::Interaction made;
        made.id.uuid = uuid_of(1, 8);
        made.session_id = "s1";
        made.user_id = "ada";
        made.expires_at = expires;
        ASSERT_OK(store().interactions().add(made));
    }
    void put_wake(model::WakeId id, model::WakeState state, std::int64_t attempts, base::Timestamp time) {
        model::Wake wake;
        wake.id = id;
        wake.run_key = std::to_string(id);
        wake.agent_id = "coach";
        wake.user_id = "ada";
        wake.state = state;
        wake.attempts = attempts;
        wake.due_at = time;
        wake.created_at = time;
        if (state == model::WakeState::running) wake.lease_until = wake.deadline = time;
        ASSERT_OK(store().wakes().put(std::span(&wake, 1)));
    }
    void call_tool(base::Timestamp created) {
        model::OutsideCall made;
        made.id = {uuid_of(1, 8)};
        made.tool_name = "mail";
        made.user_id = "ada";
        made.state = model::OutsideCallState::claimed;
        made.created_at = created;
        made.lease_until = created + base::seconds(30);
        made.deadline = created + base::seconds(90);
        ASSERT_OK(store().outside_calls().put(made));
    }
    void put_thread(const std::string& id, base::Timestamp last_at, bool is_closed) {
        model::AgentThread thread = agent_thread(id, 1);
        thread.last_at = last_at;
        thread.is_closed = is_closed;
        ASSERT_OK(store().memory().put_thread(thread));
    }
    void summarize(std::uint64_t number, model::FoldState state, base::Timestamp time) {
        model::FoldJob job = fold_job(number, "a:run:k" + std::to_string(number));
        job.state = state;
        job.next_attempt_at = time;
        if (state == model::FoldState::running) job.lease_until = time;
        ASSERT_OK(store().memory().put_job(job));
    }
    static model::Notification waiting(model::Notification row, base::Duration deadline, base::Duration deadline_max) {
        row.created_at = now - base::days(1);
        row.deadline = now + deadline;
        row.deadline_max = now + deadline_max;
        return row;
    }
    model::Notification found(std::uint64_t ordinal) {
        const auto row = notifications().find({uuid_of(ordinal)});
        EXPECT_OK(row);
        return **row;
    }

    static constexpr base::Duration year = base::days(365);

private:
    std::vector<std::unique_ptr<MadeSql>> statements_;
};
BELFRY_ON_BOTH_DATABASES(ClockWaits);

TEST_P(ClockWaits, of_the_outbox_are_over_and_claims_end_soon) {
    owe(now + base::minutes(9), std::nullopt);
    owe(ahead, std::nullopt);
    owe(now, ahead);
    bring_back(2);
    EXPECT_EQ((*store().outbox().find(uuid_of(0, 6)))->due_at, now + base::minutes(9));
    EXPECT_EQ((*store().outbox().find(uuid_of(1, 6)))->due_at, now);
    EXPECT_EQ((*store().outbox().find(uuid_of(2, 6)))->claimed_until, now + limits::obligation_claim);
    jump();
    EXPECT_EQ((*store().outbox().find(uuid_of(2, 6)))->claimed_until, now + limits::obligation_claim + year);
}

TEST_P(ClockWaits, of_pulled_messages_are_over) {
    hand_over(ahead);
    bring_back(1);
    EXPECT_EQ(value("SELECT handed_until FROM messages"), now);
}

TEST_P(ClockWaits, of_pulled_messages_go_on_after_a_jump) {
    hand_over(now + base::minutes(30));
    bring_back(0);
    jump();
    EXPECT_EQ(value("SELECT handed_until FROM messages"), now + base::minutes(30) + year);
}

TEST_P(ClockWaits, of_memory_jobs_are_over) {
    summarize(1, model::FoldState::pending, ahead);
    summarize(2, model::FoldState::running, ahead);
    bring_back(2);
    EXPECT_EQ(value("SELECT next_attempt_at FROM fold_jobs WHERE state = 0"), now);
    EXPECT_EQ(value("SELECT due_at FROM fold_jobs WHERE state = 0"), now);
    EXPECT_EQ(value("SELECT lease_until FROM fold_jobs WHERE state = 1"), now);
    EXPECT_EQ(value("SELECT due_at FROM fold_jobs WHERE state = 1"), now);
    summarize(2, model::FoldState::running, now + base::minutes(2));
    jump();
    EXPECT_EQ(value("SELECT lease_until FROM fold_jobs WHERE state = 1"), now + base::minutes(2) + year);
    EXPECT_EQ(value("SELECT due_at FROM fold_jobs WHERE state = 1"), now + base::minutes(2) + year);
}

TEST_P(ClockWaits, of_idle_threads_begin_now) {
    put_thread("a:open", ahead, false);
    put_thread("a:closed", ahead, true);
    put_thread("a:quiet", now - base::hours(1), false);
    bring_back(2);
    EXPECT_EQ(value("SELECT last_at FROM agent_threads WHERE hot_messages > 0 AND closed = 0 AND last_at > 1 ORDER BY "
                    "last_at DESC LIMIT 1"),
              now);
    EXPECT_EQ(value("SELECT max(quiet_since) FROM agent_threads"), now);
    EXPECT_EQ(value("SELECT quiet_since FROM agent_threads WHERE closed = 1"), base::Timestamp{});
    EXPECT_EQ(value("SELECT last_at FROM agent_threads WHERE closed = 1"), now);
    jump();
    EXPECT_EQ(value("SELECT max(quiet_since) FROM agent_threads"), now + year) << "nobody was silent for a year";
    EXPECT_EQ(value("SELECT min(last_at) FROM agent_threads"), now - base::hours(1));
}

TEST_P(ClockWaits, of_approval_requests_have_their_time_again) {
    ask(ahead);
    bring_back(1);
    EXPECT_EQ(value("SELECT expires_at FROM interactions"), now + limits::interaction_time_max);
    jump();
    EXPECT_EQ(value("SELECT expires_at FROM interactions"), now + limits::interaction_time_max + year);
}

TEST_P(ClockWaits, of_wakes_end_in_their_time) {
    put_wake(1, model::WakeState::running, 1, ahead);
    put_wake(2, model::WakeState::queued, 1, ahead);
    put_wake(3, model::WakeState::queued, 0, ahead);
    bring_back(4);
    EXPECT_EQ(value("SELECT lease_until FROM wakes WHERE wake_id = 1"), now + limits::wake_lease_max);
    EXPECT_EQ(value("SELECT deadline FROM wakes WHERE wake_id = 1"), now + limits::wake_time_max);
    EXPECT_EQ(value("SELECT due_at FROM wakes WHERE wake_id = 2"), now);
    EXPECT_EQ(value("SELECT due_at FROM wakes WHERE wake_id = 3"), now);
    jump();
    EXPECT_EQ(value("SELECT lease_until FROM wakes WHERE wake_id = 1"), now + limits::wake_lease_max + year);
    EXPECT_EQ(value("SELECT deadline FROM wakes WHERE wake_id = 1"), now + limits::wake_time_max + year);
}

TEST_P(ClockWaits, of_external_calls_are_as_long_as_they_were) {
    call_tool(ahead);
    bring_back(1);
    EXPECT_EQ(value("SELECT deadline FROM tool_calls"), now + base::seconds(90));
    EXPECT_EQ(value("SELECT lease_until FROM tool_calls"), now + base::seconds(30));
    jump();
    EXPECT_EQ(value("SELECT deadline FROM tool_calls"), now + base::seconds(90) + year);
    EXPECT_EQ(value("SELECT due_at FROM tool_calls"), now + base::seconds(30) + year);
}

TEST_P(ClockWaits, of_notifications_are_as_long_as_their_route_says) {
    const base::Duration far = base::days(400);
    model::Notification told = waiting(for_an_agent_to_say(3), far, far);
    told.ttl = base::days(1);
    told.narration = "I say";
    told.state = DeliveryState::locked;
    model::Notification escalated = waiting(alert(4), far, far);
    escalated.ttl = base::days(1);
    escalated.state = DeliveryState::escalated;
    model::Notification short_lived = waiting(for_an_agent_to_say(5), far, far);
    short_lived.ttl = base::hours(2);
    insert({waiting(alert(1), far, far), waiting(for_an_agent_to_say(2), far, far), told, escalated, short_lived,
            waiting(notification(6), far, far)});
    bring_back(6);
    const base::Duration month = limits::interface_wait_max;
    EXPECT_EQ(found(1).deadline, now + month);
    EXPECT_EQ(found(1).deadline_max, now + month * 2);
    EXPECT_EQ(found(2).deadline, now + limits::agent_ttl_default);
    EXPECT_EQ(found(3).deadline, now + month) << "narrated: it waits for an interface";
    EXPECT_EQ(found(4).deadline, now + month);
    EXPECT_EQ(found(5).deadline, now + base::hours(2));
    EXPECT_EQ(found(5).deadline_max, now + base::hours(4));
    EXPECT_EQ(found(6).deadline, now + limits::passive_ttl_default);
    jump();
    EXPECT_EQ(found(1).deadline, now + month + year);
    EXPECT_EQ(found(1).deadline_max, now + month * 2 + year);
    EXPECT_EQ(found(2).deadline, now + limits::agent_ttl_default + year);
}

TEST_P(ClockWaits, go_on_though_they_are_longer_than_the_jump) {
    insert({waiting(alert(1), limits::interface_wait_max + base::seconds(15), base::days(60))});
    put_wake(1, model::WakeState::running, 1, now + base::minutes(8));
    put_wake(2, model::WakeState::queued, 1, now + base::minutes(8));
    jump(base::minutes(5));
    EXPECT_EQ(found(1).deadline, now + limits::interface_wait_max + base::seconds(15) + base::minutes(5))
        << "it began after the time that was noted last";
    EXPECT_EQ(value("SELECT lease_until FROM wakes WHERE wake_id = 1"), now + base::minutes(13));
    EXPECT_EQ(value("SELECT due_at FROM wakes WHERE wake_id = 2"), now + base::minutes(8)) << "a pause only";
}

TEST_P(ClockWaits, of_context_values_begin_again_and_go_on) {
    model::ContextValue set;
    set.key = {"build.progress", {"ada", "", ""}};
    set.content = "71 %";
    set.set_at = ahead;
    set.expires_at = ahead + base::hours(1);
    ASSERT_OK(store().context_values().put(set));
    bring_back(1);
    EXPECT_EQ(value("SELECT set_at FROM context_values"), now);
    EXPECT_EQ(value("SELECT expires_at FROM context_values"), now + base::hours(1));
    jump();
    EXPECT_EQ(value("SELECT set_at FROM context_values"), now + year);
    EXPECT_EQ(value("SELECT expires_at FROM context_values"), now + base::hours(1) + year);
}

// The clock was set back by two seconds only.
TEST_P(ClockWaits, of_notifications_that_the_clock_explains_stay_as_they_are) {
    model::Notification told = waiting(for_an_agent_to_say(1), base::days(29), base::days(29));
    told.ttl = base::days(1);
    told.narration = "I say";
    told.state = DeliveryState::locked;
    model::Notification given_back = waiting(for_an_agent_to_say(2), base::minutes(50), base::minutes(10));
    given_back.state = DeliveryState::locked;
    model::Notification held = waiting(for_an_agent_to_say(3), base::minutes(50), base::minutes(10));
    held.state = DeliveryState::locked;
    held.lease_until = held.deadline;
    insert({told, given_back, held});
    bring_back(0);
    EXPECT_EQ(found(1), told);
    EXPECT_EQ(found(2).deadline, given_back.deadline) << "it had a long lease";
    EXPECT_EQ(found(3).lease_until, held.lease_until);
    jump();
    EXPECT_EQ(found(3).lease_until, *held.lease_until + year);
}

TEST_P(ClockWaits, of_leases_of_notifications_are_over) {
    model::Notification held = waiting(for_an_agent_to_say(1), base::days(400), base::days(400));
    held.state = DeliveryState::locked;
    held.lease_until = ahead;
    insert({held});
    bring_back(2);
    EXPECT_EQ(found(1).lease_until, now);
    EXPECT_EQ(found(1).deadline, now + limits::agent_ttl_default);
}

}  // namespace
}  // namespace belfry::store::testing
