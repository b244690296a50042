#include "sim/engine_world_test.hpp"

// The way from events to notifications through the real engine and the real store, in time that the test gives.
namespace belfry::sim {
namespace {

class Notifications : public EngineWorld {
protected:
    // What is handed over arrives, and that is said.
    ports::PullReply pull(InjectAt point = InjectAt::turn_start) {
        ports::PullReply reply = EngineWorld::pull(point);
        if (reply.items.empty()) return reply;
        auto arrived = std::make_unique<ports::Acknowledge>();
        arrived->session_id = "s";
        arrived->pull_id = reply.pull_id;
        ask(std::move(arrived));
        return reply;
    }
};

using Counts = std::vector<std::int64_t>;

TEST_F(Notifications, a_batch_leaves_when_its_window_ends_and_not_before) {
    listen({subscriber("slow", "a.b")});
    open();
    emit("a.b");
    pass(base::milliseconds(1999));
    EXPECT_EQ(waiting_rows(), 1U);
    pass(base::milliseconds(1));
    EXPECT_EQ(waiting_rows(), 0U);
    EXPECT_EQ(pull().items.size(), 1U);
}

TEST_F(Notifications, repeats_are_counted_then_folded_then_begin_anew) {
    listen({subscriber("slow", "a.b")});
    open();
    emit("a.b", "t", model::Severity::info, 3);
    pass(base::seconds(2));  // left
    emit("a.b", "t", model::Severity::info, 2);
    auto first = pull();
    ASSERT_EQ(first.items.size(), 1U);
    EXPECT_EQ(counts(first.items[0]), Counts{3});
    pass(base::milliseconds(4999));
    EXPECT_TRUE(pull().items.empty());
    pass(base::milliseconds(1));
    auto second = pull();
    ASSERT_EQ(second.items.size(), 1U);
    EXPECT_EQ(counts(second.items[0]), Counts{2});
    EXPECT_TRUE(second.items[0].notification.follow_up);
    emit("a.b");
    auto third = pull();
    ASSERT_EQ(third.items.size(), 1U);
    EXPECT_FALSE(third.items[0].notification.follow_up);
}

TEST_F(Notifications, a_crash_at_any_point_of_a_window_changes_nothing) {
    listen({subscriber("slow", "a.b")});
    open();
    emit("a.b", "t", model::Severity::info, 2);
    crash();
    emit("a.b");
    crash();
    pass(base::seconds(2));
    crash();
    emit("a.b");
    crash();
    emit("a.b");
    auto first = pull();
    ASSERT_EQ(first.items.size(), 1U);
    EXPECT_EQ(counts(first.items[0]), Counts{3});
    crash();
    pass(base::seconds(5));
    crash();
    auto second = pull();
    ASSERT_EQ(second.items.size(), 1U);
    EXPECT_EQ(counts(second.items[0]), Counts{2});
    EXPECT_EQ(waiting_rows(), 0U);
}

TEST_F(Notifications, a_follow_up_begins_no_window_after_a_crash_either) {
    listen({subscriber("slow", "a.b")});
    open();
    emit("a.b");
    pass(base::seconds(2));  // left
    emit("a.b");
    pass(base::seconds(5));  // the follow-up has left, too
    EXPECT_EQ(pull().items.size(), 2U);
    crash();
    emit("a.b");
    pass(base::seconds(2));
    const auto last = pull();
    ASSERT_EQ(last.items.size(), 1U) << "what comes after a follow-up is new";
    EXPECT_FALSE(last.items[0].notification.follow_up);
}

TEST_F(Notifications, what_was_due_while_nobody_ran_leaves_at_the_next_start) {
    listen({subscriber("slow", "a.b")});
    open();
    emit("a.b");
    forget();
    now_ = now_ + base::hours(3);
    open();
    pass(base::Duration{0});
    EXPECT_EQ(waiting_rows(), 0U);
    EXPECT_EQ(pull().items.size(), 1U);
}

TEST_F(Notifications, repeats_leave_as_they_come_where_too_much_waits) {
    listen({subscriber("all", "x.y")});
    options_.waiting_bytes_max = 1000;
    open();
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 20; ++i) emit("x.y", "source" + std::to_string(i));
        if (round == 0) pass(base::seconds(3));
        EXPECT_LT(waiting_rows(), 8U) << round;
    }
    pass(base::minutes(1));
    std::int64_t events = 0;
    for (const ports::PulledItem& item : pull().items) {
        for (const std::int64_t count : counts(item)) events += count;
    }
    EXPECT_EQ(events, 40) << "and nothing is lost";
    EXPECT_EQ(waiting_rows(), 0U);
}

