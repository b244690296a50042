#include "store/notification_world_test.hpp"

namespace belfry::store::testing {
namespace {

class WaitingRows : public TableSuite {};
class Settings : public TableSuite {};
BELFRY_ON_BOTH_DATABASES(WaitingRows);
BELFRY_ON_BOTH_DATABASES(Settings);

model::WaitingRow row(std::int64_t ordinal) {
    model::WaitingRow made;
    made.ordinal = ordinal;
    made.subscriber_id = "tool_failure";
    made.scope = {"ada", "s1", "agent"};
    made.dedupe_key = "key " + std::to_string(ordinal);
    made.event_id.uuid = uuid_of(static_cast<std::uint64_t>(ordinal), 9);
    made.sequence = static_cast<model::Sequence>(ordinal) * 10;
    made.due_at = at_second(ordinal);
    made.event_json = R"({"id":1})";
    return made;
}

std::vector<std::int64_t> kept(ports::WaitingTable& table) {
    const auto rows = table.load();
    EXPECT_OK(rows);
    std::vector<std::int64_t> list;
    for (const model::WaitingRow& one : *rows) list.push_back(one.ordinal);
    return list;
}

TEST_P(WaitingRows, come_back_as_they_were_in_the_order_of_their_ordinals) {
    model::WaitingRow full = row(2);
    full.kind = model::WaitingKind::repeat;
    full.scope = {odd_text, odd_text, odd_text};
    full.subscriber_id = odd_text;
    full.dedupe_key = odd_text;
    full.count = 1'000'000'000'000;
    full.severity = model::Severity::critical;
    full.event_json = std::string(100'000, 'x') + odd_text;
    const std::vector<model::WaitingRow> rows{full, row(1)};
    ASSERT_OK(waiting().insert(rows));
    reopen();
    const auto loaded = waiting().load();
    ASSERT_OK(loaded);
    ASSERT_EQ(loaded->size(), 2U);
    EXPECT_TRUE(loaded->at(0) == row(1));
    EXPECT_TRUE(loaded->at(1) == full);
}

TEST_P(WaitingRows, are_counted_up_and_removed_each_by_itself) {
    std::vector<model::WaitingRow> rows;
    for (std::int64_t i = 1; i <= 9; ++i) rows.push_back(row(i));
    ASSERT_OK(waiting().insert(rows));
    const std::vector<ports::WaitingTable::Count> counts{{3, 7}, {9, 2}, {100, 5}};
    ASSERT_OK(waiting().update(counts));
    // Runs, a lone one, one that is not there, and out of order.
    ASSERT_OK(waiting().remove(std::vector<std::int64_t>{7, 8, 1, 2, 4, 50}));
    EXPECT_EQ(kept(waiting()), (std::vector<std::int64_t>{3, 5, 6, 9}));
    const auto loaded = waiting().load();
    EXPECT_EQ(loaded->at(0).count, 7);
    EXPECT_EQ(loaded->at(1).count, 1);
    EXPECT_EQ(loaded->at(3).count, 2);
    ASSERT_OK(waiting().remove({}));
    ASSERT_OK(waiting().insert({}));
    ASSERT_OK(waiting().update({}));
    EXPECT_EQ(kept(waiting()).size(), 4U);
}

TEST_P(WaitingRows, take_their_counts_with_them) {
    const std::vector<ports::WaitingTable::Count> counts{{1, 7, model::Severity::critical}, {2, 5}};
    const auto read = [&] { return waiting().load()->at(0); };
    ASSERT_OK(waiting().update(counts));
    ASSERT_OK(waiting().insert(std::vector{row(1)}));
    EXPECT_EQ(read().count, 1) << "a count that came before its row";
    ASSERT_OK(waiting().update(counts));
    EXPECT_EQ(read().count, 7);
    EXPECT_EQ(read().severity, model::Severity::critical);
    ASSERT_OK(waiting().remove(std::vector<std::int64_t>{1}));
    ASSERT_OK(waiting().insert(std::vector{row(1)}));
    EXPECT_EQ(read(), row(1)) << "a row that was removed left its count behind";
    ASSERT_OK(waiting().update(counts));
    EXPECT_EQ(*waiting().erase_user("ada"), 1U);
    ASSERT_OK(waiting().insert(std::vector{row(1)}));
    EXPECT_EQ(read(), row(1)) << "a row that was erased left its count behind";
}

TEST_P(WaitingRows, go_in_and_out_by_the_thousand) {
    std::vector<model::WaitingRow> rows;
    std::vector<std::int64_t> odd;
    std::vector<std::int64_t> even;
    for (std::int64_t i = 1; i <= 5000; ++i) {
        rows.push_back(row(i));
        (i % 2 == 1 ? odd : even).push_back(i);
    }
    ASSERT_OK(waiting().insert(rows));
    ASSERT_OK(waiting().remove(odd));
    EXPECT_EQ(kept(waiting()), even);
}

TEST_P(WaitingRows, of_an_erased_user_go_and_those_of_others_in_his_sessions_stay) {
    model::WaitingRow other = row(2);
    other.scope.user_id = "bob";
    model::WaitingRow in_her_session = row(3);
    in_her_session.scope.user_id = "carol";
    in_her_session.scope.session_id = "hers";
    ASSERT_OK(sessions().put(std::vector{session("hers", "ada")}));
    ASSERT_OK(waiting().insert(std::vector{row(1), other, in_her_session}));
    EXPECT_EQ(*waiting().erase_user("ada"), 1U);
    EXPECT_EQ(kept(waiting()), (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(*waiting().erase_user("ada"), 0U);
}

TEST_P(Settings, are_kept_a_person_and_replaced) {
    ports::SettingsTable& table = store().settings();
    ASSERT_OK(table.put({"ada", {"a", odd_text}}));
    ASSERT_OK(table.put({"bob", {"b"}}));
    ASSERT_OK(table.put({"ada", {"c"}}));
    ASSERT_OK(table.put({"eve", {}}));
    const auto all = table.load();
    ASSERT_OK(all);
    ASSERT_EQ(all->size(), 3U);
    EXPECT_EQ(all->at(0).user_id, "ada");
    EXPECT_EQ(all->at(0).disabled_subscribers, (std::vector<std::string>{"c"}));
    ASSERT_OK(table.put({"bob", {"x", odd_text, ""}}));
    ASSERT_OK(table.erase_user("ada"));
    commit();
    const auto reading = world().reading();
    EXPECT_TRUE(reading->sessions().settings("ada")->disabled_subscribers.empty());
    EXPECT_EQ(reading->sessions().settings("ada")->user_id, "ada");
    EXPECT_EQ(reading->sessions().settings("bob")->disabled_subscribers, (std::vector<std::string>{"x", odd_text, ""}));
    EXPECT_EQ(table.load()->size(), 2U);
}

}  // namespace
}  // namespace belfry::store::testing
