#include "store/postgres_database.hpp"

#include "store/schema.hpp"
#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

// What only this database can show: sessions that end in the middle, locks, pipelines.
class Postgres : public StoreSuite {
protected:
    static std::int64_t pid_of(Database& database) {
        static constexpr Sql own_pid{"SELECT pg_backend_pid()"};
        std::int64_t pid = 0;
        EXPECT_OK(database.run(own_pid, {}, [&](const Row& row) { pid = row.number(0); }));
        return pid;
    }
    // Ends a session and waits until it is gone.
    void cut(std::int64_t pid) {
        static constexpr Sql terminate{"SELECT pg_terminate_backend($1::bigint::int, 10000)"};
        EXPECT_OK(world().beside()->run(terminate, {number(pid)}));
    }
    static base::Result<std::unique_ptr<Database>> connect(const std::string& url, bool read_only = false) {
        PostgresOptions options;
        options.url = url;
        options.read_only = read_only;
        return open_postgres(std::move(options));
    }
};
INSTANTIATE_TEST_SUITE_P(On, Postgres, ::testing::Values(Backend::postgres), [](const auto&) { return "postgres"; });

TEST_P(Postgres, refuses_a_second_writer_and_names_the_first) {
    Scribe first(world());
    first.open_with_streams();
    Scribe second(world());
    const auto opened = second.store().open();
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, base::Code::conflict);
    EXPECT_NE(opened.error().message.find("pid " + std::to_string(pid_of(first.store().database()))), std::string::npos)
        << opened.error().message;
    EXPECT_NE(opened.error().message.find("'belfry writer'"), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().message.find("127.0.0.1"), std::string::npos) << opened.error().message;
    first.write(1, "undisturbed");
    const std::int64_t pid = pid_of(first.store().database());
    first.store().close();
    cut(pid);  // it ends by itself; this waits for it
    second.open();
    second.write(1, "mine now");
    EXPECT_EQ(read_all(*world().reading(), 1).size(), 2U);
}

TEST_P(Postgres, lets_ledgers_in_other_schemas_have_their_own_writer) {
    Scribe first(world());
    first.open();
    StoreWorld other(Backend::postgres);
    Scribe second(other);
    second.open_with_streams();
    second.write(1, "other");
    EXPECT_TRUE(world().reading()->streams()->empty());
}

TEST_P(Postgres, does_not_know_the_outcome_when_the_session_is_cut_before_the_commit) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.write(1, "one");
    scribe.begin();
    scribe.append(1, "two");
    scribe.seal(at_second(1));
    cut(pid_of(scribe.store().database()));
    const ports::CommitResult result = scribe.store().commit();
    EXPECT_EQ(result.outcome, ports::CommitOutcome::unknown) << result.error.message;
    EXPECT_FALSE(scribe.store().is_open());
    scribe.open();
    EXPECT_EQ(scribe.store().epoch(), 2);
    EXPECT_EQ(scribe.head(1), 1U);
    scribe.write(1, "two again");
    EXPECT_EQ(read_all(*world().reading(), 1), (std::vector<Seen>{{1, "one"}, {2, "two again"}}));
}

TEST_P(Postgres, knows_that_nothing_was_committed_when_the_session_was_lost_before) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    scribe.append(1, "never");
    cut(pid_of(scribe.store().database()));
    EXPECT_FALSE(scribe.store().tokens().load().ok());
    const ports::CommitResult result = scribe.store().commit();
    EXPECT_EQ(result.outcome, ports::CommitOutcome::rolled_back) << result.error.message;
}

TEST_P(Postgres, closes_the_store_at_the_next_begin_when_the_session_is_gone) {
    Scribe scribe(world());
    scribe.open_with_streams();
    cut(pid_of(scribe.store().database()));
    const auto begun = scribe.store().begin();
    ASSERT_FALSE(begun.ok());
    EXPECT_EQ(begun.error().code, base::Code::unavailable) << begun.error().message;
    EXPECT_FALSE(scribe.store().is_open());
    scribe.open();
    scribe.write(1, "back");
    EXPECT_EQ(read_all(*world().reading(), 1).size(), 1U);
}

