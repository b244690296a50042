#include "store/schema.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

class Ledger : public StoreSuite {};
BELFRY_ON_BOTH_DATABASES(Ledger);

TEST_P(Ledger, opens_empty_and_migrates_to_the_newest_schema) {
    Scribe scribe(world());
    scribe.open();
    const auto figures = world().reading()->figures();
    ASSERT_OK(figures);
    EXPECT_EQ(figures->schema_version, newest_schema_version());
    EXPECT_EQ(figures->epoch, 1U);
    EXPECT_EQ(figures->commit_number, 0U);
    EXPECT_EQ(figures->backend, backend_name(GetParam()));
    EXPECT_GT(figures->file_bytes + figures->wal_bytes, 0);
    EXPECT_FALSE(figures->location.empty());
    EXPECT_TRUE(world().reading()->streams()->empty());
}

TEST_P(Ledger, raises_the_commit_number_by_one_a_transaction_and_the_epoch_by_one_an_opening) {
    Scribe scribe(world());
    for (std::int64_t epoch = 1; epoch <= 3; ++epoch) {
        scribe.open();
        EXPECT_EQ(scribe.store().epoch(), epoch);
        scribe.begin();
        EXPECT_EQ(scribe.store().commit_number(), static_cast<std::uint64_t>(epoch));
        scribe.commit();
    }
    scribe.begin();
    EXPECT_EQ(scribe.store().commit_number(), 4U);
    scribe.rollback();
    scribe.begin();
    EXPECT_EQ(scribe.store().commit_number(), 4U) << "what was rolled back did not count";
    scribe.commit();
    const auto figures = world().reading()->figures();
    EXPECT_EQ(figures->commit_number, 4U);
    EXPECT_EQ(figures->epoch, 3U);
}

TEST_P(Ledger, keeps_its_identity_over_openings) {
    static constexpr Sql identity{"SELECT store_id FROM ledger WHERE id = 1"};
    std::vector<std::string> seen;
    for (int i = 0; i < 2; ++i) {
        Scribe scribe(world());
        scribe.open();
        ASSERT_OK(world().beside()->run(identity, {}, [&](const Row& row) { seen.emplace_back(row.bytes(0)); }));
    }
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[0].size(), 16U);
    EXPECT_EQ(seen[0], seen[1]);
}

TEST_P(Ledger, keeps_nothing_of_a_transaction_that_was_rolled_back) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    scribe.append(1, "never");
    model::AccessToken token;
    token.id = "t";
    ASSERT_OK(scribe.store().tokens().put(token));
    scribe.seal(at_second(1));
    scribe.rollback();
    scribe.rollback();
    EXPECT_TRUE(read_all(*world().reading(), 1).empty());
    EXPECT_TRUE(scribe.store().tokens().load()->empty());
}

TEST_P(Ledger, keeps_nothing_of_a_transaction_whose_store_was_closed) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    scribe.append(1, "never");
    scribe.seal(at_second(1));
    scribe.store().close();
    EXPECT_FALSE(scribe.store().is_open());
    scribe.open();
    EXPECT_TRUE(read_all(*world().reading(), 1).empty());
}

TEST_P(Ledger, refuses_a_writer_whose_epoch_was_overtaken) {
    Scribe scribe(world());
    scribe.open_with_streams();
    ASSERT_OK(world().beside()->script("UPDATE ledger SET epoch = epoch + 1"));
    const auto begun = scribe.store().begin();
    ASSERT_FALSE(begun.ok());
    EXPECT_EQ(begun.error().code, base::Code::conflict);
    EXPECT_FALSE(scribe.store().is_open());
    scribe.open();
    scribe.write(1, "taken back");
    EXPECT_EQ(read_all(*world().reading(), 1), (std::vector<Seen>{{1, "taken back"}}));
}

