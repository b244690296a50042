#include "model/sync.hpp"
#include "rules/effect_id.hpp"
#include "sim/devices_world_test.hpp"

// Runs that several devices would go through. Acceptance 26.
namespace belfry::sim {
namespace {

using model::WakeState;

class DevicesRuns : public DevicesTest {
protected:
    DevicesRuns() {
        make(3);
        create_agent(0, "coach");
        add_timer(0, "coach", "10m");
        meet();
    }

    WakeState state_of(std::size_t device, const std::string& run_key) {
        store::SqlStore& store = on(device).machine().store();
        EXPECT_TRUE(store.begin().ok());
        const auto found = store.wakes().find_key(run_key);
        store.rollback();
        EXPECT_TRUE(found.ok() && found->has_value());
        return found.ok() && found->has_value() ? (*found)->state : WakeState::queued;
    }
    std::int64_t claims(std::size_t device) {
        static constexpr store::Sql count_claims{
            "SELECT count(*) FROM sync_plain WHERE kind = CAST('run_claim' AS BLOB)"};
        std::int64_t count = -1;
        const auto read = on(device).machine().store().database().run(
            count_claims, {}, [&](const store::Row& row) { count = row.number(0); });
        EXPECT_TRUE(read.ok());
        return count;
    }
};

TEST_F(DevicesRuns, the_same_timer_on_three_devices_that_are_apart_has_its_effect_once) {
    part();
    pass(base::minutes(10));
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto wake = claim(i, "coach");
        ASSERT_TRUE(wake) << i;
        keys.push_back(wake->run_key);
        const ports::CalledTool done = make_task(i, *wake);
        EXPECT_EQ(done.action.id, rules::action_message_id("coach", done.action.metadata.operation_id));
        end(i, *wake);
    }
    EXPECT_EQ(keys[0], keys[1]);
    EXPECT_EQ(keys[1], keys[2]);
    meet();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(tasks_of_runs(i), 1U) << i;
    expect_all_alike();
}

TEST_F(DevicesRuns, whoever_is_later_leaves_it_to_the_first) {
    part();
    pass(base::minutes(10));
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    meet();
    EXPECT_FALSE(claim(1, "coach")) << "it is another's";
    make_task(0, *wake);
    end(0, *wake);
    meet();
    pass(base::minutes(2));
    EXPECT_FALSE(claim(1, "coach"));
    EXPECT_FALSE(claim(2, "coach"));
    EXPECT_EQ(state_of(1, wake->run_key), WakeState::not_needed);
    EXPECT_EQ(state_of(2, wake->run_key), WakeState::not_needed);
    EXPECT_EQ(tasks_of_runs(2), 1U);
}

TEST_F(DevicesRuns, what_one_has_fired_for_and_told_of_is_seen_to_by_another_if_it_is_lost) {
    on(1).set_clock(base::Duration{} - base::seconds(10));
    on(2).set_clock(base::Duration{} - base::seconds(10));
    part();
    pass(base::minutes(10));
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    meet();
    part();
    pass_on(1, base::seconds(30));
    EXPECT_FALSE(claim(1, "coach")) << "it is another's";
    pass_on(1, base::seconds(40));
    const auto again = claim(1, "coach");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->run_key, wake->run_key);
    make_task(1, *again);
    end(1, *again);
    meet();
    pass(base::minutes(2));
    EXPECT_FALSE(claim(2, "coach")) << "it is done";
    EXPECT_EQ(state_of(2, wake->run_key), WakeState::not_needed);
    EXPECT_EQ(tasks_of_runs(2), 1U);
}

TEST_F(DevicesRuns, what_nobody_has_begun_with_is_seen_to_by_whoever_comes_to_it) {
    auto add = std::make_unique<ports::AddTimer>();
    add->agent_id = "coach";
    add->name = "once";
    add->schedule.kind = "at";
    add->schedule.at = on(0).now() + base::minutes(5);
    ask(0, std::move(add));
    meet();
    on(1).set_clock(base::Duration{} - base::seconds(10));
    pass_on(0, base::minutes(5));
    meet();
    part();
    pass_on(1, base::minutes(6));
    EXPECT_FALSE(claim(1, "coach")) << "it catches up: others may have seen to it while it was off";
    pass_on(1, base::seconds(5));
    const auto wake = claim(1, "coach");
    ASSERT_TRUE(wake);
    EXPECT_EQ(wake->reason, model::WakeReason::recovery_catchup) << "it was a minute late";
    end(1, *wake);
    meet();
    EXPECT_FALSE(claim(0, "coach")) << "it is done";
    expect_all_alike();
}

