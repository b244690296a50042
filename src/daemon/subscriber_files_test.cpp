#include "daemon/subscriber_files.hpp"

#include <gtest/gtest.h>

#include "host/files.hpp"
#include "host/system_clock.hpp"
#include "host/temporary_folder_test.hpp"

namespace belfry::daemon {
namespace {

TEST(SubscriberFiles, a_change_is_reported_until_the_engine_was_told) {
    const host::TemporaryFolder folder;
    const host::SystemClock clock;
    host::Logger log(clock, host::LogLevel::error, host::LogFormat::json);
    SubscriberFiles files(folder.file(""), log);
    EXPECT_FALSE(files.is_untold());
    EXPECT_FALSE(*files.read());
    ASSERT_TRUE(host::write_file_atomically(folder.file("a.toml"), "broken", 0600).ok());
    EXPECT_TRUE(*files.read());
    EXPECT_TRUE(*files.read());
    EXPECT_TRUE(files.is_untold());
    files.told();
    EXPECT_FALSE(*files.read());
}

}  // namespace
}  // namespace belfry::daemon
