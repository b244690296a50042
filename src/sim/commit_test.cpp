#include <gtest/gtest.h>

#include "sim/clock.hpp"
#include "sim/disk.hpp"
#include "sim/random.hpp"
#include "sim/vfs.hpp"
#include "store/sqlite_database.hpp"

// The real database on a made-up disk that fails in the middle of a commit, and a process that dies right after it
// heard what became of it.
namespace belfry::sim {
namespace {

class Commits : public ::testing::Test {
protected:
    std::unique_ptr<store::Database> open() {
        store::SqliteOptions options;
        options.path = "/commits.db";
        options.vfs = vfs_.name();
        options.exclusive = true;
        auto opened = store::open_sqlite(std::move(options));
        EXPECT_TRUE(opened.ok()) << opened.error().message;
        EXPECT_TRUE((*opened)->script("CREATE TABLE IF NOT EXISTS rows (x INTEGER) STRICT").ok());
        return std::move(*opened);
    }
    // The page cache stays, and with it whatever reached the log.
    void die(std::unique_ptr<store::Database> database) {
        disk_.die();
        database.reset();
        disk_.clear_faults();
        disk_.lose_process();
    }
    static std::int64_t rows(store::Database& database) {
        static constexpr store::Sql count{"SELECT count(*) FROM rows"};
        std::int64_t found = 0;
        EXPECT_TRUE(database.run(count, {}, [&](const store::Row& row) { found = row.number(0); }).ok());
        return found;
    }
    static void add_row(store::Database& database) {
        static constexpr store::Sql insert{"INSERT INTO rows (x) VALUES ($1)"};
        EXPECT_TRUE(database.begin_write().ok());
        EXPECT_TRUE(database.run(insert, {store::number(std::int64_t{1})}).ok());
    }

    SeededRandom random_{11};
    MadeUpClock clock_;
    Disk disk_{random_.fork()};
    Vfs vfs_{"belfry-commits", disk_, clock_, random_.fork()};
};

TEST_F(Commits, that_failed_for_certain_are_not_there_after_a_crash) {
    int there_though_unknown = 0;
    for (const Fault fault : {Fault::no_space, Fault::write_error, Fault::sync_error}) {
        for (std::uint64_t at = 1; at <= 4; ++at) {
            auto database = open();
            const std::int64_t before = rows(*database);
            add_row(*database);
            disk_.fail_after(at, fault);
            const ports::CommitOutcome outcome = database->commit().outcome;
            die(std::move(database));
            database = open();
            const std::int64_t fresh = rows(*database) - before;
            if (outcome == ports::CommitOutcome::committed) {
                EXPECT_EQ(fresh, 1);
            }
            if (outcome == ports::CommitOutcome::rolled_back) {
                EXPECT_EQ(fresh, 0);
            }
            if (outcome == ports::CommitOutcome::unknown) there_though_unknown += fresh == 1 ? 1 : 0;
        }
    }
    EXPECT_GT(there_though_unknown, 0) << "none that failed came to be: the disk was too kind";
}

}  // namespace
}  // namespace belfry::sim
