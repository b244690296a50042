#include "base/limits.hpp"
#include "base/timer_limits.hpp"
#include "store/clock_history.hpp"
#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

namespace limits = base::limits;

model::AgentTimer timer(std::uint64_t number, base::Timestamp counted_from) {
    model::AgentTimer made;
    made.id = {uuid_of(number, 5)};
    made.agent_id = "coach";
    made.user_id = number < 10 ? "ada" : "bob";
    made.name = "t" + std::to_string(number);
    made.schedule.when = model::Daily{{7, 30}};
    made.schedule.zone = "UTC";
    made.next_run_at = counted_from + base::hours(1);
    made.due_at = made.next_run_at;
    made.counted_from = counted_from;
    return made;
}

class Clock : public TableSuite {
protected:
    ports::ClockTable& table() { return store().clock(); }
    void put_agent(const std::string& id, const std::string& user, std::int64_t updated,
                   std::optional<std::int64_t> wakes, std::optional<std::int64_t> sleeps) {
        model::AgentRecord record;
        record.agent.id = id;
        record.agent.user_id = user;
        record.state.agent_id = id;
        record.state.updated_at = at_second(updated);
        if (wakes) record.state.next_wake_at = at_second(*wakes);
        if (sleeps) record.state.sleep_until = at_second(*sleeps);
        record.runtime.agent_id = id;
        ASSERT_OK(store().agents().put(std::span(&record, 1)));
    }
};
BELFRY_ON_BOTH_DATABASES(Clock);

TEST_P(Clock, is_noted_and_its_newest_corrections_are_kept) {
    EXPECT_EQ(*table().state(), ports::ClockState{});
    const ports::ClockState noted{at_second(70), at_second(90), at_second(60)};
    EXPECT_OK(table().put_state(noted));
    EXPECT_EQ(*table().state(), noted);
    std::vector<ports::ClockCorrection> made;
    for (std::int64_t i = 1; i <= 25; ++i) {
        made.push_back({at_second(i), base::hours(i), i, {{uuid_of(1, 5)}, {uuid_of(2, 5)}}, 2, 3});
        EXPECT_OK(table().add(made.back()));
    }
    const auto found = table().corrections();
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), limits::clock_corrections_kept) << "they are the largest, too";
    EXPECT_EQ(found->front(), made.back());
    EXPECT_EQ(found->back(), made[5]);
    const model::AgentTimer there = timer(2, at_second(0));
    EXPECT_OK(store().timers().put(std::span(&there, 1)));
    const auto steps = read_clock_history(store().database(), 14);
    ASSERT_OK(steps);
    EXPECT_EQ(steps->front().named,
              (std::vector<std::string>{"coach/t2, next " + base::format_timestamp(*there.next_run_at)}));
    EXPECT_TRUE(read_clock_history(store().database(), 13)->empty());
}

TEST_P(Clock, keeps_a_large_correction_though_many_small_ones_follow) {
    const ports::ClockCorrection large{at_second(1), base::days(9), 0, {}, 0, 0};
    EXPECT_OK(table().add(large));
    for (std::int64_t i = 2; i <= 100; ++i) EXPECT_OK(table().add({at_second(i), base::seconds(2), 0, {}, 0, 0}));
    const auto found = table().corrections();
    ASSERT_OK(found);
    EXPECT_LE(found->size(), 2 * limits::clock_corrections_kept);
    EXPECT_EQ(found->back(), large);
    EXPECT_OK(table().add({at_second(1) + limits::clock_correction_told, base::seconds(2), 0, {}, 0, 0}));
    EXPECT_NE(table().corrections()->back(), large) << "nobody is told of it any more";
}

TEST_P(Clock, finds_timers_that_count_from_the_future_and_those_that_rest) {
    std::vector<model::AgentTimer> all;
    for (std::uint64_t i = 1; i <= 5; ++i) all.push_back(timer(i, at_second(i == 2 ? 50 : 200)));
    all[2].active = false;
    all[3].counted_from = at_second(1);
    all[3].fault = "no data";
    EXPECT_OK(store().timers().put(all));
    const auto first = table().timers_ahead(at_second(100), {}, 2);
    ASSERT_OK(first);
    EXPECT_EQ(*first, (std::vector<model::TimerId>{all[0].id, all[3].id}));
    EXPECT_EQ(*table().timers_ahead(at_second(100), first->back(), 2), (std::vector<model::TimerId>{all[4].id}));
}