TEST_F(Notifications, critical_skips_batching_but_not_dedupe) {
    model::Subscriber alarm = subscriber("alarm", "a.b");
    alarm.priority = Priority::critical;
    alarm.inject_at = InjectAt::immediate;
    listen({alarm});
    open();
    emit("a.b", "t", model::Severity::critical, 4);
    auto first = pull(InjectAt::immediate);
    ASSERT_EQ(first.items.size(), 1U);
    EXPECT_EQ(counts(first.items[0]), Counts{1});
    pass(base::seconds(5));
    auto second = pull(InjectAt::immediate);
    ASSERT_EQ(second.items.size(), 1U);
    EXPECT_EQ(counts(second.items[0]), Counts{3});
}

TEST_F(Notifications, a_removed_subscriber_leaves_with_what_it_had_and_a_changed_one_keeps_its_batch) {
    model::Subscriber changing = subscriber("changing", "a.b");
    listen({subscriber("leaving", "a.b"), changing});
    open();
    emit("a.b");
    changing.priority = Priority::high;
    listen({changing});
    ask(std::make_unique<ports::ReloadSubscribers>());
    EXPECT_EQ(waiting_rows(), 1U);
    auto got = pull();
    ASSERT_EQ(got.items.size(), 2U);
    EXPECT_EQ(got.items[0].notification.subscriber_id, "changing");
    EXPECT_EQ(got.items[0].notification.priority, Priority::high);
    EXPECT_EQ(got.items[1].notification.subscriber_id, "leaving");
    emit("a.b");
    EXPECT_EQ(pull().items.size(), 0U) << "the second one is a repeat of what has left, the other is gone";
}

// Its repeats of before the change wait for the end of their window, what comes afterwards does not.
TEST_F(Notifications, a_low_subscriber_without_dedupe_from_now_on_counts_repeats_of_before_into_what_waits) {
    model::Subscriber low = subscriber("low", "a.b");
    low.priority = Priority::low;
    low.dedupe_window = base::seconds(60);
    listen({low});
    open();
    emit("a.b");
    ASSERT_EQ(pull(InjectAt::turn_end).items.size(), 1U);
    emit("a.b", "t", model::Severity::info, 3);  // in the window of the first
    low.dedupe_window = {};
    listen({low});
    ask(std::make_unique<ports::ReloadSubscribers>());
    emit("a.b");
    EXPECT_EQ(waiting_rows(), 2U);
    pass(base::seconds(60));
    EXPECT_EQ(waiting_rows(), 1U);
    const auto got = pull(InjectAt::turn_end);
    ASSERT_EQ(got.items.size(), 1U);
    EXPECT_EQ(counts(got.items[0]), Counts{4});
}

TEST_F(Notifications, rows_of_a_subscriber_that_went_while_nobody_ran_come_out_in_the_fallback_words) {
    listen({subscriber("gone", "a.b")});
    open();
    emit("a.b");
    forget();
    listen({});
    open();
    pass(base::seconds(2));
    auto got = pull();
    ASSERT_EQ(got.items.size(), 1U);
    EXPECT_EQ(got.items[0].notification.content, "gone[1]{type,source,message}:\n  a.b,t,m");
}

