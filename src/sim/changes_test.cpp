#include "sim/changes_world_test.hpp"

namespace belfry::sim {
namespace {

TEST_F(Changes, a_users_edit_is_recorded_with_it_and_wakes_who_watches_after_100_ms) {
    settle_agent("coach");
    settle_agent("pupil", "student");
    const auto rule = watch("coach", {"key:agentChanged"});
    live(base::seconds(1));
    rename("pupil", "Pip");
    const std::vector<model::Change> open = unbatched();
    ASSERT_EQ(open.size(), 1U) << "the state is as it was";
    EXPECT_EQ(open[0].unit.kind, "agent");
    EXPECT_EQ(open[0].unit.id, "pupil");
    EXPECT_EQ(open[0].unit.host, host());
    EXPECT_EQ(open[0].origin, model::ChangeOrigin{});
    EXPECT_EQ(open[0].clock.counter_of(host()), open[0].unit.counter);
    std::vector<std::string> tokens;
    for (const model::ChangeToken& token : open[0].tokens) tokens.push_back(model::to_text(token));
    EXPECT_EQ(tokens, (std::vector<std::string>{"key:agentChanged", "sub:agent/student", "id:pupil"}));
    live(base::milliseconds(99));
    EXPECT_FALSE(claim("coach"));
    live(base::milliseconds(1));
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    ASSERT_EQ(granted->signals.size(), 1U);
    const std::string batch = rules::batch_id(std::vector{open[0].unit});
    EXPECT_EQ(granted->signals[0].kind, model::SignalKind::change);
    EXPECT_EQ(granted->signals[0].key, batch);
    EXPECT_EQ(granted->wake.run_key, rules::subscription_run_key("coach", base::format_uuid(rule.id.uuid), batch));
}

TEST_F(Changes, what_changes_nothing_is_no_change) {
    settle_agent("coach");
    rename("coach", "coach");
    EXPECT_TRUE(unbatched().empty());
}

TEST_F(Changes, those_of_one_moment_are_one_batch_and_one_run) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"key:agentChanged"});
    watch("coach", {"id:pupil"});
    rename("pupil", "a");
    live(base::milliseconds(60));
    rename("pupil", "b");
    set_goal("pupil", "rest");
    live(base::milliseconds(40));
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    EXPECT_EQ(granted->signals.size(), 2U) << "of two subscriptions";
    EXPECT_EQ(granted->signals[0].key, granted->signals[1].key);
    end(granted->wake);
    live(base::seconds(10));
    EXPECT_FALSE(claim("coach"));
}

TEST_F(Changes, only_its_persons_records_wake_an_agent) {
    settle_agent("coach");
    make_agent("others", "", "bob");
    live(base::seconds(1));
    watch("coach", {"key:agentChanged"});
    rename("others", "x");
    live(base::seconds(1));
    EXPECT_FALSE(claim("coach"));
}

TEST_F(Changes, tokens_match_without_any_changed_record_being_read) {
    settle_agent("coach");
    for (int i = 0; i < 5; ++i) settle_agent("p" + std::to_string(i), "student");
    watch("coach", {"sub:agent/student"});
    for (int i = 0; i < 5; ++i) rename("p" + std::to_string(i), "new");
    agent_reads_.clear();
    now_ = now_ + base::milliseconds(100);
    engine_->tend(now_);
    EXPECT_EQ(agent_reads_, std::vector<std::size_t>{1}) << "who is woken, and nobody else";
    ASSERT_TRUE(claim("coach"));
}

TEST_F(Changes, predicates_see_the_changed_records_which_are_read_in_one_go) {
    settle_agent("coach");
    settle_agent("idler");
    for (int i = 0; i < 5; ++i) settle_agent("p" + std::to_string(i), "student");
    watch("coach", {"key:agentChanged"}, {}, R"(agent.kind == "student" and agent.display_name == "new3")");
    watch("idler", {"key:agentStateChanged"}, {}, R"(agent_state.slots.primary_goal == "sleep")");
    for (int i = 0; i < 5; ++i) rename("p" + std::to_string(i), "new" + std::to_string(i));
    set_goal("p1", "run");
    agent_reads_.clear();
    now_ = now_ + base::milliseconds(100);
    engine_->tend(now_);
    EXPECT_EQ(agent_reads_, (std::vector<std::size_t>{2, 5})) << "those who watch, and all that was changed";
    const auto granted = claim("coach");
    ASSERT_TRUE(granted);
    const auto changes = granted->signals.at(0).body.member("changes");
    ASSERT_TRUE(changes);
    EXPECT_NE(changes->text.find("\"p3\""), std::string_view::npos);
    EXPECT_EQ(changes->text.find("\"p2\""), std::string_view::npos) << "only what holds";
    EXPECT_FALSE(claim("idler"));
    set_goal("p1", "sleep");
    live(base::milliseconds(100));
    EXPECT_TRUE(claim("idler"));
}

TEST_F(Changes, an_agents_own_write_does_not_wake_it_and_a_users_edit_in_mid_run_wakes_it_once_more) {
    settle_agent("coach");
    watch("coach", {"key:agentStateChanged"});
    set_goal("coach", "begin");
    live(base::milliseconds(100));
    const auto first = claim("coach");
    ASSERT_TRUE(first);
    ASSERT_TRUE(set_own_goal(first->wake, "mine").ok());
    live(base::seconds(5));
    set_goal("coach", "theirs");
    ASSERT_TRUE(set_own_goal(first->wake, "mine again").ok());
    live(base::seconds(5));
    end(first->wake);
    const auto second = claim("coach");
    ASSERT_TRUE(second);
    EXPECT_EQ(second->wake.signals, 1);
    end(second->wake);
    live(base::hours(1));
    EXPECT_FALSE(claim("coach"));
    EXPECT_EQ(set_own_goal(second->wake, "late").error().reason, "stale_claim");
}