TEST_F(DevicesRuns, whoever_says_that_it_is_still_at_it_is_waited_for) {
    part();
    pass(base::minutes(10));
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    for (int i = 0; i < 8; ++i) {
        meet();
        pass(base::seconds(30));
        auto renew = std::make_unique<ports::RenewWake>();
        renew->id = wake->id;
        renew->fence = wake->fence;
        ask(0, std::move(renew));
        meet();
        EXPECT_FALSE(claim(1, "coach")) << i;
    }
    part();
    pass(base::seconds(61));
    const auto again = claim(1, "coach");
    ASSERT_TRUE(again) << "it is not heard of any more";
    meet();
    EXPECT_FALSE(claim(2, "coach")) << "that one is at it now";
    end(1, *again);
    meet();
    EXPECT_FALSE(claim(2, "coach"));
}

TEST_F(DevicesRuns, one_who_has_begun_and_is_not_heard_of_is_waited_for_a_minute) {
    part();
    pass(base::minutes(10));
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    meet();
    part();
    pass_on(1, base::seconds(30));
    EXPECT_FALSE(claim(1, "coach"));
    pass_on(1, base::seconds(40));
    const auto again = claim(1, "coach");
    ASSERT_TRUE(again) << "it goes on";
    EXPECT_EQ(again->run_key, wake->run_key);
    make_task(1, *again);
    end(1, *again);
    meet();
    EXPECT_EQ(tasks_of_runs(0), 1U);
    expect_all_alike();
}

TEST_F(DevicesRuns, what_was_done_in_part_on_one_is_not_done_again_on_another) {
    part();
    pass(base::minutes(10));
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    make_task(0, *wake);
    meet();
    pass(base::minutes(2));
    const auto again = claim(1, "coach");
    ASSERT_TRUE(again);
    EXPECT_FALSE(make_task(1, *again).is_new) << "the other has done this";
    end(1, *again);
    meet();
    EXPECT_EQ(tasks_of_runs(2), 1U);
}

TEST_F(DevicesRuns, whoever_goes_on_with_other_ideas_does_not_trip_over_what_was_done) {
    part();
    pass(base::minutes(10));
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    const ports::CalledTool first = make_task(0, *wake);
    meet();
    pass(base::minutes(2));
    const auto again = claim(1, "coach");
    ASSERT_TRUE(again);
    auto plan = std::make_unique<ports::StorePlan>();
    plan->id = again->id;
    plan->fence = again->fence;
    model::PlannedAction& action = plan->actions.emplace_back();
    action.tool_name = "create_task";
    action.arguments = model::RawJson::trusted(R"({"title":"another idea"})");
    const auto stored = ask(1, std::move(plan));
    const std::string operation = stored.plan.plan.actions.front().operation_id;
    EXPECT_NE(operation, first.action.metadata.operation_id);
    auto call = std::make_unique<ports::CallTool>();
    call->id = again->id;
    call->fence = again->fence;
    call->operation_id = operation;
    EXPECT_TRUE(ask(1, std::move(call)).is_new);
    EXPECT_EQ(tasks_of_runs(1), 1U) << "the first one's";
}

class DevicesBeside : public DevicesRuns {
protected:
    void subscribe(base::Duration window) {
        auto put = std::make_unique<ports::PutWakeSubscription>();
        put->draft.agent_id = "coach";
        put->draft.types = {"ci.failed"};
        put->draft.window = window;
        ask(1, std::move(put));
        meet();
    }
    void emit(std::size_t device) {
        auto emit = std::make_unique<ports::EmitEvents>();
        model::Event event;
        event.type = "ci.failed";
        event.source = "t";
        event.user_id = "ada";
        event.payload = model::RawJson::trusted("{}");
        emit->entries.push_back({std::move(event), {}});
        ask(device, std::move(emit));
    }
    // The first device is at the timer, and the second one knows it.
    model::Wake begin_timer() {
        part();
        pass(base::minutes(10));
        const auto wake = claim(0, "coach");
        EXPECT_TRUE(wake);
        meet();
        return *wake;
    }
    model::Wake wake_by_request(std::size_t device) {
        auto command = std::make_unique<ports::WakeAgent>();
        command->agent_id = "coach";
        command->request_id = "now";
        return ask(device, std::move(command)).wake;
    }
};

TEST_F(DevicesBeside, an_event_that_comes_during_the_run_of_another_does_not_wait_for_it) {
    subscribe(base::Duration{});
    const model::Wake timer = begin_timer();
    EXPECT_FALSE(claim(1, "coach")) << "the timer is another's";
    emit(1);
    pass_on(1, base::milliseconds(1));
    const auto mine = claim(1, "coach");
    ASSERT_TRUE(mine) << "the other device does not know of the event";
    EXPECT_EQ(mine->reason, model::WakeReason::subscription);
    EXPECT_EQ(mine->signals, 1);
    end(1, *mine);
    end(0, timer);
    meet();
    pass(base::minutes(2));
    EXPECT_FALSE(claim(1, "coach"));
    EXPECT_EQ(state_of(1, timer.run_key), WakeState::not_needed);
}