TEST_F(Notifications, a_transaction_that_fails_leaves_the_batches_as_they_were) {
    listen({subscriber("slow", "a.b")});
    open();
    emit("a.b");
    // A note to a session that the principal may not use fails as a command; a lost store fails as a transaction.
    store_->close();
    auto command = std::make_unique<ports::EmitEvents>();
    model::Event event;
    event.type = "a.b";
    event.source = "t";
    event.session_id = "s";
    event.user_id = "ada";
    event.payload = model::RawJson::trusted(R"({"message":"m"})");
    command->entries.push_back({std::move(event), {}});
    command->principal = model::house_principal();
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(command));
    crash();
    engine_->step(now_, std::move(group));
    auto got = pull();
    ASSERT_EQ(got.items.size(), 1U);
    EXPECT_EQ(counts(got.items[0]), Counts{2});
}

TEST_F(Notifications, an_unconfirmed_hand_over_is_due_again_when_its_lease_has_run_out) {
    model::Subscriber slow = subscriber("slow", "a.b");
    slow.inject_at = InjectAt::after_tool;
    listen({slow});
    open();
    emit("a.b");
    auto first = EngineWorld::pull(InjectAt::after_tool, base::seconds(10));
    ASSERT_EQ(first.items.size(), 1U);
    pass(base::milliseconds(9999));
    EXPECT_TRUE(EngineWorld::pull(InjectAt::after_tool).items.empty());
    pass(base::milliseconds(1));
    auto second = EngineWorld::pull(InjectAt::after_tool);
    ASSERT_EQ(second.items.size(), 1U);
    EXPECT_EQ(second.items[0].notification.lease, 2);
    EXPECT_EQ(second.items[0].handle, first.items[0].handle);
}

TEST_F(Notifications, an_erased_person_leaves_nothing_that_waits) {
    listen({subscriber("slow", "a.b")});
    open();
    emit("a.b");
    erase_user("ada");
    EXPECT_EQ(waiting_rows(), 0U);
    pass(base::seconds(10));
    EXPECT_TRUE(pull().items.empty());
}

TEST_F(Notifications, what_one_group_made_before_it_erased_its_person_is_erased_too) {
    model::Subscriber full = subscriber("full", "a.b");
    full.max_size = 1;
    listen({full});
    open();
    auto erase = std::make_unique<ports::EraseUser>();
    erase->user_id = "ada";
    ask(std::move(erase));
    const auto owed = engine_->tend(now_).owed;
    ASSERT_EQ(owed.size(), 1U);
    auto emits = std::make_unique<ports::EmitEvents>();
    emits->principal = model::house_principal();
    emits->entries.push_back({event_of_ada("a.b"), {}});
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(emits));
    for (int i = 0; i < 2; ++i) {
        auto slice = std::make_unique<ports::EraseSlice>();
        slice->principal = model::house_principal();
        slice->obligation = owed[0].id;
        slice->fence = owed[0].fence;
        group.push_back(std::move(slice));
    }
    const auto effects = engine_->step(now_, std::move(group));
    ASSERT_TRUE(static_cast<ports::EraseSlice&>(*effects.answered[2]).result()->finished);
    EXPECT_TRUE(pull().items.empty());
    ASSERT_TRUE(store_->begin().ok());
    EXPECT_TRUE(store_->notifications().created_since(base::Timestamp{})->empty());
    store_->rollback();
}

TEST_F(Notifications, what_is_said_in_a_session_after_its_erasure_does_not_bring_it_back) {
    open();
    auto erase = std::make_unique<ports::EraseUser>();
    erase->user_id = "ada";
    ask(std::move(erase));
    const auto owed = engine_->tend(now_).owed;
    ASSERT_EQ(owed.size(), 1U);
    auto session = std::make_unique<ports::PutSession>();
    session->session_id = "s";
    session->user_id = "ada";
    auto slice = std::make_unique<ports::EraseSlice>();
    slice->obligation = owed[0].id;
    slice->fence = owed[0].fence;
    auto message = std::make_unique<ports::PostMessage>();
    message->session_id = "s";
    message->content = "hello?";
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(session));
    group.push_back(std::move(slice));
    group.push_back(std::move(message));
    for (const ports::AnyCommand& command : group) command->principal = model::house_principal();
    const auto effects = engine_->step(now_, std::move(group));
    ASSERT_TRUE(store_->begin().ok());
    const auto found = store_->sessions().find(std::vector<std::string>{"s"});
    store_->rollback();
    ASSERT_TRUE(found.ok());
    for (const model::Session& one : *found) EXPECT_NE(one.user_id, "ada");
}

