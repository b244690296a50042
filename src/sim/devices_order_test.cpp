#include <map>

#include "ports/commands/delivery.hpp"
#include "rules/effect_id.hpp"
#include "rules/run_order.hpp"
#include "sim/devices_world_test.hpp"

// Devices that are linked, and come to the same run at the same moment. Acceptance 26.
namespace belfry::sim {
namespace {

class DevicesOrder : public DevicesTest {
protected:
    DevicesOrder() {
        make(3);
        create_agent(0, "coach");
        // Each has written something: a host that becomes known later ends the links for a moment.
        for (std::size_t i = 0; i < 3; ++i) create_task(i, "of " + on(i).name(), "known");
        meet();
    }
    // Time without work, in small steps at its end.
    void pass_until(base::Timestamp time) {
        while (clock_.now() + base::minutes(1) < time) pass(base::minutes(1));
        while (clock_.now() + base::milliseconds(100) < time) pass(base::milliseconds(100));
    }
    // Time in which messages between the devices take up to 50 ms, and each of the workers asks for work all the time.
    void work(base::Duration span, std::vector<std::size_t> workers = {0, 1, 2}) {
        constexpr base::Duration step = base::milliseconds(10);
        for (base::Duration passed; passed < span; passed = passed + step) {
            pass(step);
            for (const auto& link : links_) link->carry(clock_.now(), {0, 0, 0, base::milliseconds(50)});
            for (const std::size_t device : workers) take_work(device);
        }
    }
    void take_work(std::size_t device) {
        if (const auto at = at_work_.find(device); at != at_work_.end()) {
            if (at->second.second > clock_.now()) return;
            end(device, at->second.first);
            at_work_.erase(at);
        }
        const auto wake = claim(device, "coach");
        if (!wake) return;
        ++runs_[wake->run_key];
        begun_[wake->run_key] = clock_.now();
        at_work_.emplace(device, std::pair(*wake, clock_.now() + base::milliseconds(300)));
    }
    std::string host(std::size_t device) { return ask(device, hello_for(device)).host; }
    std::unique_ptr<ports::SayHello> hello_for(std::size_t device) {
        auto command = std::make_unique<ports::SayHello>();
        command->peer_id = on(device == 0 ? 1 : 0).peer_id();
        return command;
    }
    // The device that does not wait, and the one that waits longest.
    std::size_t first() {
        std::size_t best = 0;
        for (std::size_t i = 1; i < devices_.size(); ++i) best = host(i) > host(best) ? i : best;
        return best;
    }
    std::size_t last() {
        std::size_t least = 0;
        for (std::size_t i = 1; i < devices_.size(); ++i) least = host(i) < host(least) ? i : least;
        return least;
    }

