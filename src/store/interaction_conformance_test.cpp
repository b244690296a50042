#include <algorithm>

#include "base/limits.hpp"
#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

using Numbers = std::vector<std::int64_t>;

class UserMessages : public TableSuite {
protected:
    ports::UserMessageTable& table() { return store().user_messages(); }
    // Messages 1 to 4, of which 2 and 3 wait; and 5 that waits in another session.
    void fill() {
        for (const std::uint64_t number : {1U, 2U, 3U, 4U}) ASSERT_OK(sessions().add_message(message(number, 1)));
        ASSERT_OK(sessions().add_message(message(5, 9, "s2")));
        for (const std::uint64_t number : {3U, 2U, 5U}) ASSERT_OK(table().wait({uuid_of(number, 3)}));
    }
    Numbers due(std::int64_t second = 100, std::size_t limit = 10) {
        const auto found = table().due("s1", at_second(second), limit);
        EXPECT_OK(found);
        Numbers list;
        for (const model::SessionMessage& one : *found) list.push_back(one.ordinal);
        return list;
    }
    void hand_over(std::uint64_t number, std::uint64_t pull, std::int64_t until) {
        const std::vector<model::MessageId> ids{{uuid_of(number, 3)}};
        ASSERT_OK(table().hand_over(ids, uuid_of(pull, 7), at_second(until)));
    }
};
BELFRY_ON_BOTH_DATABASES(UserMessages);

TEST_P(UserMessages, those_that_wait_are_due_in_their_order) {
    fill();
    EXPECT_EQ(due(), (Numbers{2, 3}));
    EXPECT_EQ(due(100, 1), (Numbers{2}));
    EXPECT_EQ(*table().count("s1"), 2);
    EXPECT_EQ(*table().count("s2"), 1);
    EXPECT_EQ(*table().count("s3"), 0);
}

TEST_P(UserMessages, no_more_are_read_than_one_hand_over_takes) {
    for (std::uint64_t number = 1; number <= 6; ++number) {
        model::SessionMessage said = message(number, 1);
        said.content = std::string(base::limits::message_bytes_max, 'x');
        ASSERT_OK(sessions().add_message(said));
        ASSERT_OK(table().wait({uuid_of(number, 3)}));
    }
    EXPECT_EQ(due(), (Numbers{1, 2})) << "the second one fills it";
    EXPECT_EQ(due(100, 1), (Numbers{1}));
}

TEST_P(UserMessages, what_is_handed_over_is_due_again_only_when_its_time_is_over) {
    fill();
    hand_over(2, 1, 200);
    EXPECT_EQ(due(199), (Numbers{3}));
    EXPECT_EQ(due(200), (Numbers{2, 3}));
    ASSERT_OK(table().renew("s1", std::nullopt, at_second(199), at_second(300)));
    EXPECT_EQ(due(299), (Numbers{3}));
    ASSERT_OK(table().renew("s1", std::nullopt, at_second(250), at_second(260)));
    EXPECT_EQ(due(299), (Numbers{3})) << "a renewal shortens nothing";
    ASSERT_OK(table().renew("s1", std::nullopt, at_second(300), at_second(400)));
    EXPECT_EQ(due(300), (Numbers{2, 3})) << "nor brings back what has run out";
    EXPECT_EQ(*table().count("s1"), 2) << "it is not confirmed";
    hand_over(2, 2, 500);
    hand_over(3, 3, 500);
    ASSERT_OK(table().renew("s1", uuid_of(3, 7), at_second(400), at_second(600)));
    EXPECT_EQ(due(500), (Numbers{2})) << "only what this pull has";
}

