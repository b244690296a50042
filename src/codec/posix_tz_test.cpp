#include "codec/posix_tz.hpp"

#include <gtest/gtest.h>

namespace belfry::codec {
namespace {

using Kind = model::YearlyMoment::Kind;

TEST(PosixTz, may_be_one_offset_for_ever) {
    EXPECT_EQ(*parse_posix_tz("UTC0"), (model::ZoneTail{0, {}}));
    EXPECT_EQ(parse_posix_tz("<+0545>-5:45")->offset_s, 5 * 3600 + 45 * 60);
    EXPECT_EQ(parse_posix_tz("ABC+1:02:03")->offset_s, -3723);
    EXPECT_EQ(parse_posix_tz("XXX24")->offset_s, -24 * 3600);
}

TEST(PosixTz, has_moments_of_a_month_by_weekday) {
    const model::ZoneTail tail = *parse_posix_tz("CET-1CEST,M3.5.0,M10.5.0/3");
    EXPECT_EQ(tail.offset_s, 3600);
    ASSERT_TRUE(tail.summer);
    EXPECT_EQ(tail.summer->offset_s, 7200);
    EXPECT_EQ(tail.summer->begins, (model::YearlyMoment{Kind::weekday_of_month, 3, 5, 0, 0, 7200}));
    EXPECT_EQ(tail.summer->ends, (model::YearlyMoment{Kind::weekday_of_month, 10, 5, 0, 0, 10'800}));
}

TEST(PosixTz, may_have_names_in_brackets_and_times_before_midnight_and_after_a_day) {
    const model::ZoneTail nuuk = *parse_posix_tz("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
    EXPECT_EQ(nuuk.offset_s, -7200);
    EXPECT_EQ(nuuk.summer->offset_s, -3600);
    EXPECT_EQ(nuuk.summer->begins.time_s, -3600);
    EXPECT_EQ(nuuk.summer->ends.time_s, 0);
    EXPECT_EQ(parse_posix_tz("EET-2EEST,M3.4.4/50,M10.4.4/50")->summer->begins.time_s, 50 * 3600);
    EXPECT_EQ(parse_posix_tz("AAA0BBB,M1.1.0/-167,M2.1.0/167:59:59")->summer->ends.time_s, 167 * 3600 + 3599);
}

TEST(PosixTz, may_count_days_of_the_year_and_have_less_in_summer) {
    const model::ZoneTail tail = *parse_posix_tz("IST-1GMT0,J60/1,365");
    EXPECT_EQ(tail.summer->offset_s, 0);
    EXPECT_EQ(tail.summer->begins, (model::YearlyMoment{Kind::day_but_leap, 1, 1, 0, 60, 3600}));
    EXPECT_EQ(tail.summer->ends, (model::YearlyMoment{Kind::day, 1, 1, 0, 365, 7200}));
}

TEST(PosixTz, that_is_broken_says_where) {
    for (const char* bad : {"",
                            "C",
                            "CE1",
                            "CET",
                            "CET-",
                            "CET25",
                            "CET-1:60",
                            "CET-1CEST",
                            "CET-1CEST,M3.5.0",
                            "CET-1CEST,M13.5.0,M10.5.0",
                            "CET-1CEST,M3.6.0,M10.5.0",
                            "CET-1CEST,M3.0.0,M10.5.0",
                            "CET-1CEST,M3.5.7,M10.5.0",
                            "CET-1CEST,M3.5.0/168,M1.1.0",
                            "CET-1CEST,J0,J365",
                            "CET-1CEST,J1,J366",
                            "CET-1CEST,0,366",
                            "CET-1CEST,M3.5.0,M10.5.0/3x",
                            "<CET-1",
                            "<C>-1",
                            "CET-1CEST,M3.5.0,M10.5.0,",
                            "CET-1CEST;M3.5.0,M10.5.0",
                            "CET--1",
                            "CET-0001"}) {
        const auto tail = parse_posix_tz(bad);
        ASSERT_FALSE(tail.ok()) << bad;
        EXPECT_EQ(tail.error().code, base::Code::malformed);
        EXPECT_NE(tail.error().message.find(" at byte "), std::string::npos) << tail.error().message;
    }
    EXPECT_EQ(parse_posix_tz("CET-1CEST,M13.5.0,M1.1.0").error().message,
              "the rule for later years has no number from 1 to 12 at byte 13");
}

}  // namespace
}  // namespace belfry::codec
