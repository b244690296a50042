#include "store/sqlite_wal.hpp"

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

}  // namespace
}  // namespace belfry::store::testing