TEST_F(Notifications, an_erasure_leaves_what_waits_for_somebody_else_in_the_persons_session) {
    listen({subscriber("slow", "a.b")});
    open();
    auto session = std::make_unique<ports::PutSession>();
    session->session_id = "s";
    session->user_id = "grace";
    ask(std::move(session));
    emit("a.b");  // ada's, in a session of grace
    erase_user("grace");
    EXPECT_EQ(waiting_rows(), 1U);
    crash();
    pass(base::seconds(2));
    session = std::make_unique<ports::PutSession>();
    session->session_id = "s";
    session->user_id = "ada";
    ask(std::move(session));
    EXPECT_EQ(pull().items.size(), 1U);
}

TEST_F(Notifications, a_timeout_is_told_by_the_clock_alone) {
    listen({subscriber("watch", "budget.timeout.warning")});
    open();
    auto session = std::make_unique<ports::PutSession>();
    session->session_id = "s";
    session->user_id = "ada";
    session->budget = model::Budget{0, 0, 100, 0};
    ask(std::move(session));
    auto turn = std::make_unique<ports::ReportTurn>();
    turn->session_id = "s";
    ask(std::move(turn));
    pass(base::seconds(79));
    EXPECT_TRUE(pull().items.empty());
    crash();
    pass(base::seconds(1));
    EXPECT_EQ(pull().items.size(), 1U);
    pass(base::seconds(100));
    EXPECT_TRUE(pull().items.empty());
}

TEST_F(Notifications, a_timeout_that_is_told_later_since_a_restart_is_told_then) {
    listen({subscriber("watch", "budget.timeout.warning")});
    options_.monitor.timeout_percent = 50;
    open();
    auto session = std::make_unique<ports::PutSession>();
    session->session_id = "s";
    session->user_id = "ada";
    session->budget = model::Budget{0, 0, 100, 0};
    ask(std::move(session));
    auto turn = std::make_unique<ports::ReportTurn>();
    turn->session_id = "s";
    ask(std::move(turn));
    options_.monitor.timeout_percent = 90;
    crash();
    pass(base::seconds(60));
    EXPECT_TRUE(pull().items.empty());
    pass(base::seconds(35));
    pass(base::seconds(5));
    EXPECT_EQ(pull().items.size(), 1U);
}

TEST_F(Notifications, a_reminder_comes_from_the_agent_itself) {
    open();
    auto note = std::make_unique<ports::NotifySelf>();
    note->session_id = "s";
    note->message = "look at the tests";
    note->after_turns = 1;
    ask(std::move(note));
    auto turn = std::make_unique<ports::ReportTurn>();
    turn->principal = model::house_principal();
    turn->session_id = "s";
    std::vector<ports::AnyCommand> group;
    group.push_back(std::move(turn));
    const auto effects = engine_->step(now_, std::move(group));
    std::vector<std::string> sources;
    for (const model::SharedBlock& block : effects.published) {
        for (const model::LogEntry& entry : block->entries) {
            if (entry.facets.type != "agent.self.remind") continue;
            sources.push_back(model::JsonView{entry.body}.member("source")->as_text());
        }
    }
    EXPECT_EQ(sources, std::vector<std::string>{"agent"});
}

TEST_F(Notifications, what_missed_its_point_in_one_turn_comes_at_the_start_of_the_next) {
    model::Subscriber tool = subscriber("tool", "a.b");
    tool.inject_at = InjectAt::after_tool;
    listen({tool});
    open();
    name_session();
    EXPECT_TRUE(pull(InjectAt::turn_start).items.empty());
    emit("a.b");
    pass(base::seconds(2));
    EXPECT_TRUE(pull(InjectAt::immediate).items.empty());
    pass(base::seconds(1));
    EXPECT_TRUE(pull(InjectAt::turn_start).items.empty()) << "its turn may still be going on";
    pass(base::seconds(1));
    EXPECT_EQ(pull(InjectAt::turn_start).items.size(), 1U);
}

}  // namespace
}  // namespace belfry::sim