    std::map<std::string, int> runs_;
    std::map<std::string, base::Timestamp> begun_;
    std::map<std::size_t, std::pair<model::Wake, base::Timestamp>> at_work_;
};

TEST_F(DevicesOrder, go_through_each_instant_of_a_timer_once) {
    const model::AgentTimer timer = add_timer(0, "coach", "10m");
    meet();
    for (int round = 0; round < 20; ++round) {
        pass_until(*timer.next_run_at + base::minutes(10) * round);
        work(base::seconds(4));
    }
    EXPECT_GE(runs_.size(), 18U);
    for (const auto& [key, count] : runs_) EXPECT_EQ(count, 1) << key;
    meet();
    expect_all_alike();
}

TEST_F(DevicesOrder, go_through_each_synced_change_once) {
    auto rule = std::make_unique<ports::PutWakeSubscription>();
    rule->draft.agent_id = "coach";
    rule->draft.tokens = {"key:TASK"};
    rule->draft.synced = true;
    ask(0, std::move(rule));
    meet();
    for (int round = 0; round < 20; ++round) {
        create_task(static_cast<std::size_t>(round) % 3, "t" + std::to_string(round), "Milk");
        work(base::seconds(3));
    }
    EXPECT_EQ(runs_.size(), 20U);
    for (const auto& [key, count] : runs_) EXPECT_EQ(count, 1) << key;
}

TEST_F(DevicesOrder, the_first_one_does_not_wait_and_the_last_one_waits_two_steps) {
    add_timer(0, "coach", "10m");
    meet();
    pass(base::minutes(10));
    EXPECT_TRUE(claim(first(), "coach"));
    EXPECT_FALSE(claim(last(), "coach"));
    pass(rules::claim_step * 2 - base::milliseconds(10));
    EXPECT_FALSE(claim(last(), "coach"));
    pass(base::milliseconds(20));
    EXPECT_TRUE(claim(last(), "coach")) << "nothing was carried, so no claim came";
}

TEST_F(DevicesOrder, a_claim_leaves_before_its_batch) {
    add_timer(0, "coach", "10m");
    meet();
    pass(base::minutes(10));
    ASSERT_TRUE(claim(first(), "coach"));
    for (int i = 0; i < 3; ++i) {
        pass(base::milliseconds(5));
        for (const auto& link : links_) link->carry(clock_.now(), {});
    }
    pass(rules::claim_step * 3);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(claim(i, "coach")) << i << ": the claim was there after 15 ms";
}

TEST_F(DevicesOrder, a_device_without_a_worker_holds_nobody_up_for_long) {
    add_timer(0, "coach", "10m");
    meet();
    pass(base::minutes(10));
    work(base::seconds(2), {last()});
    EXPECT_EQ(runs_.size(), 1U);
}

TEST_F(DevicesOrder, devices_that_are_apart_do_not_wait) {
    add_timer(0, "coach", "10m");
    meet();
    part();
    pass(base::minutes(10));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(claim(i, "coach")) << i;
}

TEST_F(DevicesOrder, a_change_that_wakes_this_device_only_does_not_wait) {
    auto rule = std::make_unique<ports::PutWakeSubscription>();
    rule->draft.agent_id = "coach";
    rule->draft.tokens = {"key:TASK"};
    ask(0, std::move(rule));
    meet();
    const std::size_t device = last();
    create_task(device, "t", "Milk");
    pass(base::milliseconds(110));
    EXPECT_TRUE(claim(device, "coach"));
}

TEST_F(DevicesOrder, what_a_lost_device_had_begun_is_taken_over_by_one) {
    add_timer(0, "coach", "10m");
    meet();
    pass(base::minutes(10));
    ASSERT_TRUE(claim(first(), "coach"));
    for (int i = 0; i < 20; ++i) {
        pass(base::milliseconds(10));
        for (const auto& link : links_) link->carry(clock_.now(), {});
    }
    for (const auto& link : links_) {
        if (link->joins(on(first()))) link->cut();
    }
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < 3; ++i) {
        if (i != first()) others.push_back(i);
    }
    pass(base::seconds(58));
    work(base::seconds(5), others);
    ASSERT_EQ(runs_.size(), 1U);
    EXPECT_EQ(runs_.begin()->second, 1);
}

TEST_F(DevicesOrder, a_device_that_was_off_waits_for_what_it_has_missed) {
    add_timer(0, "coach", "10m");
    meet();
    const std::size_t device = last();
    part();
    for (int round = 0; round < 3; ++round) {
        clock_.advance(base::minutes(10));
        for (std::size_t i = 0; i < 3; ++i) {
            if (i == device) continue;
            tend(i);
            if (const auto wake = claim(i, "coach")) end(i, *wake);
        }
    }
    on(device).crash();
    tend(device);
    EXPECT_FALSE(claim(device, "coach")) << "the others may have seen to it";
    meet();
    EXPECT_FALSE(claim(device, "coach")) << "they have";
}

TEST_F(DevicesOrder, a_device_that_was_off_and_finds_nobody_begins_after_some_seconds) {
    add_timer(0, "coach", "10m");
    meet();
    part();
    clock_.advance(base::minutes(25));
    on(last()).crash();
    tend(last());
    EXPECT_FALSE(claim(last(), "coach"));
    pass_on(last(), rules::catch_up_patience + rules::claim_step * 2);
    EXPECT_TRUE(claim(last(), "coach"));
}

TEST_F(DevicesOrder, a_device_that_starts_waits_for_its_links_before_it_begins_what_was_due) {
    add_timer(0, "coach", "10m");
    meet();
    pass(base::minutes(10));
    const std::size_t device = last();
    EXPECT_FALSE(claim(device, "coach"));
    pass_on(device, base::milliseconds(10));
    on(device).crash();
    pass_on(device, rules::catch_up_patience);
    EXPECT_FALSE(claim(device, "coach")) << "it does not forget to wait";
    pass_on(device, rules::claim_step * 2);
    EXPECT_TRUE(claim(device, "coach")) << "and waits no longer than that";
}

class DevicesTakeover : public DevicesOrder {
protected:
    // The last device knows that the first one has begun, and does not hear that it has ended.
    model::Wake begin() {
        add_timer(0, "coach", "10m");
        meet();
        pass(base::minutes(10));
        const auto wake = claim(first(), "coach");
        EXPECT_TRUE(wake);
        meet();
        EXPECT_FALSE(claim(last(), "coach"));
        part();
        end(first(), *wake);
        return *wake;
    }
};

TEST_F(DevicesTakeover, by_a_device_that_was_off_waits_until_it_has_heard_of_the_others) {
    begin();
    const std::size_t device = last();
    on(device).stop();
    clock_.advance(base::seconds(63));
    ASSERT_TRUE(on(device).start());
    tend(device);
    EXPECT_FALSE(claim(device, "coach")) << "the other one may have ended the run meanwhile";
    meet();
    EXPECT_FALSE(claim(device, "coach")) << "it has";
}

TEST_F(DevicesTakeover, by_a_device_that_was_asleep_waits_until_it_has_heard_of_the_others) {
    begin();
    clock_.advance(base::seconds(63));
    on(last()).machine().engine().clock_jumped_ahead();
    tend(last());
    EXPECT_FALSE(claim(last(), "coach"));
    meet();
    EXPECT_FALSE(claim(last(), "coach"));
}

TEST_F(DevicesTakeover, by_a_device_that_was_off_and_finds_nobody_begins_after_some_seconds) {
    const model::Wake wake = begin();
    const std::size_t device = last();
    on(device).stop();
    clock_.advance(base::seconds(63));
    ASSERT_TRUE(on(device).start());
    tend(device);
    EXPECT_FALSE(claim(device, "coach"));
    pass_on(device, rules::catch_up_patience + rules::claim_step * 2);
    const auto again = claim(device, "coach");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->run_key, wake.run_key);
}