TEST_P(Postgres, closes_the_store_at_the_next_begin_when_a_pipeline_broke_off) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    cut(pid_of(scribe.store().database()));
    EXPECT_FALSE(scribe.store().idempotency().find({"a", "b"}, at_second(0)).ok());
    scribe.rollback();
    ASSERT_TRUE(scribe.store().is_open());
    EXPECT_FALSE(scribe.store().begin().ok());
    EXPECT_FALSE(scribe.store().is_open());
    scribe.open();
    scribe.write(1, "back");
}

TEST_P(Postgres, says_rolled_back_when_a_broken_transaction_is_committed) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.begin();
    static constexpr Sql nonsense{"SELECT 1 / $1::bigint"};
    EXPECT_FALSE(scribe.store().database().run(nonsense, {number(std::int64_t{0})}).ok());
    EXPECT_EQ(scribe.store().commit().outcome, ports::CommitOutcome::rolled_back);
    ASSERT_TRUE(scribe.store().is_open());
    scribe.write(1, "fine");
}

TEST_P(Postgres, says_rolled_back_when_the_server_refuses_the_commit_itself) {
    Scribe scribe(world());
    scribe.open_with_streams();
    ASSERT_OK(scribe.store().database().script("CREATE TABLE late (n bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)"));
    scribe.begin();
    ASSERT_OK(scribe.store().database().script("INSERT INTO late VALUES (1), (1)"));
    EXPECT_EQ(scribe.store().commit().outcome, ports::CommitOutcome::rolled_back);
    ASSERT_TRUE(scribe.store().is_open());
    scribe.write(1, "fine");
}

TEST_P(Postgres, commits_to_the_disk_whatever_the_address_says) {
    const auto database = connect(world().location().postgres_url + "%20-csynchronous_commit%3Doff");
    ASSERT_OK(database);
    static constexpr Sql mode{"SELECT convert_to(current_setting('synchronous_commit'), 'UTF8')"};
    std::string seen;
    ASSERT_OK((*database)->run(mode, {}, [&](const Row& row) { seen = row.bytes(0); }));
    EXPECT_EQ(seen, "on");
}

