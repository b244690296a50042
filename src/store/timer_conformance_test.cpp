#include "base/date.hpp"
#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

model::AgentTimer timer(std::uint64_t number, std::int64_t next, const std::string& agent = "fixer") {
    model::AgentTimer made;
    made.id = {uuid_of(number, 5)};
    made.agent_id = agent;
    made.user_id = agent == "fixer" ? "ada" : "bob";
    made.name = "t" + std::to_string(number);
    made.schedule.when = model::Daily{{7, 30}};
    made.schedule.zone = "Europe/Berlin";
    made.next_run_at = at_second(next);
    made.due_at = made.next_run_at;
    made.begun_at = at_second(1);
    made.counted_from = at_second(2);
    made.created_at = at_second(1);
    made.updated_at = at_second(2);
    return made;
}

class Timers : public TableSuite {
protected:
    ports::TimerTable& table() { return store().timers(); }
    void put(const std::vector<model::AgentTimer>& timers) { ASSERT_OK(table().put(timers)); }
    static std::vector<std::string> names(const base::Result<std::vector<model::AgentTimer>>& found) {
        EXPECT_OK(found);
        std::vector<std::string> all;
        for (const model::AgentTimer& one : *found) all.push_back(one.name);
        return all;
    }
    void wish(const std::string& id, std::optional<base::Timestamp> at) {
        model::AgentRecord record;
        record.agent.id = id;
        record.agent.user_id = "ada";
        record.state.agent_id = id;
        record.state.next_wake_at = at;
        record.runtime.agent_id = id;
        ASSERT_OK(store().agents().put(std::span(&record, 1)));
    }
};
BELFRY_ON_BOTH_DATABASES(Timers);

using Names = std::vector<std::string>;

TEST_P(Timers, of_every_kind_are_read_as_they_were_written) {
    model::Cron cron{"30 2 * jan mon", {}};
    cron.pattern = {1ULL << 59, 1U << 23, 1U << 31, 1U << 12, 1U << 6, model::WallPattern::Days::either};
    std::vector<model::AgentTimer> all(5, timer(1, 10));
    all[1].schedule = {model::AtInstant{at_second(99)}, ""};
    all[2].schedule = {model::EveryInterval{base::minutes(90), at_second(3)}, ""};
    all[3].schedule = {model::Weekly{0x7f, {23, 59}}, "UTC"};
    all[4].schedule = {cron, "America/New_York"};
    all[4].active = false;
    all[4].next_run_at.reset();
    all[4].due_at.reset();
    all[4].last_scheduled_at = at_second(7);
    all[3].fault = "no data";
    all[3].due_at = at_second(70);
    all[2].input = model::RawJson::trusted(R"({"a":1})");
    all[2].priority = -3;
    for (std::uint64_t i = 0; i < all.size(); ++i) {
        all[i].id = {uuid_of(i + 1, 5)};
        all[i].name = "t" + std::to_string(i + 1);
    }
    put(all);
    for (const model::AgentTimer& one : all) EXPECT_EQ(**table().find(one.id), one) << one.name;
    all[0].name = "other";
    all[0].schedule = all[1].schedule;
    put({all[0]});
    EXPECT_EQ(**table().find_name("fixer", "other"), all[0]);
    EXPECT_EQ(*table().find_name("fixer", "t1"), std::nullopt);
    EXPECT_EQ(*table().count("fixer"), 5);
}

TEST_P(Timers, only_what_is_due_is_found_the_earliest_first) {
    EXPECT_EQ(*table().next_due(), std::nullopt);
    model::AgentTimer resting = timer(4, 5);
    resting.due_at = at_second(50);
    model::AgentTimer stopped = timer(5, 1);
    stopped.active = false;
    stopped.next_run_at.reset();
    stopped.due_at.reset();
    put({timer(1, 30), timer(2, 10), timer(3, 40), resting, stopped});
    EXPECT_EQ(*table().next_due(), at_second(10));
    EXPECT_EQ(names(table().due(at_second(9), 10)), Names{});
    EXPECT_EQ(names(table().due(at_second(40), 10)), (Names{"t2", "t1", "t3"}));
    EXPECT_EQ(names(table().due(at_second(40), 2)), (Names{"t2", "t1"}));
    EXPECT_EQ(names(table().due(at_second(50), 10)).size(), 4U);
}

TEST_P(Timers, the_wishes_of_agents_are_due_beside_them) {
    wish("a", at_second(20));
    wish("b", std::nullopt);
    wish("c", at_second(15));
    put({timer(1, 30)});
    EXPECT_EQ(*table().next_due(), at_second(15));
    const auto due = table().due_wishes(at_second(19), 10);
    EXPECT_OK(due);
    EXPECT_EQ(*due, (std::vector<ports::WakeWish>{{"c", at_second(15)}}));
    EXPECT_EQ(table().due_wishes(at_second(20), 10)->size(), 2U);
    EXPECT_EQ(table().due_wishes(at_second(20), 1)->size(), 1U);
}