TEST_P(Clock, keeps_the_times_of_timers_until_they_or_their_user_go) {
    const std::vector<model::AgentTimer> all{timer(1, at_second(1)), timer(2, at_second(1)), timer(11, at_second(1))};
    EXPECT_OK(store().timers().put(all));
    std::vector<ports::ClockTable::TimerSpans> rows;
    for (const model::AgentTimer& one : all) rows.push_back({one.id, one.user_id, "[[1,2]]"});
    EXPECT_OK(table().put_spans(rows));
    rows[0].spans = "[[1,5]]";
    EXPECT_OK(table().put_spans(std::span(rows).first(1)));
    const std::vector<model::TimerId> ids{all[0].id, all[1].id, all[2].id};
    const auto found = table().spans(ids);
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), 3U);
    EXPECT_EQ(found->front().spans, "[[1,5]]");
    EXPECT_OK(store().timers().remove(all[1].id));
    EXPECT_EQ(table().spans(ids)->size(), 2U);
    while (*store().timers().erase_user("ada", 10) > 0) {
    }
    ASSERT_EQ(table().spans(ids)->size(), 1U);
    EXPECT_EQ(table().spans(ids)->front().user_id, "bob");
}

TEST_P(Clock, drops_the_times_of_timers_with_their_agent) {
    put_agent("coach", "ada", 1, {}, {});
    const std::vector<model::AgentTimer> all{timer(1, at_second(1)), timer(2, at_second(1))};
    EXPECT_OK(store().timers().put(all));
    std::vector<ports::ClockTable::TimerSpans> rows;
    for (const model::AgentTimer& one : all) rows.push_back({one.id, one.user_id, "[[1,2]]"});
    EXPECT_OK(table().put_spans(rows));
    EXPECT_OK(table().put_moved(std::vector<ports::SaidTimes>{{"coach", {{}, at_second(5), at_second(4)}, {}}}));
    EXPECT_EQ(rows_in("timer_spans"), 2);
    EXPECT_EQ(rows_in("moved_wake_times"), 1);
    while (*store().agents().drop("coach", 1) > 0) {
    }
    EXPECT_EQ(rows_in("agent_timers"), 0);
    EXPECT_EQ(rows_in("timer_spans"), 0);
    EXPECT_EQ(rows_in("moved_wake_times"), 0);
}

TEST_P(Clock, finds_agents_that_said_in_the_future_when_they_want_to_be_woken) {
    put_agent("a", "ada", 500, {}, 600);
    put_agent("b", "ada", 50, {}, 600);
    put_agent("c", "ada", 500, {}, 400);
    put_agent("d", "ada", 500, 501, {});
    put_agent("e", "ada", 50, 600, 600);
    put_agent("e", "ada", 500, 600, 600);  // something else of its state was written in the future
    const auto first = table().said_ahead(at_second(100), "", 1);
    ASSERT_OK(first);
    ASSERT_EQ(first->size(), 1U);
    EXPECT_EQ(first->front(), (ports::SaidTimes{"a", {at_second(500), {}, {}}, {at_second(500), {}, {}}}));
    const auto rest = table().said_ahead(at_second(100), "a", 9);
    ASSERT_OK(rest);
    ASSERT_EQ(rest->size(), 1U);
    EXPECT_EQ(rest->front().agent_id, "d");
    put_agent("e", "ada", 510, 620, 600);
    const auto changed = table().said_ahead(at_second(100), "d", 9);
    ASSERT_EQ(changed->size(), 1U);
    EXPECT_EQ(changed->front().wake.at, at_second(510));
    EXPECT_EQ(changed->front().sleep.at, at_second(50));
}

TEST_P(Clock, finds_agents_whose_times_would_be_over_by_a_jump) {
    put_agent("b", "ada", 20, {}, 40);   // said while the clock was behind
    put_agent("c", "bob", 20, {}, 900);  // after the jump
    put_agent("d", "ada", 2, {}, 40);    // said before
    put_agent("f", "bob", 20, 50, {});
    const ports::ClockJump jump{at_second(30), base::seconds(500), at_second(10)};
    const auto found = table().said_behind(jump, "", 9);
    ASSERT_OK(found);
    std::string ids;
    for (const ports::SaidTimes& one : *found) ids += one.agent_id;
    EXPECT_EQ(ids, "bf");
    EXPECT_EQ(found->front().sleep, (ports::SaidTime{at_second(20), {}, {}}));
}