TEST_F(Changes, an_agents_write_wakes_another_and_what_belfry_notes_of_runs_wakes_nobody) {
    settle_agent("a");
    settle_agent("b");
    watch("a", {"key:agentStateChanged", "key:agentChanged"});
    watch("b", {"key:agentStateChanged", "key:agentChanged"});
    wake_now("a", "r");
    const auto first = claim("a");
    ASSERT_TRUE(first);
    ASSERT_TRUE(set_own_goal(first->wake, "mine").ok());
    end(first->wake);
    live(base::milliseconds(100));
    const auto second = claim("b");
    ASSERT_TRUE(second);
    end(second->wake);
    live(base::hours(1));
    EXPECT_FALSE(claim("a"));
    EXPECT_FALSE(claim("b"));
}

TEST_F(Changes, an_agent_that_rests_because_no_attempt_would_mend_its_work_wakes_who_watches_it) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"id:pupil"});
    for (std::int64_t failure = 1; failure <= base::limits::wake_failures_max; ++failure) {
        live(base::seconds(1));
        EXPECT_FALSE(claim("coach"));
        wake_now("pupil", std::to_string(failure));
        const auto granted = claim("pupil");
        ASSERT_TRUE(granted);
        auto command = std::make_unique<ports::EndWake>();
        command->id = granted->wake.id;
        command->fence = granted->wake.fence;
        command->error = model::RunError{"t", "m"};
        command->may_mend = false;
        ASSERT_TRUE(try_to(std::move(command)).ok());
    }
    EXPECT_EQ(agent("pupil").agent.lifecycle, model::AgentLifecycle::dormant);
    live(base::seconds(1));
    EXPECT_TRUE(claim("coach"));
}

TEST_F(Changes, synced_ones_are_collected_for_a_second_and_wake_only_who_asks_for_them) {
    settle_agent("here");
    settle_agent("both");
    watch("here", {"key:agentChanged"});
    watch("both", {"key:agentChanged"}, {}, {}, true);
    receive({foreign(1, "pupil")});
    live(base::milliseconds(999));
    EXPECT_FALSE(claim("both"));
    live(base::milliseconds(1));
    const auto granted = claim("both");
    ASSERT_TRUE(granted);
    model::Change local = foreign(1, "pupil");
    local.origin = {};
    EXPECT_EQ(granted->signals[0].key, rules::batch_id(std::vector{local.unit})) << "as its author has it";
    EXPECT_FALSE(claim("here"));
}

TEST_F(Changes, a_crash_before_the_batch_loses_none_and_makes_the_same_batch) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"key:agentChanged"});
    live(base::seconds(1));
    rename("pupil", "a");
    const std::string batch = rules::batch_id(std::vector{unbatched().at(0).unit});
    crash_and_open();
    const auto granted = [&] {
        live(base::milliseconds(100));
        return claim("coach");
    }();
    ASSERT_TRUE(granted);
    EXPECT_EQ(granted->signals[0].key, batch);
    crash_and_open();
    live(base::minutes(2));
    EXPECT_EQ(granted->wake.run_key, claim("coach")->wake.run_key) << "the batch is not made twice";
}

TEST_F(Changes, a_clock_that_is_set_back_does_not_make_a_batch_wait) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"key:agentChanged"});
    rename("pupil", "a");
    now_ = now_ - base::hours(2);
    engine_->clock_was_set_back(base::hours(2));
    live(base::milliseconds(100));
    EXPECT_TRUE(unbatched().empty());
    rename("pupil", "b");
    now_ = now_ - base::hours(2);
    crash_and_open();
    live(base::milliseconds(100));
    EXPECT_TRUE(unbatched().empty());
}

TEST_F(Changes, of_somebody_who_is_erased_leave_no_word_and_no_gap) {
    settle_agent("coach");
    make_agent("bobs", "bobskind", "bob");
    erase_user("bob");
    live(base::seconds(1));
    EXPECT_TRUE(unbatched("bob").empty());
    rename("coach", "after");
    live(base::seconds(1));
    const std::string here = host();
    const auto last = in_store([&](ports::ChangeTable& table) { return table.last_counter(here); });
    EXPECT_EQ(settled(here), last);
}

TEST_F(Changes, that_are_old_and_told_are_dropped) {
    settle_agent("coach");
    rename("coach", "a");
    live(base::seconds(1));
    const auto skip = [&](base::Duration span) {
        now_ = now_ + span;
        live({});
    };
    skip(base::days(29));
    EXPECT_GT(in_store([](ports::ChangeTable& table) { return table.last_number(); }), 0);
    skip(base::days(2));
    EXPECT_EQ(in_store([](ports::ChangeTable& table) { return table.last_number(); }), 0);
    const std::uint64_t before = settled(host());
    crash_and_open();
    rename("coach", "b");
    EXPECT_EQ(unbatched().at(0).unit.counter, before + 1) << "counters are never given twice";
}

}  // namespace
}  // namespace belfry::sim