TEST_P(Ledger, shows_a_reader_only_what_is_committed_and_never_waits_for_him) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.write(1, "one");
    const auto reader = world().beside();
    static constexpr Sql count{"SELECT count(*) FROM log_events"};
    std::int64_t blocks = 0;
    const auto look = [&] {
        EXPECT_OK(reader->run(count, {}, [&](const Row& row) { blocks = row.number(0); }));
        return blocks;
    };
    ASSERT_OK(reader->begin_read());
    EXPECT_EQ(look(), 1);
    scribe.begin();
    scribe.append(1, "two");
    scribe.seal(at_second(1));
    EXPECT_EQ(look(), 1) << "not committed yet";
    EXPECT_EQ(read_all(*world().reading(), 1).size(), 1U);
    ASSERT_EQ(scribe.store().commit().outcome, ports::CommitOutcome::committed) << "although a reader is in between";
    EXPECT_EQ(look(), 1) << "a snapshot stays as it was";
    reader->rollback();
    ASSERT_OK(reader->begin_read());
    EXPECT_EQ(look(), 2);
    reader->rollback();
}

TEST_P(Ledger, holds_numbers_to_their_ends_and_nothing_at_all) {
    Scribe scribe(world());
    scribe.open();
    static constexpr Sql put{"INSERT INTO access_tokens VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"};
    static constexpr Sql get{"SELECT events_per_second, created_at, expires_at, name FROM access_tokens"};
    const auto least = std::numeric_limits<std::int64_t>::min();
    const auto most = std::numeric_limits<std::int64_t>::max();
    Database& database = scribe.store().database();
    ASSERT_OK(database.run(put, {bytes("a"), bytes(""), bytes(""), bytes(""), bytes(""), bytes(""), number(least),
                                 number(most), Param{}, bytes("")}));
    int rows = 0;
    ASSERT_OK(database.run(get, {}, [&](const Row& row) {
        ++rows;
        EXPECT_EQ(row.number(0), least);
        EXPECT_EQ(row.number(1), most);
        EXPECT_TRUE(row.is_null(2));
        EXPECT_FALSE(row.is_null(3));
        EXPECT_EQ(row.bytes(3), "");
    }));
    EXPECT_EQ(rows, 1);
}

TEST_P(Ledger, counts_the_rows_that_a_statement_changed) {
    Scribe scribe(world());
    scribe.open_with_streams();
    static constexpr Sql raise{"UPDATE streams SET floor = $1 WHERE stream_id >= $2"};
    Database& database = scribe.store().database();
    EXPECT_EQ(*database.run(raise, {number(std::int64_t{1}), number(std::int64_t{0})}), 2);
    EXPECT_EQ(*database.run(raise, {number(std::int64_t{1}), number(std::int64_t{2})}), 1);
    EXPECT_EQ(*database.run(raise, {number(std::int64_t{1}), number(std::int64_t{9})}), 0);
}

TEST_P(Ledger, goes_on_after_a_statement_that_failed) {
    Scribe scribe(world());
    scribe.open_with_streams();
    static constexpr Sql twice{"INSERT INTO log_classes VALUES ($1, $2, $3)"};
    const std::vector<Param> set{number(std::int64_t{9}), number(std::int64_t{0}), number(std::int64_t{0})};
    std::vector<std::vector<Param>> sets(600, set);
    for (int round = 0; round < 2; ++round) {
        scribe.begin();
        EXPECT_FALSE(scribe.store().database().run_many(twice, sets, {}).ok());
        scribe.rollback();
    }
    scribe.write(1, "fine");
    EXPECT_EQ(read_all(*world().reading(), 1).size(), 1U);
}

TEST(SqliteLedger, is_lost_by_a_writer_when_another_one_opens_it) {
    StoreWorld world(Backend::sqlite);
    Scribe first(world);
    first.open_with_streams();
    Scribe second(world);
    second.open();
    const auto begun = first.store().begin();
    ASSERT_FALSE(begun.ok());
    EXPECT_EQ(begun.error().code, base::Code::conflict);
    EXPECT_FALSE(first.store().is_open());
    second.write(1, "mine now");
    EXPECT_EQ(read_all(*world.reading(), 1), (std::vector<Seen>{{1, "mine now"}}));
}

}  // namespace
}  // namespace belfry::store::testing