TEST_P(Clock, goes_by_moved_times_here_while_the_records_stay) {
    put_agent("a", "ada", 20, 9500, 9600);
    put_agent("b", "bob", 20, 70, {});
    const std::vector<ports::SaidTimes> moved{
        {"a", {{}, at_second(9500), at_second(50)}, {{}, at_second(9600), at_second(40)}}, {"nobody", {}, {}}};
    EXPECT_OK(table().put_moved(moved));
    EXPECT_EQ(rows_in("moved_wake_times"), 1);
    using Wishes = std::vector<ports::WakeWish>;
    const auto due = [&](std::int64_t second) { return *store().timers().due_wishes(at_second(second), 9); };
    EXPECT_EQ(due(49), Wishes{});
    EXPECT_EQ(due(50), (Wishes{{"a", at_second(50)}}));
    EXPECT_EQ(due(9999), (Wishes{{"b", at_second(70)}, {"a", at_second(50)}}));
    EXPECT_EQ(*store().timers().next_due(), at_second(40)) << "the end of its sleep";
    EXPECT_EQ(*table().ended_sleeps(at_second(39), 9), std::vector<std::string>{});
    EXPECT_EQ(*table().ended_sleeps(at_second(40), 9), std::vector<std::string>{"a"});
    EXPECT_EQ(*table().moved_sleep("a", at_second(9600)), at_second(40));
    EXPECT_EQ(*table().moved_sleep("a", at_second(9601)), at_second(9601)) << "it is another sleep";
    EXPECT_EQ(*table().moved_sleep("b", at_second(9600)), at_second(9600));
    EXPECT_OK(table().carry_on_moved({at_second(45), base::seconds(100), at_second(10)}));
    EXPECT_EQ(due(149), (Wishes{{"b", at_second(70)}}));
    EXPECT_EQ(due(150).back(), (ports::WakeWish{"a", at_second(150)}));
    EXPECT_EQ(*table().moved_sleep("a", at_second(9600)), at_second(40)) << "it was over before the jump";
    put_agent("a", "ada", 30, 9700, 9600);
    EXPECT_EQ(due(9600), (Wishes{{"b", at_second(70)}})) << "it has said another time";
    EXPECT_OK(table().drop_moved());
    EXPECT_EQ(*table().moved_sleep("a", at_second(9600)), at_second(9600));
    EXPECT_OK(table().put_moved(moved));
    while (*store().agents().erase_user("ada", 10) > 0) {
    }
    EXPECT_EQ(rows_in("moved_wake_times"), 0) << "they go with their user";
}

TEST_P(Clock, knows_who_has_said_a_time) {
    using By = ports::SaidBy;
    put_agent("a", "ada", 500, 9500, 9600);
    const std::vector<ports::SaidTimes> moved{
        {"a", {{}, at_second(9500), at_second(50)}, {{}, at_second(9600), at_second(40)}}};
    EXPECT_OK(table().put_moved(moved));
    EXPECT_OK(table().note_said("a", By::this_device, By::nobody));
    EXPECT_EQ(store().timers().due_wishes(at_second(60), 9)->size(), 0U) << "the same time, said again, is not moved";
    EXPECT_EQ(*table().moved_sleep("a", at_second(9600)), at_second(40));
    EXPECT_EQ(table().said_ahead(at_second(100), "", 9)->size(), 1U);
    EXPECT_OK(table().note_said("a", By::another_device, By::nobody));
    const auto said = table().said_ahead(at_second(100), "", 9);
    ASSERT_EQ(said->size(), 1U);
    EXPECT_EQ(said->front().wake.at, base::Timestamp{});
    EXPECT_EQ(said->front().sleep.at, at_second(500));
    EXPECT_OK(table().note_said("a", By::nobody, By::another_device));
    EXPECT_EQ(table().said_ahead(at_second(100), "", 9)->size(), 0U);
}

TEST_P(Clock, dates_corrections_by_the_clock_that_is_right) {
    EXPECT_OK(table().add({at_second(5), base::days(9), 0, {}, 0, 0}));
    EXPECT_OK(table().add({at_second(20), base::days(9), 0, {}, 0, 0}));
    EXPECT_OK(table().carry_on_records({at_second(30), base::seconds(500), at_second(10)}));
    EXPECT_EQ(table().corrections()->front().noticed_at, at_second(520));
    EXPECT_EQ(table().corrections()->back().noticed_at, at_second(5));
}

}  // namespace
}  // namespace belfry::store::testing