TEST_P(Postgres, sends_and_reads_at_once_so_that_no_side_waits_for_the_other) {
    const auto database = connect(world().location().postgres_url);
    ASSERT_OK(database);
    static constexpr Sql echo{"SELECT $1::bytea || $1::bytea || $1::bytea"};
    SeededRandom random(9);
    std::vector<std::string> sent;
    for (int i = 0; i < 64; ++i) sent.push_back(random.bytes(900'000));
    std::vector<std::vector<Param>> sets;
    for (const std::string& text : sent) sets.push_back({bytes(text)});
    // Many small ones too, whose answers are larger than the questions.
    const std::string small = random.bytes(3900);
    for (int i = 0; i < 3000; ++i) sets.push_back({bytes(small)});
    std::size_t at = 0;
    ASSERT_OK((*database)->run_many(echo, sets, [&](const Row& row) {
        const std::string& expected = at < sent.size() ? sent[at] : small;
        ++at;
        EXPECT_EQ(row.bytes(0).size(), expected.size() * 3);
        EXPECT_TRUE(row.bytes(0).starts_with(expected));
    }));
    EXPECT_EQ(at, sets.size());
}

TEST_P(Postgres, tells_the_first_error_of_a_pipeline_and_stays_usable) {
    const auto database = connect(world().location().postgres_url);
    ASSERT_OK(database);
    static constexpr Sql divide{"SELECT 10 / $1::bigint"};
    std::vector<std::vector<Param>> sets;
    for (std::int64_t i = 3; i > -3; --i) sets.push_back({number(i)});
    std::vector<std::int64_t> seen;
    const auto sink = [&](const Row& row) { seen.push_back(row.number(0)); };
    const auto failed = (*database)->run_many(divide, sets, sink);
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(failed.error().message.find("division by zero"), std::string::npos) << failed.error().message;
    EXPECT_EQ(seen, (std::vector<std::int64_t>{3, 5, 10}));
    EXPECT_FALSE((*database)->is_lost());
    seen.clear();
    sets.resize(3);
    ASSERT_OK((*database)->run_many(divide, sets, sink));
    EXPECT_EQ(seen, (std::vector<std::int64_t>{3, 5, 10}));
}

TEST_P(Postgres, connects_a_reader_again_but_not_in_the_middle_of_a_snapshot) {
    Scribe scribe(world());
    scribe.open_with_streams();
    scribe.write(1, "one");
    auto reader = connect(world().location().postgres_url, true);
    ASSERT_OK(reader);
    static constexpr Sql count{"SELECT count(*) FROM log_events"};
    ASSERT_OK((*reader)->begin_read());
    ASSERT_OK((*reader)->run(count, {}));
    cut(pid_of(**reader));
    EXPECT_FALSE((*reader)->run(count, {}).ok());
    EXPECT_FALSE((*reader)->run(count, {}).ok());
    (*reader)->rollback();
    ASSERT_OK((*reader)->begin_read());
    ASSERT_OK((*reader)->run(count, {}));
    (*reader)->rollback();
}

TEST_P(Postgres, asks_a_readers_question_again_where_the_session_had_ended) {
    Scribe scribe(world());
    scribe.open_with_streams();
    auto reader = connect(world().location().postgres_url, true);
    ASSERT_OK(reader);
    static constexpr Sql count{"SELECT count(*) FROM log_events"};
    cut(pid_of(**reader));
    EXPECT_OK((*reader)->run(count, {}));
    cut(pid_of(**reader));
    EXPECT_OK((*reader)->begin_read());
    EXPECT_OK((*reader)->run(count, {}));
    (*reader)->rollback();
}

TEST_P(Postgres, makes_a_readers_session_anew_after_it_refused_something) {
    Scribe scribe(world());
    scribe.open_with_streams();
    auto reader = connect(world().location().postgres_url, true);
    ASSERT_OK(reader);
    static constexpr Sql nonsense{"SELECT 1 / $1::bigint"};
    const std::int64_t before = pid_of(**reader);
    EXPECT_FALSE((*reader)->run(nonsense, {number(std::int64_t{0})}).ok());
    EXPECT_TRUE((*reader)->is_lost());
    EXPECT_NE(pid_of(**reader), before);
}

TEST_P(Postgres, lets_a_migration_take_its_time_and_nothing_else) {
    Scribe scribe(world());
    scribe.open();
    Database& database = scribe.store().database();
    ASSERT_OK(database.script("SET statement_timeout = '50ms'"));
    std::vector<Migration> history(migrations().begin(), migrations().end());
    history.push_back({newest_schema_version() + 1, "a long one", "SELECT pg_sleep(0.2)"});
    EXPECT_OK(migrate(database, history, {}));
    const auto refused = database.script("SELECT pg_sleep(0.2)");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::unavailable) << "it was not the asker who was slow";
}

TEST_P(Postgres, lets_a_reader_write_nothing) {
    Scribe scribe(world());
    scribe.open_with_streams();
    auto reader = connect(world().location().postgres_url, true);
    ASSERT_OK(reader);
    EXPECT_FALSE((*reader)->script("UPDATE ledger SET epoch = 99").ok());
}

TEST_P(Postgres, refuses_an_address_that_leads_nowhere_in_good_time) {
    const auto refused = connect("postgresql://belfry@127.0.0.1:1/postgres");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::unavailable);
    EXPECT_FALSE(connect("postgresql://%%%").ok());
}

TEST_P(Postgres, refuses_a_search_path_that_is_not_one_plain_name) {
    const auto refused = connect(postgres_url() + "?options=-csearch_path%3Da,b");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, base::Code::invalid);
}

TEST_P(Postgres, does_not_tell_the_password) {
    const auto told = [](const std::string& url) { return describe({Backend::postgres, "", url}); };
    EXPECT_EQ(told("postgresql://ada:hush@db.example:5433/belfry?sslmode=require"),
              "user=ada dbname=belfry host=db.example port=5433");
    EXPECT_EQ(told("host=db password=hush"), "host=db");
    EXPECT_EQ(told("postgresql://:hush@"), "postgresql");
}

}  // namespace
}  // namespace belfry::store::testing
