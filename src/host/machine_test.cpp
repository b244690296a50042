#include <csignal>
#include <gtest/gtest.h>
#include <poll.h>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

#include "host/entropy.hpp"
#include "host/process.hpp"
#include "host/signals.hpp"
#include "host/sizes.hpp"
#include "host/system_clock.hpp"

namespace belfry::host {
namespace {

TEST(Sizes, reads_binary_and_decimal_units) {
    EXPECT_EQ(parse_bytes("8GiB"), 8LL << 30);
    EXPECT_EQ(parse_bytes("1KB"), 1000);
    EXPECT_EQ(parse_bytes("4096"), 4096);
    EXPECT_EQ(parse_bytes("2 TiB"), 2LL << 40);
    for (const char* bad : {"", "GiB", "-1", "1.5GiB", "8gib", "9999999TiB", "8GiBs", "0x10"}) {
        EXPECT_FALSE(parse_bytes(bad)) << bad;
    }
}

TEST(Sizes, writes_what_it_reads) {
    for (const std::int64_t bytes : {0LL, 1LL, 1000LL, 1024LL, 1536LL << 20, 8LL << 30}) {
        EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes);
    }
    EXPECT_EQ(format_bytes(8LL << 30), "8GiB");
    EXPECT_EQ(about_bytes(1536LL << 20), "1.5 GiB");
    EXPECT_EQ(about_bytes(1023), "1023 B");
}

TEST(Entropy, does_not_repeat) {
    Entropy entropy;
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.insert(entropy.next()).second);
}

TEST(SystemClock, tells_a_believable_time_and_never_goes_back) {
    const SystemClock clock;
    EXPECT_GT(clock.now(), base::parse_timestamp("2025-01-01T00:00:00Z"));
    const base::Duration first = clock.monotonic();
    EXPECT_LE(first, clock.monotonic());
}

TEST(Process, knows_itself) {
    EXPECT_EQ(process_id(), ::getpid());
    EXPECT_GT(raise_open_files_limit(64), 0U);
    EXPECT_LE(raise_open_files_limit(~0ULL), open_files_limit_max());
}

// In a child, because blocked signals stay blocked.
TEST(Signals, are_read_in_place_of_ending_the_process) {
    const pid_t child = ::fork();
    if (child == 0) {
        auto signals = Signals::open();
        if (!signals.ok() || signals->take()) ::_exit(1);
        ::kill(::getpid(), SIGHUP);
        pollfd entry{signals->descriptor(), POLLIN, 0};
        if (::poll(&entry, 1, 5000) != 1 || signals->take() != Signal::reload) ::_exit(2);
        ::kill(::getpid(), SIGTERM);
        if (::poll(&entry, 1, 5000) != 1 || signals->take() != Signal::stop) ::_exit(3);
        ::_exit(signals->take() ? 4 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace belfry::host