TEST_F(DevicesBeside, what_was_collected_with_a_timer_that_another_runs_goes_on_at_once) {
    subscribe(base::minutes(30));
    emit(1);
    const model::Wake timer = begin_timer();
    const auto mine = claim(1, "coach");
    ASSERT_TRUE(mine) << "the event is still to be seen to";
    EXPECT_NE(mine->run_key, timer.run_key);
    EXPECT_EQ(mine->signals, 1);
    EXPECT_EQ(mine->reason, model::WakeReason::subscription);
    end(1, *mine);
    EXPECT_FALSE(claim(1, "coach")) << "the timer is another's";
    end(0, timer);
    meet();
    pass(base::minutes(2));
    EXPECT_FALSE(claim(1, "coach"));
}

TEST_F(DevicesBeside, a_request_that_comes_during_the_run_of_another_does_not_wait_for_it) {
    const model::Wake timer = begin_timer();
    EXPECT_FALSE(claim(1, "coach")) << "the timer is another's";
    const model::Wake asked = wake_by_request(1);
    const auto mine = claim(1, "coach");
    ASSERT_TRUE(mine);
    EXPECT_EQ(mine->id, asked.id);
    EXPECT_EQ(mine->signals, 1) << "it is there for the request alone";
    EXPECT_EQ(end(1, *mine).state, WakeState::completed);
    end(0, timer);
    meet();
    EXPECT_EQ(state_of(1, timer.run_key), WakeState::not_needed);
}

TEST_F(DevicesBeside, a_request_that_took_a_timer_along_keeps_its_id_when_another_runs_the_timer) {
    part();
    pass(base::minutes(10));
    const model::Wake asked = wake_by_request(1);
    ASSERT_EQ(asked.signals, 2) << "the timer has waited here, and is done along with the request";
    const auto timer = claim(0, "coach");
    ASSERT_TRUE(timer);
    meet();
    const auto mine = claim(1, "coach");
    ASSERT_TRUE(mine);
    EXPECT_EQ(mine->id, asked.id);
    EXPECT_EQ(mine->signals, 1) << "without the timer";
    EXPECT_EQ(end(1, *mine).state, WakeState::completed);
    EXPECT_FALSE(claim(1, "coach")) << "the timer is another's";
    end(0, *timer);
    meet();
    pass(base::minutes(2));
    EXPECT_FALSE(claim(1, "coach"));
}

TEST_F(DevicesBeside, a_request_that_took_a_timer_along_keeps_its_id_when_another_has_done_the_timer) {
    part();
    pass(base::minutes(10));
    const model::Wake asked = wake_by_request(1);
    ASSERT_EQ(asked.signals, 2);
    const auto timer = claim(0, "coach");
    ASSERT_TRUE(timer);
    end(0, *timer);
    meet();
    const auto mine = claim(1, "coach");
    ASSERT_TRUE(mine);
    EXPECT_EQ(mine->id, asked.id);
    EXPECT_EQ(mine->signals, 1);
    EXPECT_EQ(end(1, *mine).state, WakeState::completed);
}

TEST_F(DevicesRuns, who_is_alone_claims_nothing) {
    for (std::size_t other : {1U, 2U}) {
        auto revoke = std::make_unique<ports::RevokePeer>();
        revoke->key = on(other).peer_id();
        ask(0, std::move(revoke));
    }
    part();
    pass_on(0, base::minutes(10));
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    end(0, *wake);
    EXPECT_EQ(claims(0), 0);
}

TEST_F(DevicesRuns, runtime_leases_and_queues_never_leave_the_device) {
    pass(base::minutes(10));
    pass(base::seconds(2));  // in whichever place of the order it is
    std::set<std::string> kinds;
    const std::set<std::string> known{"agent",       "agent_state", "agent_message", "agent_subscription",
                                      "agent_timer", "task",        "category",      "link",
                                      "read_mark",   "run_claim",   "erasure"};
    for (const auto& link : links_) {
        link->spoil = [&](model::SyncMessage& message) {
            const auto* const frame = std::get_if<model::SyncFrame>(&message);
            if (frame == nullptr) return;
            for (const model::SyncEntry& entry : frame->entries) {
                kinds.insert(entry.record.kind);
                for (const char* const own : {"lease", "fence", "holder", "run_status", "active_run", "failure_streak",
                                              "attempts", "position", "revision"}) {
                    EXPECT_FALSE(entry.record.body.member(own)) << entry.record.kind << ' ' << own;
                }
            }
        };
    }
    const auto wake = claim(0, "coach");
    ASSERT_TRUE(wake);
    make_task(0, *wake);
    say(0, *wake, "hm");
    end(0, *wake);
    meet();
    EXPECT_TRUE(kinds.contains("run_claim") && kinds.contains("agent_message"));
    for (const std::string& kind : kinds) EXPECT_TRUE(known.contains(kind)) << kind;
}

}  // namespace
}  // namespace belfry::sim