TEST_P(UserMessages, a_hand_over_is_confirmed_by_itself_or_with_all_that_are_under_way) {
    fill();
    hand_over(2, 1, 200);
    EXPECT_EQ(*table().confirm("s1", uuid_of(9, 7)), 0);
    EXPECT_EQ(*table().confirm("s2", uuid_of(1, 7)), 0) << "another session's word";
    EXPECT_EQ(*table().confirm("s1", uuid_of(1, 7)), 1);
    EXPECT_EQ(*table().confirm("s1", uuid_of(1, 7)), 0);
    EXPECT_EQ(due(1000), (Numbers{3}));
    ASSERT_OK(table().confirm_held("s1", at_second(100)));
    EXPECT_EQ(due(1000), (Numbers{3})) << "what was not handed over cannot have arrived";
    hand_over(3, 2, 200);
    ASSERT_OK(table().confirm_held("s1", at_second(200)));
    EXPECT_EQ(due(1000), (Numbers{3})) << "nor what went out so long ago";
    ASSERT_OK(table().confirm_held("s1", at_second(199)));
    EXPECT_EQ(due(1000), (Numbers{}));
}

TEST_P(UserMessages, what_is_let_go_is_due_at_once_and_no_late_word_confirms_it) {
    fill();
    hand_over(2, 1, 200);
    ASSERT_OK(table().let_go("s1", uuid_of(2, 7)));
    EXPECT_EQ(due(100), (Numbers{3})) << "another hand-over";
    ASSERT_OK(table().let_go("s1", uuid_of(1, 7)));
    EXPECT_EQ(due(100), (Numbers{2, 3}));
    hand_over(2, 1, 200);
    ASSERT_OK(table().let_go("s1", std::nullopt));
    EXPECT_EQ(due(100), (Numbers{2, 3}));
    EXPECT_EQ(*table().confirm("s1", uuid_of(1, 7)), 0);
}

class Interactions : public TableSuite {
protected:
    ports::InteractionTable& table() { return store().interactions(); }
    static model::Interaction question(std::uint64_t number, std::string session_id = "s1", std::string user = "ada") {
        model::Interaction made;
        made.id.uuid = uuid_of(number, 8);
        made.session_id = std::move(session_id);
        made.user_id = std::move(user);
        made.message = "May I?";
        made.tool_name = "rm";
        made.created_at = at_second(1);
        made.expires_at = at_second(static_cast<std::int64_t>(100 + number));
        return made;
    }
    static Numbers numbers(const base::Result<std::vector<model::Interaction>>& found) {
        EXPECT_OK(found);
        Numbers list;
        for (const model::Interaction& one : *found) list.push_back(one.id.uuid.bytes[15]);
        return list;
    }
    void add(const model::Interaction& made) { ASSERT_OK(table().add(made)); }
};
BELFRY_ON_BOTH_DATABASES(Interactions);

TEST_P(Interactions, all_of_one_comes_back) {
    model::Interaction made = question(1, odd_text, odd_text);
    made.kind = model::InteractionKind::elicitation;
    made.run_id = 5'000'000'000;
    made.message = odd_text;
    made.tool_name = odd_text;
    made.arguments = model::RawJson::trusted(R"({"a":1})");
    made.schema = model::RawJson::trusted(R"({"b":2})");
    add(made);
    made.ordinal = 1;
    EXPECT_EQ(**table().find(made.id), made);
    made.state = model::InteractionState::answered;
    made.answer = model::RawJson::trusted(R"({"action":"accept"})");
    made.answered_by = odd_text;
    made.always_allowed = true;
    made.ended_at = at_second(50);
    EXPECT_TRUE(*table().settle(made));
    EXPECT_EQ(**table().find(made.id), made);
    EXPECT_FALSE(table().find({uuid_of(2, 8)})->has_value());
}

TEST_P(Interactions, only_a_pending_one_is_settled) {
    model::Interaction made = question(1);
    add(made);
    made.state = model::InteractionState::expired;
    EXPECT_TRUE(*table().settle(made));
    made.state = model::InteractionState::answered;
    EXPECT_FALSE(*table().settle(made));
    EXPECT_EQ((*table().find(made.id))->state, model::InteractionState::expired);
    EXPECT_FALSE(*table().settle(question(9)));
}