TEST_F(DevicesTakeover, begins_at_once_when_the_first_device_has_failed) {
    add_timer(0, "coach", "10m");
    meet();
    for (int firing = 0; firing < 6; ++firing) {
        runs_.clear();
        while (true) {
            pass(base::seconds(20));
            for (const auto& link : links_) link->carry(clock_.now(), {});
            const auto wake = claim(first(), "coach");
            if (!wake) continue;
            auto command = std::make_unique<ports::EndWake>();
            command->id = wake->id;
            command->fence = wake->fence;
            command->error = model::RunError{"model_refused", "no key"};
            ask(first(), std::move(command));
            break;
        }
        work(base::seconds(2), {last()});
        ASSERT_EQ(runs_.size(), 1U) << firing << ": the last device has the run within two seconds";
        meet();
        const model::AgentRecord now = agent(first(), "coach");
        EXPECT_EQ(now.agent.lifecycle, model::AgentLifecycle::active) << firing;
    }
}

// A store that is set up from a backup of another device's store has the same device part in its host.
TEST_F(DevicesOrder, two_devices_whose_stores_come_from_one_backup_go_through_each_instant_once) {
    const model::AgentTimer timer = add_timer(0, "coach", "10m");
    meet();
    part();
    ASSERT_TRUE(on(2).restore(on(1).back_up()));
    const auto device_of = [](const std::string& host) { return host.substr(0, host.find('.')); };
    ASSERT_EQ(device_of(host(1)), device_of(host(2)));
    links_.clear();
    pair(0, 1);
    pair(0, 2);
    pair(1, 2);
    meet();
    for (const std::size_t device : {1U, 2U}) create_task(device, "of the new " + on(device).name(), "known");
    meet();
    for (int round = 0; round < 6; ++round) {
        pass_until(*timer.next_run_at + base::minutes(10) * round);
        work(base::seconds(4), {1, 2});
    }
    EXPECT_GE(runs_.size(), 5U);
    for (const auto& [key, count] : runs_) EXPECT_EQ(count, 1) << key;
}

