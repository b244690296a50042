#include <filesystem>
#include <optional>

#include "store/change_table.hpp"
#include "store/sqlite_copy.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

model::Change change(std::int64_t number, std::uint64_t counter, const std::string& host = "h",
                     const std::string& user = "ada") {
    model::Change made;
    made.number = number;
    made.unit = {host, counter, "agent", "a" + std::to_string(counter)};
    made.user_id = user;
    made.origin = {model::ChangeOrigin::Kind::agent, "x"};
    made.tokens = {*model::ChangeToken::parse("key:agentChanged"), *model::ChangeToken::parse("sub:agent/k|\"k")};
    EXPECT_OK(made.clock.raise(host, counter));
    made.changed_at = at_second(number);
    return made;
}

model::Change batched(model::Change made, const std::string& batch = "b") {
    made.batch_id = batch;
    return made;
}

class ChangeRows : public StoreSuite {
protected:
    void SetUp() override {
        StoreSuite::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        open();
    }
    void open() {
        scribe_.emplace(world());
        scribe_->open();
        scribe_->begin();
    }
    SqlStore& store() { return scribe_->store(); }
    ports::ChangeTable& table() { return store().changes(); }
    void commit() { scribe_->commit(); }
    void close() { scribe_.reset(); }
    void add(const std::vector<model::Change>& changes) { EXPECT_OK(table().add(changes)); }
    void batch(const std::vector<model::Change>& changes) { EXPECT_OK(table().put_batch(changes)); }

private:
    std::optional<Scribe> scribe_;
};

TEST_P(ChangeRows, come_back_as_they_were_while_they_are_in_no_batch) {
    model::Change synced = change(3, 1, "phone");
    synced.origin = {model::ChangeOrigin::Kind::sync, {}};
    model::Change deep = change(2, 2);
    deep.origin = {model::ChangeOrigin::Kind::agent, "2/x", 12};
    add({change(1, 1), deep, synced, change(4, 3, "h", "bob")});
    const auto some = table().unbatched_of("ada", false, 10);
    ASSERT_OK(some);
    EXPECT_EQ(*some, (std::vector<model::Change>{change(1, 1), deep}));
    EXPECT_EQ(table().unbatched_of("ada", false, 1)->size(), 1U);
    EXPECT_EQ(*table().unbatched_of("ada", true, 10), std::vector<model::Change>{synced});
    const auto open = table().unbatched();
    ASSERT_OK(open);
    ASSERT_EQ(open->size(), 3U);
    batch({batched(change(1, 1)), batched(change(2, 2))});
    EXPECT_TRUE(table().unbatched_of("ada", false, 10)->empty());
    EXPECT_EQ(table().unbatched()->size(), 2U);
    EXPECT_EQ(*table().last_number(), 4);
    EXPECT_EQ(*table().last_counter("h"), 3U);
    EXPECT_EQ(*table().last_counter("nobody"), 0U);
}

TEST_P(ChangeRows, of_one_host_have_each_counter_once) {
    add({change(1, 1)});
    EXPECT_FALSE(table().add(std::vector{change(2, 1)}).ok());
}

TEST_P(ChangeRows, in_a_batch_are_counted_by_host) {
    add({change(1, 1), change(2, 2), change(3, 4), change(4, 1, "p")});
    batch({batched(change(1, 1)), batched(change(3, 4))});
    EXPECT_EQ(*table().batched_after("h", 0, 10), (std::vector<std::uint64_t>{1, 4}));
    EXPECT_EQ(*table().batched_after("h", 1, 10), std::vector<std::uint64_t>{4});
    EXPECT_OK(table().put_settled("h", 1));
    EXPECT_OK(table().put_settled("h", 4));
    EXPECT_EQ(*table().settled(), (std::map<std::string, std::uint64_t>{{"h", 4}}));
}

TEST_P(ChangeRows, go_when_they_are_old_told_and_without_a_gap) {
    add({change(1, 1), change(2, 2), change(3, 4), change(4, 5), change(5, 6)});
    batch({batched(change(1, 1)), batched(change(3, 4)), batched(change(4, 5)), batched(change(5, 6))});
    EXPECT_OK(table().put_settled("h", 5));
    EXPECT_EQ(*table().drop(at_second(4), 10), 2U) << "one is in no batch, one is not old enough, one beyond the gap";
    EXPECT_EQ(*table().batched_after("h", 0, 10), (std::vector<std::uint64_t>{5, 6}));
    EXPECT_EQ(table().unbatched_of("ada", false, 10)->size(), 1U);
    EXPECT_EQ(*table().drop(at_second(9), 10), 1U) << "what lies beyond a gap is still needed";
}

