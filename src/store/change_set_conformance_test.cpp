#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

using model::ChangeItemState;
using Numbers = std::vector<std::int64_t>;

class ChangeSets : public TableSuite {
protected:
    ports::ChangeSetTable& table() { return store().change_sets(); }

    static model::ChangeSet set(std::uint64_t number, const std::string& user = "ada",
                                const std::string& agent = "coach") {
        model::ChangeSet made;
        made.id = {uuid_of(number, 9)};
        made.wake_id = static_cast<std::int64_t>(number) + 100;
        made.user_id = user;
        made.agent_id = agent;
        made.agent_name = "The " + agent;
        made.run_id = 7;
        made.thread_id = "thread";
        made.session_id = "s1";
        made.reason = model::WakeReason::timer;
        made.depth = 3;
        made.counts = {2, 1, 0, 4};
        made.created_at = at_second(1);
        made.updated_at = at_second(2);
        return made;
    }
    static model::ChangeItem item(std::int64_t number) {
        model::ChangeItem made;
        made.number = number;
        made.tool_name = "create_task";
        made.arguments = model::RawJson::trusted(R"({"title":"Run"})");
        made.operation_id = "o" + std::to_string(number);
        made.changes = model::RawJson::trusted(R"([{"change":"made"}])");
        made.created_at = at_second(3);
        return made;
    }
    model::ChangeSet add(model::ChangeSet made, std::optional<base::Timestamp> decided_at = {}) {
        made.decided_at = decided_at;
        auto ordinal = table().add(made);
        EXPECT_OK(ordinal);
        made.ordinal = *ordinal;
        return made;
    }
    // Readers see what is committed.
    Numbers list(const ports::ChangeSetFilter& filter) {
        const auto found = world().reading()->change_sets().list(filter);
        EXPECT_OK(found);
        Numbers ordinals;
        for (const model::ChangeSet& one : *found) ordinals.push_back(one.ordinal);
        return ordinals;
    }
};
BELFRY_ON_BOTH_DATABASES(ChangeSets);

TEST_P(ChangeSets, come_back_as_they_were_written) {
    const model::ChangeSet first = add(set(1));
    const model::ChangeSet second = add(set(2), at_second(9));
    EXPECT_EQ(first.ordinal, 1);
    EXPECT_EQ(second.ordinal, 2);
    EXPECT_EQ(*table().find(first.id), first);
    EXPECT_EQ(*table().of_wake(102), second);
    EXPECT_EQ(*table().of_wake(103), std::nullopt);
    EXPECT_EQ(*table().find({uuid_of(3, 9)}), std::nullopt);
    ASSERT_OK(table().add_item(first.ordinal, item(2)));
    ASSERT_OK(table().add_item(first.ordinal, item(1)));
    ASSERT_OK(table().add_item(second.ordinal, item(1)));
    EXPECT_EQ(*table().items(first.ordinal), (std::vector{item(1), item(2)}));
    EXPECT_EQ(*table().item(first.ordinal, 2), item(2));
    EXPECT_EQ(*table().item(first.ordinal, 3), std::nullopt);
}

TEST_P(ChangeSets, come_of_policies_that_are_kept_with_the_agent) {
    model::AgentRecord agent;
    agent.agent.id = "coach";
    agent.state.agent_id = agent.runtime.agent_id = "coach";
    agent.agent.tool_policies = {{"*", model::ToolPolicy::propose}, {"notify_user", model::ToolPolicy::ask}};
    ASSERT_OK(store().agents().put(std::vector{agent}));
    const auto policies = [&] {
        return store().agents().find(std::vector<std::string>{"coach"})->at(0).agent.tool_policies;
    };
    EXPECT_EQ(policies(), agent.agent.tool_policies);
    agent.agent.tool_policies = {{"*", model::ToolPolicy::run}};
    ASSERT_OK(store().agents().put(std::vector{agent}));
    EXPECT_EQ(policies(), agent.agent.tool_policies);
    static constexpr Sql as_of_version_7{"UPDATE agents SET tool_policies_json = NULL"};
    ASSERT_OK(store().database().run(as_of_version_7, {}));
    EXPECT_TRUE(policies().empty());
}

TEST_P(ChangeSets, a_wake_has_one) {
    add(set(1));
    model::ChangeSet again = set(2);
    again.wake_id = 101;
    EXPECT_FALSE(table().add(again).ok());
}

TEST_P(ChangeSets, counts_and_times_change_and_nothing_else) {
    model::ChangeSet one = add(set(1));
    model::ChangeSet other = add(set(2));
    one.counts = {0, 5, 6, 7};
    one.updated_at = at_second(20);
    one.decided_at = at_second(21);
    ASSERT_OK(table().update(one));
    EXPECT_EQ(*table().find(one.id), one);
    EXPECT_EQ(*table().find(other.id), other);
}

