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
    std::int64_t value(const Sql& sql) {
        std::int64_t found = -1;
        EXPECT_OK(
            store().database().run(sql, {}, [&](const Row& row) { found = row.is_null(0) ? -2 : row.number(0); }));
        return found;
    }
    void script(const std::string& text) { ASSERT_OK(store().database().script(text)); }
};
BELFRY_ON_BOTH_DATABASES(Clock);

TEST_P(Clock, is_noted_and_its_newest_corrections_are_kept) {
    EXPECT_EQ(*table().latest(), base::Timestamp{});
    EXPECT_OK(table().note(at_second(70)));
    EXPECT_EQ(*table().latest(), at_second(70));
    std::vector<ports::ClockCorrection> made;
    for (std::int64_t i = 1; i <= 25; ++i) {
        made.push_back({at_second(i), base::hours(i), i, {{uuid_of(1, 5)}, {uuid_of(2, 5)}}, 2, 3});
        EXPECT_OK(table().add(made.back()));
    }
    const auto found = table().corrections();
    ASSERT_OK(found);
    ASSERT_EQ(found->size(), limits::clock_corrections_kept);
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

TEST_P(Clock, finds_agents_whose_state_was_written_in_the_future) {
    const auto put = [&](const std::string& id, std::int64_t updated, std::int64_t sleeps) {
        model::AgentRecord record;
        record.agent.id = id;
        record.agent.user_id = "ada";
        record.state.agent_id = id;
        record.state.updated_at = at_second(updated);
        record.state.sleep_until = at_second(sleeps);
        record.runtime.agent_id = id;
        ASSERT_OK(store().agents().put(std::span(&record, 1)));
    };
    put("a", 500, 600);
    put("b", 50, 600);
    put("c", 500, 400);
    put("d", 500, 501);
    EXPECT_EQ(*table().agents_ahead(at_second(100), "", 1), (std::vector<std::string>{"a"}));
    EXPECT_EQ(*table().agents_ahead(at_second(100), "a", 9), (std::vector<std::string>{"d"}));
}

// Waits that the clock as it is explains stay as they are; the others end, or begin again.
TEST_P(Clock, brings_waits_back_that_it_cannot_explain) {
    const base::Timestamp now = at_second(1000);
    const base::Timestamp far = now + base::days(9);
    const auto owe = [&](std::uint64_t number, base::Timestamp due, std::optional<base::Timestamp> claimed) {
        ports::Obligation one;
        one.id = uuid_of(number, 6);
        one.kind = "sink";
        one.due_at = due;
        one.claimed_until = claimed;
        ASSERT_OK(store().outbox().put(one));
    };
    owe(1, now + base::minutes(9), std::nullopt);
    owe(2, far, std::nullopt);
    owe(3, now, far);
    const auto changed = table().bring_back_deadlines(now);
    ASSERT_OK(changed);
    EXPECT_EQ(*changed, 2);
    EXPECT_EQ((*store().outbox().find(uuid_of(1, 6)))->due_at, now + base::minutes(9));
    EXPECT_EQ((*store().outbox().find(uuid_of(2, 6)))->due_at, now);
    EXPECT_EQ((*store().outbox().find(uuid_of(3, 6)))->claimed_until, now + limits::obligation_claim);
    EXPECT_EQ(*table().bring_back_deadlines(now), 0) << "they are right now";
}

}  // namespace
}  // namespace belfry::store::testing
