#include "cli/local_clock.hpp"

#include <gtest/gtest.h>

#include "cli/run.hpp"

namespace belfry::cli {
namespace {

// 2026-03-28T23:30:00Z: in Berlin it is Sunday already, the day on which summer time begins.
constexpr base::Timestamp night{1'774'740'600'000'000};

LocalClock clock_in(const std::string& zone, base::Timestamp now = night) {
    Output out;
    Output err;
    Console console{out, err};
    const host::Environment environment({{"TZ", zone}});
    const std::vector<Command> commands;
    Context context{console, environment, [now] { return now; }, commands};
    auto clock = LocalClock::of(context, Arguments{});
    EXPECT_TRUE(clock.ok());
    return std::move(clock).value();
}

TEST(LocalClock, days_begin_at_the_midnight_of_the_zone) {
    const LocalClock berlin = clock_in("Europe/Berlin");
    EXPECT_EQ(berlin.today(), "2026-03-29");
    EXPECT_EQ(berlin.shown(night), "2026-03-29 00:30");
    EXPECT_EQ(*berlin.read_date("DATE", "yesterday"), "2026-03-28");
    EXPECT_EQ(*berlin.read_date("DATE", "tomorrow"), "2026-03-30");
    EXPECT_EQ(clock_in("America/New_York").today(), "2026-03-28");
}

TEST(LocalClock, times_are_those_of_the_day_on_which_the_clocks_jump) {
    const LocalClock berlin = clock_in("Europe/Berlin");
    const auto across = berlin.read_span("TIME", "01:00-04:00", "2026-03-29");
    ASSERT_TRUE(across.ok());
    EXPECT_EQ(base::format_timestamp(across->from), "2026-03-29T00:00:00Z");
    EXPECT_EQ(base::format_timestamp(across->to), "2026-03-29T02:00:00Z");
    const auto over_midnight = berlin.read_span("TIME", "23:00-01:00", "2026-03-28");
    ASSERT_TRUE(over_midnight.ok());
    EXPECT_EQ(base::format_timestamp(over_midnight->from), "2026-03-28T22:00:00Z");
    EXPECT_EQ(base::format_timestamp(over_midnight->to), "2026-03-29T00:00:00Z");
    EXPECT_EQ(base::format_timestamp(*berlin.read_moment("--at", "2026-01-01T00:00:00+05:00", "2026-03-29")),
              "2025-12-31T19:00:00Z");
}

TEST(LocalClock, what_is_no_time_is_refused_by_its_name) {
    const LocalClock utc = clock_in("UTC");
    for (const char* bad : {"", "09:00", "09:00-", "9:00-10:00", "09:00-09:00", "09:00-24:00", "09:00-10:00-11:00"}) {
        const auto span = utc.read_span("TIME", bad, "2026-03-29");
        ASSERT_FALSE(span.ok()) << bad;
        EXPECT_EQ(span.error().message,
                  "TIME must be a stretch of a day such as 09:00-11:00, not \"" + std::string(bad) + '"');
    }
    for (const char* bad : {"", "2026-02-30", "2026-3-29", "29.03.2026", "Today"}) {
        EXPECT_FALSE(utc.read_date("--due", bad).ok()) << bad;
    }
    EXPECT_FALSE(utc.read_moment("--at", "noon", "2026-03-29").ok());
}

}  // namespace
}  // namespace belfry::cli
