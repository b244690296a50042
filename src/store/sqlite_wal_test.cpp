#include "store/sqlite_wal.hpp"

#include <sys/stat.h>

#include "store/test_world.hpp"

namespace belfry::store::testing {
namespace {

// What a killed process leaves: the database with a log that nobody moved.
TEST(RenewedLog, of_any_size_opens_after_the_process_was_killed) {
    for (const int megabytes : {1, 3, 9}) {
        StoreWorld killed(Backend::sqlite);
        StoreWorld found(Backend::sqlite);
        Scribe scribe(killed);
        scribe.open_with_streams();
        for (int i = 0; i < megabytes; ++i) scribe.write(1, std::string(1 << 20, 'x'));
        for (const char* part : {"", "-wal"}) {
            std::filesystem::copy_file(killed.location().sqlite_path + part, found.location().sqlite_path + part);
        }
        Scribe again(found);
        again.open();
        EXPECT_EQ(again.head(1), static_cast<model::Sequence>(megabytes));
        EXPECT_EQ(read_all(*found.reading(), 1, 0, 64 << 20).size(), static_cast<std::size_t>(megabytes));
    }
}

TEST(RenewedLog, stays_as_it_was) {
    StoreWorld world(Backend::sqlite);
    Scribe scribe(world);
    scribe.open_with_streams();
    for (int i = 0; i < 3; ++i) scribe.write(1, std::string(400'000, 'x'));
    const std::string log = world.location().sqlite_path + "-wal";
    const auto before = std::filesystem::file_size(log);
    ASSERT_OK(renew_wal(world.location().sqlite_path, ""));
    EXPECT_EQ(std::filesystem::file_size(log), before);
    EXPECT_EQ(read_all(*world.reading(), 1, 0, 64 << 20).size(), 3U);
    ASSERT_OK(renew_wal("/nowhere/at/all", ""));
}

TEST(RenewedLog, that_holds_nothing_is_the_same_file_for_those_who_have_it_open) {
    StoreWorld world(Backend::sqlite);
    Scribe scribe(world);
    scribe.open_with_streams();
    scribe.write(1, "one");
    const auto reading = world.reading();
    EXPECT_EQ(read_all(*reading, 1).size(), 1U);
    ASSERT_OK(scribe.store().database().script("PRAGMA wal_checkpoint(TRUNCATE)"));
    const std::string log = world.location().sqlite_path + "-wal";
    std::filesystem::resize_file(log, 32);  // a header, as a sync that failed leaves it
    struct stat before{};
    ASSERT_EQ(::stat(log.c_str(), &before), 0);
    ASSERT_OK(renew_wal(world.location().sqlite_path, ""));
    struct stat after{};
    ASSERT_EQ(::stat(log.c_str(), &after), 0);
    EXPECT_EQ(after.st_ino, before.st_ino);
    scribe.write(1, "two");
    EXPECT_EQ(read_all(*reading, 1).size(), 2U);
}

// Whoever has read from a log that is not the one that the index speaks of gets no further by asking again.
TEST(ReaderOfALog, that_failed_is_better_made_anew_whatever_it_was_asked) {
    StoreWorld world(Backend::sqlite);
    Scribe scribe(world);
    scribe.open_with_streams();
    for (int i = 0; i < 20; ++i) scribe.write(1, std::string(10'000, 'x'));
    const auto reading = world.reading();
    std::filesystem::resize_file(world.location().sqlite_path + "-wal", 32);
    EXPECT_TRUE(reading->is_sound());
    const auto found = reading->sessions().find("s1");
    ASSERT_FALSE(found.ok());
    EXPECT_FALSE(reading->is_sound());
}

}  // namespace
}  // namespace belfry::store::testing