class DevicesPlans : public DevicesOrder {
protected:
    // Two actions of one run, in the words of the device.
    void act(std::size_t device, const model::Wake& wake) {
        const std::string said = "idea of " + on(device).name();
        auto plan = std::make_unique<ports::StorePlan>();
        plan->id = wake.id;
        plan->fence = wake.fence;
        plan->actions.push_back(action("create_task", R"({"title":")" + said + R"("})"));
        plan->actions.push_back(action("notify_user", R"({"text":")" + said + R"("})"));
        plan->actions.push_back(action("set_state", R"({"goal":")" + said + R"("})"));
        const auto stored = ask(device, std::move(plan));
        for (const model::PlannedAction& one : stored.plan.plan.actions) {
            auto call = std::make_unique<ports::CallTool>();
            call->id = wake.id;
            call->fence = wake.fence;
            call->operation_id = one.operation_id;
            const ports::CalledTool done = ask(device, std::move(call));
            ASSERT_TRUE(done.result);
            EXPECT_EQ(done.result->metadata.error_message, "") << one.tool_name;
            actions_[one.tool_name] = done.action.id;
            operations_[one.tool_name] = one.operation_id;
        }
    }
    static model::PlannedAction action(const std::string& tool, const std::string& arguments) {
        model::PlannedAction one;
        one.tool_name = tool;
        one.arguments = model::RawJson::trusted(arguments);
        return one;
    }
    std::string remembered(std::size_t device, const std::string& tool) {
        store::SqlStore& store = on(device).machine().store();
        EXPECT_TRUE(store.begin().ok());
        const auto found = store.agent_messages().find(std::span(&actions_.at(tool), 1));
        store.rollback();
        return found.ok() && !found->empty() ? found->front().content.bytes() : std::string();
    }
    model::Notification notice(std::size_t device) {
        const model::NotificationId id{rules::told_notification_id("coach", operations_.at("notify_user"))};
        store::SqlStore& store = on(device).machine().store();
        EXPECT_TRUE(store.begin().ok());
        auto found = store.notifications().find(id);
        store.rollback();
        return found.ok() && *found ? std::move(**found) : model::Notification{};
    }
    std::string told(std::size_t device) { return notice(device).text; }

    std::map<std::string, base::Uuid> actions_;
    std::map<model::ToolStatus, base::Uuid> results_;
    std::map<std::string, std::string> operations_;
};

TEST_F(DevicesPlans, that_differ_end_as_one_story_in_journal_memory_and_inboxes) {
    add_timer(0, "coach", "10m");
    meet();
    part();
    pass(base::minutes(10));
    for (std::size_t i = 0; i < 3; ++i) {
        const auto wake = claim(i, "coach");
        ASSERT_TRUE(wake) << i;
        act(i, *wake);
        end(i, *wake);
    }
    meet();
    const std::string kept = "idea of " + on(first()).name();
    for (std::size_t i = 0; i < 3; ++i) {
        std::size_t tasks = 0;
        for (const auto& [id, task] : look(i).tasks) {
            if (!task.title.starts_with("idea of")) continue;
            EXPECT_EQ(task.title, kept) << i;
            ++tasks;
        }
        EXPECT_EQ(tasks, 1U) << i;
        EXPECT_NE(remembered(i, "create_task").find(kept), std::string::npos) << i;
        EXPECT_NE(remembered(i, "notify_user").find(kept), std::string::npos) << i;
        EXPECT_NE(remembered(i, "set_state").find(kept), std::string::npos) << i;
        EXPECT_EQ(agent(i, "coach").state.slots.primary_goal, kept) << i;
        EXPECT_EQ(told(i), kept) << i;
    }
    expect_all_alike();
}

TEST_F(DevicesPlans, that_differ_change_a_notice_that_the_user_has_read_without_telling_it_again) {
    add_timer(0, "coach", "10m");
    meet();
    part();
    pass(base::minutes(10));
    for (const std::size_t i : {first(), last()}) {
        const auto wake = claim(i, "coach");
        ASSERT_TRUE(wake) << i;
        act(i, *wake);
        end(i, *wake);
        const model::Notification there = notice(i);
        auto read = std::make_unique<ports::AckNotification>();
        read->which.key = base::format_uuid(there.id.uuid);
        read->lease = there.lease;
        read->version = there.version;
        ask(i, std::move(read));
    }
    const std::int64_t version = notice(last()).version;
    meet();
    EXPECT_EQ(told(last()), "idea of " + on(first()).name());
    EXPECT_EQ(notice(last()).version, version + 1);
    EXPECT_NE(notice(last()).content.find("idea of " + on(first()).name()), std::string::npos);
    EXPECT_EQ(notice(last()).state, model::DeliveryState::delivered);
    expect_all_alike();
}