TEST_P(ChangeRows, that_wakes_carry_are_kept_by_wake_and_host) {
    EXPECT_OK(table().put_carried(std::vector<ports::CarriedChange>{{1, "h", 5}, {1, "p", 2}, {2, "h", 7}}));
    EXPECT_OK(table().put_carried(std::vector<ports::CarriedChange>{{1, "h", 3}}));
    EXPECT_EQ(table().load_carried()->size(), 3U);
    EXPECT_OK(table().drop_carried(std::vector<model::WakeId>{1}));
    const auto left = table().load_carried();
    ASSERT_OK(left);
    ASSERT_EQ(left->size(), 1U);
    EXPECT_EQ(left->front().counter, 7U);
}

TEST_P(ChangeRows, of_somebody_who_is_erased_leave_their_places) {
    add({change(1, 1), change(2, 2, "h", "bob"), change(3, 3, "h", "bob")});
    const std::vector<ports::KnownRecord> known{{"agent", "b", "bob", {}}, {"agent", "a", "ada", {}}};
    EXPECT_OK(store().sync().put_knowledge(known));
    std::uint64_t rows = 0;
    for (std::uint64_t gone = 1; gone > 0; rows += gone) {
        const auto slice = table().erase_user("bob", 1);
        ASSERT_OK(slice);
        gone = *slice;
    }
    EXPECT_EQ(rows, 3U);
    EXPECT_EQ(*table().batched_after("h", 1, 10), (std::vector<std::uint64_t>{2, 3}));
    using Names = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(store().sync().knowledge(Names{{"agent", "b"}, {"agent", "a"}})->size(), 1U);
    EXPECT_EQ(table().unbatched_of("ada", false, 10)->size(), 1U);
    EXPECT_EQ(table().unbatched()->size(), 1U);
}

TEST_P(ChangeRows, that_were_not_his_to_be_erased_are_put_back_as_they_were) {
    model::Change deep = batched(change(2, 2));
    deep.origin = {model::ChangeOrigin::Kind::agent, "x", 3};
    add({change(1, 1), deep, change(3, 3)});
    while (*table().erase_user("ada", 10) > 0) {
    }
    EXPECT_OK(table().put_back(std::vector{deep, change(3, 3)}));
    EXPECT_EQ(*table().unbatched_of("ada", false, 10), std::vector{change(3, 3)}) << "it waits for its batch again";
    const auto all = store().sync().changes_after("h", 0, 10);
    ASSERT_OK(all);
    ASSERT_EQ(all->size(), 2U);
    EXPECT_EQ(all->at(0).unit.kind, "") << "of this one the place is left";
    EXPECT_EQ(all->at(1), deep);
}

TEST_P(ChangeRows, are_of_the_same_host_when_the_store_is_opened_again) {
    EXPECT_TRUE(table().host()->device.empty());
    EXPECT_OK(table().put_host({"d", "i"}));
    commit();
    close();
    open();
    EXPECT_EQ(table().host()->device, "d");
    EXPECT_EQ(table().host()->incarnation, "i");
}

BELFRY_ON_BOTH_DATABASES(ChangeRows);

class CopiedHost : public ::testing::Test {
protected:
    CopiedHost() {
        Scribe scribe(world_);
        scribe.open();
        scribe.begin();
        EXPECT_OK(scribe.store().changes().put_host({"d", "i"}));
        scribe.commit();
    }
    std::string original() { return world_.location().sqlite_path; }
    std::string copy() { return folder_.file("copy.sqlite"); }
    static ports::Host host_in(const std::string& path) {
        StoreLocation place;
        place.sqlite_path = path;
        SeededRandom random(1);
        SqlStore store(writer_options(place, {}), random);
        EXPECT_OK(store.open());
        EXPECT_OK(store.begin());
        auto host = store.changes().host();
        store.rollback();
        EXPECT_OK(host);
        return host.ok() ? *host : ports::Host{};
    }

private:
    StoreWorld world_{Backend::sqlite};
    TemporaryFolder folder_;
};

TEST_F(CopiedHost, of_a_backup_needs_another_incarnation_and_the_original_keeps_its_own) {
    ASSERT_OK(copy_database(original(), copy(), Existing::refused));
    EXPECT_EQ(host_in(copy()).device, "d");
    EXPECT_EQ(host_in(copy()).incarnation, "");
    EXPECT_EQ(host_in(original()).incarnation, "i");
}

TEST_F(CopiedHost, of_a_file_that_somebody_copied_needs_another_incarnation) {
    std::filesystem::copy_file(original(), copy());
    EXPECT_EQ(host_in(copy()).incarnation, "");
}

TEST_F(CopiedHost, of_a_file_that_was_moved_is_the_same) {
    const std::string elsewhere = original() + ".moved";
    std::filesystem::rename(original(), elsewhere);
    EXPECT_EQ(host_in(elsewhere).incarnation, "i");
}

}  // namespace
}  // namespace belfry::store::testing
