#include "cli/console.hpp"

#include <fcntl.h>
#include <future>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/reader_watch.hpp"
#include "host/signals.hpp"

namespace belfry::cli {
namespace {

TEST(Output, a_reader_that_went_away_is_no_failure) {
    host::ignore_broken_pipes();
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    Output output(ends[1]);
    output.line("first");
    EXPECT_TRUE(output.flush());
    ::close(ends[0]);
    output.line("second");
    EXPECT_FALSE(output.flush());
    EXPECT_TRUE(output.is_closed());
    EXPECT_EQ(output.failure(), "");
    ::close(ends[1]);
}

TEST(Output, a_full_disk_is_a_failure) {
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(full, 0);
    Output output(full);
    output.line("x");
    EXPECT_FALSE(output.flush());
    EXPECT_EQ(output.failure(), "No space left on device");
    ::close(full);
}

TEST(ReaderWatch, notices_a_reader_that_goes_while_nothing_is_written) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::promise<void> gone;
    {
        const ReaderWatch watch(ends[1], [&] { gone.set_value(); });
        ::close(ends[0]);
        EXPECT_EQ(gone.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
    }
    ::close(ends[1]);
}

TEST(ReaderWatch, ends_in_peace_while_the_reader_is_there) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    bool called = false;
    {
        const ReaderWatch watch(ends[1], [&] { called = true; });
    }
    EXPECT_FALSE(called);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(Paint, colours_only_where_they_are_wanted) {
    EXPECT_EQ(paint("x", Colour::red, false), "x");
    EXPECT_EQ(paint("x", Colour::red, true), "\x1b[31mx\x1b[0m");
    EXPECT_FALSE(wants_colours(-1, host::Environment()));
}

}  // namespace
}  // namespace belfry::cli