TEST_P(Timers, an_agent_shows_which_of_its_timers_fires_next) {
    wish("fixer", std::nullopt);
    const std::string id = "fixer";
    const auto next = [&] { return store().agents().find(std::span(&id, 1))->front().next_timer_at; };
    EXPECT_EQ(next(), std::nullopt);
    put({timer(1, 30), timer(2, 10), timer(3, 5, "other")});
    EXPECT_EQ(next(), at_second(10));
    ASSERT_OK(table().stop_agent("fixer", at_second(8)));
    EXPECT_EQ(next(), std::nullopt);
    EXPECT_EQ(names(table().due(at_second(100), 10)), (Names{"t3"}));
    EXPECT_FALSE((*table().find({uuid_of(1, 5)}))->active);
    EXPECT_EQ((*table().find({uuid_of(1, 5)}))->updated_at, at_second(8));
}

TEST_P(Timers, that_rest_and_are_stopped_do_not_say_why_they_rested) {
    model::AgentTimer resting = timer(1, 30);
    resting.fault = "its zone is gone";
    put({resting});
    ASSERT_OK(table().stop_agent("fixer", at_second(8)));
    EXPECT_EQ((*table().find(resting.id))->fault, "");
}

TEST_P(Timers, go_alone_or_with_their_user) {
    put({timer(1, 30), timer(2, 10), timer(3, 5, "other")});
    EXPECT_TRUE(*table().remove({uuid_of(1, 5)}));
    EXPECT_FALSE(*table().remove({uuid_of(1, 5)}));
    EXPECT_EQ(*table().erase_user("ada", 10), 1U);
    EXPECT_EQ(*table().erase_user("ada", 10), 0U);
    EXPECT_EQ(rows_in("agent_timers"), 1);
}

TEST_P(Timers, that_do_not_fire_any_more_are_gone_through_by_id) {
    put({timer(1, 30), timer(2, 10), timer(3, 5, "other"), timer(4, 40)});
    ASSERT_OK(table().stop_agent("fixer", at_second(8)));
    EXPECT_EQ(names(table().ended({}, 2)), (Names{"t1", "t2"}));
    EXPECT_EQ(names(table().ended({uuid_of(2, 5)}, 2)), (Names{"t4"}));
    EXPECT_EQ(names(table().ended({uuid_of(4, 5)}, 2)), Names{});
}

TEST_P(Timers, go_with_their_agent_and_it_with_its_last_wake) {
    wish("fixer", std::nullopt);
    wish("other", std::nullopt);
    put({timer(1, 30), timer(2, 10), timer(3, 5, "other")});
    model::Wake wake;
    wake.id = 1;
    wake.run_key = "k";
    wake.agent_id = "fixer";
    wake.user_id = "ada";
    wake.state = model::WakeState::completed;
    wake.ended_at = at_second(1);
    ASSERT_OK(store().wakes().put(std::span(&wake, 1)));
    EXPECT_EQ(*store().agents().lives("", 10), (std::vector<ports::AgentLife>{{"fixer", {}}, {"other", {}}}));
    EXPECT_EQ(*store().agents().lives("fixer", 10), (std::vector<ports::AgentLife>{{"other", {}}}));
    EXPECT_EQ(store().agents().lives("", 1)->size(), 1U);
    EXPECT_EQ(*store().agents().drop("fixer", 1), 1U);
    EXPECT_EQ(*store().agents().drop("fixer", 10), 1U) << "its other timer";
    EXPECT_EQ(*store().agents().drop("fixer", 10), 0U) << "its wake is there";
    EXPECT_EQ(*store().wakes().drop_ended(at_second(2), 10), 1U);
    EXPECT_EQ(*store().agents().drop("fixer", 10), 3U);
    EXPECT_EQ(*store().agents().drop("fixer", 10), 0U);
    EXPECT_EQ(rows_in("agents"), 1);
    EXPECT_EQ(rows_in("agent_states"), 1);
    EXPECT_EQ(rows_in("agent_timers"), 1);
}

TEST_P(Timers, are_listed_by_when_they_fire_page_by_page) {
    model::AgentTimer stopped = timer(5, 1);
    stopped.active = false;
    stopped.next_run_at.reset();
    stopped.due_at.reset();
    put({timer(1, 30), timer(2, 10), timer(3, 20, "other"), timer(4, 10), stopped});
    commit();
    const auto reading = world().reading();
    const auto list = [&](ports::TimerFilter filter) {
        if (filter.limit == 0) filter.limit = 10;
        return names(reading->timers().list(filter));
    };
    EXPECT_EQ(list({}), (Names{"t2", "t4", "t3", "t1", "t5"}));
    ports::TimerFilter filter;
    filter.limit = 2;
    filter.after = ports::TimerPlace{at_second(10), {uuid_of(2, 5)}};
    EXPECT_EQ(list(filter), (Names{"t4", "t3"}));
    filter.after = ports::TimerPlace{std::nullopt, {uuid_of(5, 5)}};
    EXPECT_EQ(list(filter), Names{});
    ports::TimerFilter of_user;
    of_user.user_id = "bob";
    EXPECT_EQ(list(of_user), (Names{"t3"}));
    ports::TimerFilter of_agent;
    of_agent.agent_id = "fixer";
    EXPECT_EQ(list(of_agent), (Names{"t2", "t4", "t1", "t5"}));
    EXPECT_EQ((*reading->timers().find({uuid_of(3, 5)}))->name, "t3");
}

}  // namespace
}  // namespace belfry::store::testing
