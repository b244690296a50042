#include "sim/changes_world_test.hpp"

// How far an agent was woken for changes: after what went well, and never past what was not.
namespace belfry::sim {
namespace {

TEST_F(Changes, at_or_below_what_was_processed_wake_nobody) {
    settle_agent("coach");
    watch("coach", {"key:agentChanged"}, {}, {}, true);
    model::AgentRecord record = agent("coach");
    record.state.processed_counter_by_host["phone.1"] = 2;
    ASSERT_TRUE(store_->begin().ok());
    ASSERT_TRUE(store_->agents().put(std::span(&record, 1)).ok());
    ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    receive({foreign(1, "x"), foreign(2, "y")});
    live(base::seconds(2));
    EXPECT_FALSE(claim("coach"));
    receive({foreign(3, "z")});
    live(base::seconds(2));
    EXPECT_TRUE(claim("coach"));
}

TEST_F(Changes, what_was_processed_grows_after_a_run_that_went_well_and_no_other) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"id:pupil"});
    rename("pupil", "a");
    const std::uint64_t counter = unbatched().at(0).unit.counter;
    live(base::milliseconds(100));
    auto granted = claim("coach");
    ASSERT_TRUE(granted);
    EXPECT_EQ(processed("coach", host()), 0U);
    end(granted->wake, model::RunError{"t", "m"});
    EXPECT_EQ(processed("coach", host()), 0U);
    live(base::minutes(1));
    granted = claim("coach");
    ASSERT_TRUE(granted);
    end(granted->wake);
    EXPECT_GE(processed("coach", host()), counter);
    EXPECT_EQ(processed("coach", host()), settled(host()));
}

TEST_F(Changes, what_was_processed_never_passes_a_change_whose_job_has_not_ended) {
    settle_agent("coach");
    settle_agent("pupil");
    watch("coach", {"id:pupil"}, base::seconds(120));
    const model::Wake by_hand = wake_now("coach", "r");
    const auto running = claim("coach");
    ASSERT_TRUE(running);
    live(base::seconds(1));
    rename("pupil", "a");
    const std::uint64_t counter = unbatched().at(0).unit.counter;
    live(base::seconds(1));
    rename("coach", "b");
    live(base::seconds(1));
    EXPECT_GT(settled(host()), counter);
    end(running->wake);
    EXPECT_EQ(processed("coach", host()), counter - 1) << "its job waits";
    crash_and_open();
    wake_now("coach", "s");
    const auto folded = claim("coach");
    ASSERT_TRUE(folded);
    EXPECT_EQ(folded->signals.size(), 2U) << "what waited is done along with it";
    end(folded->wake);
    EXPECT_GT(processed("coach", host()), counter);
    const auto carried = in_store([](ports::ChangeTable& table) { return table.load_carried(); });
    EXPECT_TRUE(carried.empty());
}

TEST_F(Changes, what_was_processed_never_passes_a_gap) {
    settle_agent("coach");
    watch("coach", {"key:agentChanged"}, {}, {}, true);
    receive({foreign(1, "x"), foreign(3, "z")});
    live(base::seconds(1));
    auto granted = claim("coach");
    ASSERT_TRUE(granted);
    end(granted->wake);
    EXPECT_EQ(processed("coach", "phone.1"), 1U);
    receive({foreign(2, "y")});
    live(base::seconds(1));
    granted = claim("coach");
    ASSERT_TRUE(granted) << "what came late wakes all the same";
    end(granted->wake);
    EXPECT_EQ(processed("coach", "phone.1"), 3U);
}

}  // namespace
}  // namespace belfry::sim
