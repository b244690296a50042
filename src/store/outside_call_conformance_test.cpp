#include "store/notification_world_test.hpp"
#include "store/schema.hpp"

namespace belfry::store::testing {
namespace {

using model::OutsideCall;
using model::OutsideCallState;
using Numbers = std::vector<std::uint64_t>;

model::OutsideCallId id_of(std::uint64_t number) {
    return {uuid_of(number, 8)};
}

OutsideCall call(std::uint64_t number, const std::string& tool = "mail", const std::string& user = "ada") {
    OutsideCall made;
    made.id = id_of(number);
    made.tool_name = tool;
    made.operation_id = "op" + std::to_string(number);
    made.agent_id = "coach";
    made.user_id = user;
    made.wake_id = 3;
    made.action_id = uuid_of(number, 9);
    made.arguments = model::RawJson::trusted(R"({"to":"bob"})");
    made.deadline = at_second(100);
    made.created_at = at_second(static_cast<std::int64_t>(number));
    return made;
}

OutsideCall claimed(std::uint64_t number, std::int64_t until) {
    OutsideCall made = call(number);
    made.state = OutsideCallState::claimed;
    made.holder = "me";
    made.fence = 4;
    made.attempts = 2;
    made.lease_until = at_second(until);
    return made;
}

OutsideCall ended(std::uint64_t number, OutsideCallState state = OutsideCallState::done) {
    OutsideCall made = call(number);
    made.state = state;
    made.error_code = state == OutsideCallState::done ? "" : "full";
    made.ended_at = at_second(50);
    return made;
}

class OutsideCalls : public TableSuite {
protected:
    ports::OutsideCallTable& table() { return store().outside_calls(); }
    void put(const std::vector<OutsideCall>& calls) {
        for (const OutsideCall& one : calls) ASSERT_OK(table().put(one));
    }
    static Numbers numbers(const base::Result<std::vector<OutsideCall>>& found) {
        EXPECT_OK(found);
        Numbers all;
        for (const OutsideCall& one : *found) all.push_back(static_cast<std::uint64_t>(one.created_at.us / 1'000'000));
        return all;
    }
};
BELFRY_ON_BOTH_DATABASES(OutsideCalls);

TEST_P(OutsideCalls, keep_everything_and_change_what_may_change) {
    OutsideCall odd = call(1, std::string("o\"dd\0tool", 9));
    odd.by = model::ToolRunner::webhook;
    put({odd, claimed(2, 20), ended(3, OutsideCallState::abandoned)});
    EXPECT_EQ(**table().find(odd.id), odd);
    EXPECT_EQ(**table().find(id_of(2)), claimed(2, 20));
    EXPECT_EQ(**table().of_action(uuid_of(3, 9)), ended(3, OutsideCallState::abandoned));
    EXPECT_FALSE(table().find(id_of(9))->has_value());
    EXPECT_FALSE(table().of_action(uuid_of(9, 9))->has_value());
    put({ended(2)});
    OutsideCall expected = ended(2);
    EXPECT_EQ(**table().find(id_of(2)), expected);
}

TEST_P(OutsideCalls, the_oldest_that_waits_is_next_of_a_tool_and_of_users) {
    OutsideCall hook = call(1);
    hook.by = model::ToolRunner::webhook;
    put({hook, call(5), call(4, "mail", "bob"), call(3, "sms"), claimed(2, 20)});
    EXPECT_EQ((*table().next("mail", {}))->id, id_of(4)) << "neither a webhook's nor a claimed one";
    EXPECT_EQ((*table().next("mail", std::vector<std::string>{"ada", "eve"}))->id, id_of(5));
    EXPECT_EQ((*table().next("mail", std::vector<std::string>{"ada", "bob"}))->id, id_of(4));
    EXPECT_FALSE(table().next("mail", std::vector<std::string>{"eve"})->has_value());
    EXPECT_FALSE(table().next("fax", {})->has_value());
}

TEST_P(OutsideCalls, are_overdue_when_their_claim_or_their_time_has_run_out) {
    EXPECT_FALSE(table().next_due()->has_value());
    OutsideCall early = call(3);
    early.deadline = at_second(10);
    put({claimed(1, 20), claimed(2, 200), early, ended(4)});
    EXPECT_EQ(**table().next_due(), at_second(10));
    EXPECT_EQ(numbers(table().overdue(at_second(9), 10)), (Numbers{}));
    EXPECT_EQ(numbers(table().overdue(at_second(20), 10)), (Numbers{3, 1}));
    EXPECT_EQ(numbers(table().overdue(at_second(20), 1)), (Numbers{3}));
    EXPECT_EQ(numbers(table().overdue(at_second(100), 10)), (Numbers{3, 1, 2})) << "no claim outlives the time";
}

TEST_P(OutsideCalls, are_found_by_their_wake_while_they_are_open) {
    OutsideCall other = call(4);
    other.wake_id = 8;
    put({call(1), claimed(2, 20), ended(3), other});
    EXPECT_EQ(numbers(table().open_of_wake(3)), (Numbers{1, 2}));
    auto wakes = *table().waiting_wakes();
    std::ranges::sort(wakes);
    EXPECT_EQ(wakes, (std::vector<model::WakeId>{3, 8}));
    put({ended(1), ended(2)});
    EXPECT_EQ(*table().waiting_wakes(), (std::vector<model::WakeId>{8}));
}

TEST_P(OutsideCalls, are_listed_newest_first_page_by_page) {
    OutsideCall other = call(4, "sms", "bob");
    other.agent_id = "planner";
    put({call(1), call(2), ended(3), other});
    commit();
    const auto reading = world().reading();
    const auto list = [&](auto narrow) {
        ports::OutsideCallFilter filter;
        filter.limit = 10;
        narrow(filter);
        return numbers(reading->outside_calls().list(filter));
    };
    EXPECT_EQ(list([](auto&) {}), (Numbers{4, 3, 2, 1}));
    EXPECT_EQ(list([](auto& filter) { filter.user_id = "ada"; }), (Numbers{3, 2, 1}));
    EXPECT_EQ(list([](auto& filter) {
                  filter.user_id = "ada";
                  filter.state = OutsideCallState::queued;
              }),
              (Numbers{2, 1}));
    EXPECT_EQ(list([](auto& filter) { filter.agent_id = "planner"; }), (Numbers{4}));
    EXPECT_EQ(list([](auto& filter) {
                  filter.tool_name = "mail";
                  filter.limit = 2;
              }),
              (Numbers{3, 2}));
    EXPECT_EQ(list([](auto& filter) { filter.after = id_of(3); }), (Numbers{2, 1}));
    EXPECT_EQ((*reading->outside_calls().find(id_of(3)))->state, OutsideCallState::done);
}

TEST_P(OutsideCalls, go_with_their_wake_and_with_their_user) {
    model::Wake wake;
    wake.id = 3;
    wake.run_key = "k";
    wake.agent_id = "coach";
    wake.user_id = "ada";
    wake.state = model::WakeState::completed;
    wake.ended_at = at_second(10);
    ASSERT_OK(store().wakes().put(std::span(&wake, 1)));
    OutsideCall other = call(2, "mail", "bob");
    other.wake_id = 8;
    put({ended(1), other});
    EXPECT_EQ(*store().wakes().drop_ended(at_second(5), 10), 0U);
    EXPECT_TRUE(table().find(id_of(1))->has_value());
    EXPECT_EQ(*store().wakes().drop_ended(at_second(11), 10), 1U);
    EXPECT_FALSE(table().find(id_of(1))->has_value());
    put({ended(1)});
    ASSERT_OK(store().agents().erase_user("ada", 1000));
    EXPECT_FALSE(table().find(id_of(1))->has_value());
    EXPECT_TRUE(table().find(id_of(2))->has_value());
}

TEST_P(OutsideCalls, tools_keep_who_carries_them_out_and_those_of_version_7_are_carried_out_by_nobody) {
    model::ToolInfo tool;
    tool.name = "mail";
    tool.risk = model::ToolRisk::high;
    tool.capabilities = {"a", "o\"dd"};
    tool.wake_reasons = {model::WakeReason::timer, model::WakeReason::manual};
    tool.execution = {model::ToolRunner::webhook, "https://x/", "SECRET", base::seconds(90)};
    ASSERT_OK(store().tools().put(tool));
    EXPECT_EQ(**store().tools().find("mail"), tool);
    tool.capabilities.clear();
    ASSERT_OK(store().tools().put(tool));
    EXPECT_TRUE((*store().tools().find("mail"))->capabilities.empty()) << "none is not the same as not said";
    static constexpr Sql old{
        "INSERT INTO tools (name, impact, description, schema_json, updated_at) VALUES ($1, 0, $1, $2, 1)"};
    ASSERT_OK(store().database().run(old, {bytes("grep"), bytes("{}")}));
    const auto found = store().tools().find("grep");
    ASSERT_OK(found);
    EXPECT_EQ((*found)->execution, model::ToolExecution{});
    EXPECT_EQ((*found)->capabilities, (std::vector<std::string>{"tool:grep"}));
}

}  // namespace
}  // namespace belfry::store::testing
