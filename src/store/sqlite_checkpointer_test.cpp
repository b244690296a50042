#include "store/sqlite_checkpointer.hpp"

#include <array>
#include <atomic>
#include <thread>

#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

constexpr std::int64_t megabyte = 1 << 20;

// A writer whose log another connection moves.
class CheckpointedWriter {
public:
    explicit CheckpointedWriter(SqliteCheckpointerOptions options)
        : path_(options.path), checkpointer(std::move(options)) {
        SqlStoreOptions store_options;
        store_options.connect = [this] {
            SqliteOptions sqlite;
            sqlite.path = path_;
            sqlite.on_wal_pages = [this](std::int64_t count) {
                pages = count;
                checkpointer.give_way();
            };
            return open_sqlite(std::move(sqlite));
        };
        store_ = std::make_unique<SqlStore>(std::move(store_options), random_);
        EXPECT_OK(store_->open());
        EXPECT_OK(store_->begin());
        model::StreamInfo info;
        info.id = 1;
        info.name = "events";
        EXPECT_OK(store_->log().put_stream(info));
        EXPECT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    }

    void write(std::size_t bytes) {
        ASSERT_OK(store_->begin());
        store_->log().append(model::RetentionClass::events, 1, ++written, {}, std::string(bytes, 'x'));
        ASSERT_OK(store_->log().seal(written, at_second(1)));
        ASSERT_EQ(store_->commit().outcome, ports::CommitOutcome::committed);
    }
    [[nodiscard]] std::int64_t log_bytes() const {
        return static_cast<std::int64_t>(std::filesystem::file_size(path_ + "-wal"));
    }

private:
    std::string path_;

public:
    SqliteCheckpointer checkpointer;
    std::atomic<std::int64_t> pages = 0;
    model::Sequence written = 0;

private:
    SeededRandom random_{1};
    std::unique_ptr<SqlStore> store_;
};

class Checkpointer : public ::testing::Test {
protected:
    SqliteCheckpointerOptions options() { return {world.location().sqlite_path, 8 * megabyte, 64 * megabyte, 1000}; }
    StoreWorld world{Backend::sqlite};
};

TEST_F(Checkpointer, leaves_a_small_log_alone) {
    CheckpointedWriter writer(options());
    writer.write(100);
    const auto round = writer.checkpointer.run_once(writer.pages);
    ASSERT_OK(round);
    EXPECT_EQ(round->moved_pages, 0);
    EXPECT_FALSE(round->restarted);
}

TEST_F(Checkpointer, moves_everything_when_nobody_writes_and_the_log_begins_again) {
    CheckpointedWriter writer(options());
    for (int i = 0; i < 6; ++i) writer.write(megabyte);
    const auto round = writer.checkpointer.run_once(writer.pages);
    ASSERT_OK(round);
    EXPECT_EQ(round->moved_pages, round->log_pages);
    EXPECT_GT(round->log_pages, 1000);
    EXPECT_EQ(writer.checkpointer.run_once(writer.pages)->moved_pages, round->moved_pages) << "no second round for it";
    writer.write(100);
    EXPECT_LT(writer.pages, 100);
    EXPECT_EQ(read_all(*world.reading(), 1, 0, 64 * megabyte).size(), 7U);
}

TEST_F(Checkpointer, is_not_stopped_by_a_reader_but_cannot_begin_the_log_again) {
    CheckpointedWriter writer(options());
    for (int i = 0; i < 5; ++i) writer.write(megabyte);
    const auto reader = world.beside();
    static constexpr Sql count{"SELECT count(*) FROM log_events"};
    ASSERT_OK(reader->begin_read());
    ASSERT_OK(reader->run(count, {}));
    for (int i = 0; i < 5; ++i) writer.write(megabyte);
    const auto held = writer.checkpointer.run_once(writer.pages);
    ASSERT_OK(held);
    EXPECT_FALSE(held->restarted);
    EXPECT_LT(held->moved_pages, held->log_pages);
    writer.write(megabyte);
    reader->rollback();
    const auto freed = writer.checkpointer.run_once(writer.pages);
    ASSERT_OK(freed);
    EXPECT_TRUE(freed->restarted);
    writer.write(100);
    EXPECT_LT(writer.pages, 100);
}