TEST_P(ChangeSets, an_item_comes_to_its_end_once) {
    const model::ChangeSet one = add(set(1));
    ASSERT_OK(table().add_item(one.ordinal, item(1)));
    ASSERT_OK(table().add_item(one.ordinal, item(2)));
    model::ChangeItem done = item(1);
    done.state = ChangeItemState::failed;
    done.error_code = "out_of_scope";
    done.error_message = "no";
    done.decided_by = "token:1";
    done.decided_at = at_second(5);
    done.result = model::RawJson::trusted(R"({"a":1})");
    EXPECT_TRUE(*table().settle_item(one.ordinal, done));
    EXPECT_EQ(*table().item(one.ordinal, 1), done);
    EXPECT_EQ(*table().item(one.ordinal, 2), item(2));
    model::ChangeItem other = done;
    other.state = ChangeItemState::accepted;
    EXPECT_FALSE(*table().settle_item(one.ordinal, other));
    EXPECT_EQ(*table().item(one.ordinal, 1), done);
}

TEST_P(ChangeSets, are_listed_by_their_place_and_by_what_is_asked_for) {
    add(set(1));
    add(set(2), at_second(9));
    add(set(3, "ada", "planner"));
    add(set(4, "bob", "helper"));
    EXPECT_EQ(*table().count_open("ada"), 2);
    EXPECT_EQ(*table().count_open("bob"), 1);
    commit();
    EXPECT_EQ(list({"", "", true, 0, 10}), (Numbers{1, 3, 4}));
    EXPECT_EQ(list({"", "", false, 0, 10}), (Numbers{1, 2, 3, 4}));
    EXPECT_EQ(list({"ada", "", true, 0, 10}), (Numbers{1, 3}));
    EXPECT_EQ(list({"ada", "", false, 1, 1}), (Numbers{2}));
    EXPECT_EQ(list({"", "coach", false, 0, 10}), (Numbers{1, 2}));
    EXPECT_EQ(list({"ada", "coach", true, 0, 10}), (Numbers{1}));
    EXPECT_EQ(list({"bob", "coach", false, 0, 10}), (Numbers{})) << "another one's agent";
}

TEST_P(ChangeSets, are_read_with_their_items) {
    const model::ChangeSet one = add(set(1));
    ASSERT_OK(table().add_item(one.ordinal, item(1)));
    commit();
    const auto found = world().reading()->change_sets().find(one.id);
    ASSERT_OK(found);
    EXPECT_EQ(*found, (model::ProposedChanges{one, {item(1)}}));
    EXPECT_EQ(*world().reading()->change_sets().find({uuid_of(2, 9)}), std::nullopt);
}

TEST_P(ChangeSets, go_when_they_were_decided_long_ago) {
    const model::ChangeSet open = add(set(1));
    const model::ChangeSet old = add(set(2), at_second(5));
    const model::ChangeSet young = add(set(3), at_second(7));
    for (const model::ChangeSet* one : {&open, &old, &young}) ASSERT_OK(table().add_item(one->ordinal, item(1)));
    EXPECT_EQ(*table().drop_decided(at_second(7), 10), 1U);
    EXPECT_EQ(*table().find(old.id), std::nullopt);
    EXPECT_TRUE(table().items(old.ordinal)->empty());
    EXPECT_EQ(table().items(open.ordinal)->size(), 1U);
    EXPECT_EQ(table().items(young.ordinal)->size(), 1U);
    EXPECT_EQ(*table().drop_decided(at_second(7), 10), 0U);
}

TEST_P(ChangeSets, of_a_person_are_erased_with_all_that_is_in_them) {
    const model::ChangeSet one = add(set(1));
    const model::ChangeSet two = add(set(2), at_second(5));
    const model::ChangeSet others = add(set(3, "bob"));
    for (const model::ChangeSet* each : {&one, &two, &others}) ASSERT_OK(table().add_item(each->ordinal, item(1)));
    EXPECT_EQ(*table().erase_user("ada", 1), 2U);
    EXPECT_EQ(*table().erase_user("ada", 10), 2U);
    EXPECT_EQ(*table().erase_user("ada", 10), 0U);
    EXPECT_TRUE(table().items(one.ordinal)->empty());
    EXPECT_TRUE(table().items(two.ordinal)->empty());
    EXPECT_EQ(*table().find(others.id), others);
    EXPECT_EQ(table().items(others.ordinal)->size(), 1U);
}

}  // namespace
}  // namespace belfry::store::testing