TEST_P(Interactions, pending_ones_are_found_by_their_user_and_session) {
    add(question(1));
    add(question(2, "s2"));
    add(question(3, "s1", "bob"));
    model::Interaction over = question(4);
    over.state = model::InteractionState::withdrawn;
    add(over);
    EXPECT_EQ(numbers(table().pending("ada", "", 10)), (Numbers{1, 2}));
    EXPECT_EQ(numbers(table().pending("ada", "", 1)), (Numbers{1}));
    EXPECT_EQ(numbers(table().pending("ada", "s1", 10)), (Numbers{1}));
    EXPECT_EQ(numbers(table().pending("bob", "s2", 10)), (Numbers{})) << "a session opens nobody else's questions";
    EXPECT_EQ(*table().count_pending("ada", "s1"), 1);
}

TEST_P(Interactions, deadlines_come_earliest_first) {
    EXPECT_FALSE(table().next_deadline()->has_value());
    add(question(2));
    add(question(1));
    EXPECT_EQ(**table().next_deadline(), at_second(101));
    EXPECT_EQ(numbers(table().overdue(at_second(101), 10)), (Numbers{1}));
    EXPECT_EQ(numbers(table().overdue(at_second(102), 10)), (Numbers{1, 2}));
    EXPECT_EQ(numbers(table().overdue(at_second(102), 1)), (Numbers{1}));
}

TEST_P(Interactions, what_is_allowed_for_good_counts_for_its_tool_and_session) {
    model::Interaction made = question(1);
    made.state = model::InteractionState::answered;
    made.always_allowed = true;
    made.ended_at = at_second(5);
    add(made);
    EXPECT_TRUE(*table().is_always_allowed("s1", "rm"));
    EXPECT_FALSE(*table().is_always_allowed("s1", "mv"));
    EXPECT_FALSE(*table().is_always_allowed("s2", "rm"));
    model::Interaction once = question(2);
    once.ended_at = at_second(5);
    once.state = model::InteractionState::answered;
    add(once);
    EXPECT_EQ(*table().drop_ended(at_second(5), 10), 0U);
    EXPECT_EQ(*table().drop_ended(at_second(6), 10), 1U);
    EXPECT_TRUE(*table().is_always_allowed("s1", "rm")) << "it stays as long as its session";
    EXPECT_EQ(numbers(table().allowing("s1", "rm")), (Numbers{1}));
    EXPECT_EQ(numbers(table().allowing("s1", "mv")), (Numbers{}));
    add(question(3));
    commit();
    ports::InteractionFilter filter;
    filter.limit = 10;
    filter.allowing = true;
    for (const char* session : {"", "s1"}) {
        filter.session_id = session;
        EXPECT_EQ(numbers(world().reading()->interactions().list(filter)), (Numbers{1}));
    }
    filter.user_id = "ada";
    filter.session_id.clear();
    EXPECT_EQ(numbers(world().reading()->interactions().list(filter)), (Numbers{1}));
    ASSERT_OK(table().take_back(made.id));
    EXPECT_FALSE(*table().is_always_allowed("s1", "rm"));
}

TEST_P(Interactions, they_are_listed_in_pages_and_go_with_their_user_or_session) {
    for (const std::uint64_t number : {1U, 2U, 3U}) add(question(number));
    add(question(4, "s2", "bob"));
    ASSERT_OK(sessions().put(std::vector{session("s1"), session("s2", "bob")}));
    commit();
    const auto reading = world().reading();
    ports::InteractionFilter filter;
    filter.limit = 2;
    EXPECT_EQ(numbers(reading->interactions().list(filter)), (Numbers{1, 2}));
    filter.after = 2;
    EXPECT_EQ(numbers(reading->interactions().list(filter)), (Numbers{3, 4}));
    filter.after = 0;
    filter.user_id = "bob";
    EXPECT_EQ(numbers(reading->interactions().list(filter)), (Numbers{4}));
    filter.user_id.clear();
    filter.session_id = "s1";
    filter.state = model::InteractionState::answered;
    EXPECT_EQ(numbers(reading->interactions().list(filter)), (Numbers{}));
    EXPECT_TRUE(reading->interactions().find({uuid_of(3, 8)})->has_value());
    ASSERT_OK(sessions().empty("s2"));
    EXPECT_EQ(rows_in("interactions"), 3);
    while (*sessions().erase_user("ada", 2) > 0) {
    }
    EXPECT_EQ(rows_in("interactions"), 0);
}

}  // namespace
}  // namespace belfry::store::testing