TEST_F(Checkpointer, does_not_ask_the_writer_while_a_reader_holds_the_log) {
    SqliteCheckpointerOptions small = options();
    small.insist_bytes = 16 * megabyte;
    CheckpointedWriter writer(small);
    writer.write(megabyte);
    const auto reader = world.beside();
    static constexpr Sql count{"SELECT count(*) FROM log_events"};
    ASSERT_OK(reader->begin_read());
    ASSERT_OK(reader->run(count, {}));
    for (int i = 0; i < 24; ++i) {
        writer.write(megabyte);
        const auto round = writer.checkpointer.run_once(writer.pages);
        ASSERT_OK(round);
        EXPECT_FALSE(round->asked_writer) << i;
    }
    EXPECT_GT(writer.log_bytes(), 24 * megabyte);
    reader->rollback();
    writer.write(megabyte);
    EXPECT_TRUE(writer.checkpointer.run_once(writer.pages)->restarted);
}

TEST_F(Checkpointer, asks_the_writer_seldom_where_readers_come_one_after_another) {
    CheckpointedWriter writer(options());
    const std::array readers{world.beside(), world.beside()};
    static constexpr Sql count{"SELECT count(*) FROM log_events"};
    int asked = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        for (int n = 0; n < 5; ++n) writer.write(megabyte);
        ASSERT_OK(readers.at(i % 2)->begin_read());
        ASSERT_OK(readers.at(i % 2)->run(count, {}));
        readers.at((i + 1) % 2)->rollback();
        const auto round = writer.checkpointer.run_once(writer.pages);
        ASSERT_OK(round);
        EXPECT_FALSE(round->restarted);
        asked += round->asked_writer ? 1 : 0;
    }
    EXPECT_GT(writer.log_bytes(), 40 * megabyte);
    EXPECT_GT(asked, 1);
    EXPECT_LE(asked, 4) << "not more than once in 8 MB of 40";
}

TEST_F(Checkpointer, cuts_a_log_that_outgrew_its_bound) {
    SqliteCheckpointerOptions small = options();
    small.insist_bytes = 9 * megabyte;
    CheckpointedWriter writer(small);
    for (int i = 0; i < 12; ++i) writer.write(megabyte);
    EXPECT_TRUE(writer.checkpointer.run_once(writer.pages)->restarted);
    EXPECT_EQ(writer.log_bytes(), 0);
}

TEST_F(Checkpointer, empties_a_small_log_when_asked_to_unless_a_reader_is_in_the_way) {
    CheckpointedWriter writer(options());
    writer.write(100);
    const auto reader = world.beside();
    static constexpr Sql count{"SELECT count(*) FROM log_events"};
    ASSERT_OK(reader->begin_read());
    ASSERT_OK(reader->run(count, {}));
    writer.write(100);
    const auto held = writer.checkpointer.fold_in();
    ASSERT_OK(held);
    EXPECT_FALSE(held->restarted);
    EXPECT_FALSE(held->asked_writer);
    EXPECT_GT(writer.log_bytes(), 0);
    reader->rollback();
    EXPECT_TRUE(writer.checkpointer.fold_in()->restarted);
    EXPECT_EQ(writer.log_bytes(), 0);
    writer.write(100);
    EXPECT_EQ(read_all(*world.reading(), 1).size(), 3U);
}

TEST_F(Checkpointer, bounds_the_log_of_a_writer_that_never_rests) {
    CheckpointedWriter writer(options());
    std::atomic<bool> stop = false;
    std::int64_t restarts = 0;
    std::thread rounds([&] {
        while (!stop) {
            const auto round = writer.checkpointer.run_once(writer.pages);
            EXPECT_OK(round);
            if (!round.ok()) return;
            restarts += round->restarted ? 1 : 0;
            std::this_thread::yield();
        }
    });
    std::int64_t largest = 0;
    for (int i = 0; i < 1000; ++i) {
        writer.write(120'000);
        largest = std::max(largest, writer.log_bytes());
    }
    stop = true;
    rounds.join();
    EXPECT_GT(restarts, 0);
    EXPECT_LT(largest, 64 * megabyte) << "of 120 MB written";
    EXPECT_EQ(read_all(*world.reading(), 1, 990).size(), 10U);
}

}  // namespace
}  // namespace belfry::store::testing