TEST_F(DevicesPlans, of_a_success_and_a_failure_of_one_operation_the_success_is_remembered) {
    add_timer(0, "coach", "10m");
    meet();
    part();
    pass(base::minutes(10));
    const auto call = [this](std::size_t device, const std::string& category) {
        const auto wake = claim(device, "coach");
        ASSERT_TRUE(wake);
        auto plan = std::make_unique<ports::StorePlan>();
        plan->id = wake->id;
        plan->fence = wake->fence;
        const std::string arguments = R"({"title":"in )" + category + R"(","categoryId":")" + category + R"("})";
        plan->actions.push_back(action("create_task", arguments));
        const auto stored = ask(device, std::move(plan));
        auto command = std::make_unique<ports::CallTool>();
        command->id = wake->id;
        command->fence = wake->fence;
        command->operation_id = stored.plan.plan.actions.front().operation_id;
        const ports::CalledTool done = ask(device, std::move(command));
        ASSERT_TRUE(done.result);
        actions_["create_task"] = done.action.id;
        results_[done.result->metadata.status.value()] = done.result->id;
        end(device, *wake);
    };
    call(first(), "nowhere");
    call(last(), "general");
    ASSERT_EQ(results_.size(), 2U) << "the greater host failed, the other one did not";
    EXPECT_EQ(results_.begin()->second, results_.rbegin()->second) << "and both are results of one action";
    meet();
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NE(remembered(i, "create_task").find("in general"), std::string::npos) << i;
        std::size_t tasks = 0;
        for (const auto& [id, task] : look(i).tasks) tasks += task.title == "in general" ? 1U : 0U;
        EXPECT_EQ(tasks, 1U) << i;
        store::SqlStore& store = on(i).machine().store();
        ASSERT_TRUE(store.begin().ok());
        const auto result = store.agent_messages().result_of(actions_.at("create_task"));
        store.rollback();
        ASSERT_TRUE(result.ok() && result->has_value());
        EXPECT_EQ((*result)->metadata.status, model::ToolStatus::success) << i;
    }
    expect_all_alike();
}

TEST_F(DevicesPlans, that_differ_in_the_labels_of_one_task_end_with_the_labels_of_the_greater_host) {
    for (const std::string label : {"l1", "l2"}) {
        auto command = std::make_unique<ports::CreateRecord>();
        command->user_id = "ada";
        command->id = label;
        tools::WishOf<model::Label> wish;
        command->wish = wish.set(&model::Label::name, label);
        ask(0, std::move(command));
    }
    add_timer(0, "coach", "10m");
    meet();
    part();
    pass(base::minutes(10));
    std::string id;
    for (const auto& [device, label] : {std::pair(first(), "l1"), std::pair(last(), "l2")}) {
        const auto wake = claim(device, "coach");
        ASSERT_TRUE(wake);
        auto plan = std::make_unique<ports::StorePlan>();
        plan->id = wake->id;
        plan->fence = wake->fence;
        plan->actions.push_back(
            action("create_task", std::string(R"({"title":"idea","labelIds":[")") + label + R"("]})"));
        const auto stored = ask(device, std::move(plan));
        auto call = std::make_unique<ports::CallTool>();
        call->id = wake->id;
        call->fence = wake->fence;
        call->operation_id = stored.plan.plan.actions.front().operation_id;
        const ports::CalledTool done = ask(device, std::move(call));
        ASSERT_TRUE(done.result);
        EXPECT_EQ(done.result->metadata.error_message, "");
        end(device, *wake);
    }
    meet();
    for (std::size_t i = 0; i < 3; ++i) {
        std::string row;
        const DevicesLook now = look(i);
        for (const std::string& one : now.rows.at("journal_tasks")) {
            if (one.find("title=idea") != std::string::npos) row = one;
        }
        EXPECT_NE(row.find("l1"), std::string::npos) << row;
        EXPECT_EQ(row.find("l2"), std::string::npos) << row;
    }
    expect_all_alike();
}

}  // namespace
}  // namespace belfry::sim
