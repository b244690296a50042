#include "rules/cron.hpp"

#include <gtest/gtest.h>

#include "rules/wall_pattern.hpp"

namespace belfry::rules {
namespace {

using Days = model::WallPattern::Days;

model::WallPattern pattern(std::string_view text) {
    const auto cron = parse_cron(text);
    EXPECT_TRUE(cron.ok()) << text << ": " << (cron.ok() ? "" : cron.error().message);
    return cron.ok() ? cron->pattern : model::WallPattern{};
}

std::string refusal(std::string_view text) {
    const auto cron = parse_cron(text);
    EXPECT_FALSE(cron.ok()) << text;
    return cron.ok() ? "" : cron.error().message;
}

TEST(Cron, reads_numbers_ranges_lists_and_steps) {
    const model::WallPattern read = pattern("  5,10-12,*/20 1-9/4\t1 * 0 ");
    EXPECT_EQ(read.minutes, 1U << 0 | 1U << 5 | 7U << 10 | 1U << 20 | std::uint64_t{1} << 40);
    EXPECT_EQ(read.hours, 1U << 1 | 1U << 5 | 1U << 9);
    EXPECT_EQ(read.days, 1U << 1);
    EXPECT_EQ(read.months, every_month);
    EXPECT_EQ(read.weekdays, 1U);
    EXPECT_EQ(pattern("* * * * *"), (model::WallPattern{(std::uint64_t{1} << 60) - 1, (1U << 24) - 1, every_day,
                                                        every_month, every_weekday, Days::both}));
}

TEST(Cron, reads_names_in_any_case_and_both_sundays) {
    EXPECT_EQ(pattern("0 0 * jan,DEC,Mar-may *").months, 1U << 1 | 1U << 12 | 7U << 3);
    EXPECT_EQ(pattern("0 0 * * MON-fri").weekdays, 0b0111110U);
    EXPECT_EQ(pattern("0 0 * * 7").weekdays, 1U);
    EXPECT_EQ(pattern("0 0 * * 5-7").weekdays, 0b1100001U);
    EXPECT_EQ(pattern("0 0 * * fri-sun"), pattern("0 0 * * 5-7"));
    EXPECT_EQ(pattern("0 0 * * sun-tue").weekdays, 0b0000111U);
    EXPECT_EQ(pattern("0 0 * * 0-7/7").weekdays, 1U);
}

TEST(Cron, has_words_for_the_usual_ones) {
    EXPECT_EQ(pattern("@hourly"), pattern("0 * * * *"));
    EXPECT_EQ(pattern("@daily"), pattern("0 0 * * *"));
    EXPECT_EQ(pattern("@Midnight"), pattern("0 0 * * *"));
    EXPECT_EQ(pattern("@weekly"), pattern("0 0 * * 0"));
    EXPECT_EQ(pattern("@monthly"), pattern("0 0 1 * *"));
    EXPECT_EQ(pattern("@yearly"), pattern("0 0 1 1 *"));
    EXPECT_EQ(pattern("@annually"), pattern("@yearly"));
    EXPECT_EQ(parse_cron("@daily")->text, "@daily");
}

TEST(Cron, takes_a_day_of_either_field_where_both_are_restricted) {
    EXPECT_EQ(pattern("0 0 13 * fri").match, Days::either);
    EXPECT_EQ(pattern("0 0 13 * *").match, Days::both);
    EXPECT_EQ(pattern("0 0 * * fri").match, Days::both);
    EXPECT_EQ(pattern("0 0 */2 * fri").match, Days::both);
    EXPECT_EQ(pattern("0 0 13 * */2").match, Days::both);
}

TEST(Cron, that_never_comes_is_refused_with_the_reason) {
    EXPECT_EQ(refusal("0 0 30 2 *"),
              "it never comes: the day of month is \"30\", the month is \"2\", and no such month has such a day");
    refusal("0 0 31 feb,apr,jun,sep,nov *");
    refusal("0 0 30,31 2 */2");
    EXPECT_TRUE(parse_cron("0 0 29 2 *").ok());
    EXPECT_TRUE(parse_cron("0 0 31 4,5 *").ok());
    EXPECT_TRUE(parse_cron("0 0 30 2 mon").ok());  // every Monday of February
}

TEST(Cron, says_which_field_what_stands_there_and_what_may) {
    EXPECT_EQ(refusal("0 24 * * *"),
              "the hour is \"24\": it has no 24; allowed are 0 to 23, *, ranges (a-b), lists "
              "(a,b) and steps (*/n, a-b/n)");
    EXPECT_EQ(refusal("* * * * * *"),
              "\"* * * * * *\" has 6 fields; allowed are five: minute, hour, day of month, "
              "month, day of week (there are no seconds and no years)");
    EXPECT_EQ(refusal(""), "\"\" has 0 fields; allowed are five: minute, hour, day of month, month, day of week");
    struct Case {
        const char* text;
        const char* says;
    };
    for (const Case& one : {Case{"60 * * * *", "the minute is \"60\": it has no 60"},
                            Case{"0 0 0 * *", "the day of month is \"0\": it has no 0"},
                            Case{"0 0 32 * *", "the day of month is \"32\": it has no 32"},
                            Case{"0 0 * 13 *", "the month is \"13\""},
                            Case{"0 0 * foo *",
                                 "the month is \"foo\": \"foo\" is none of its values; allowed are 1 to "
                                 "12 or JAN to DEC"},
                            Case{"0 0 * * 8", "the day of week is \"8\": it has no 8"},
                            Case{"0 0 * * mon-", "a number is missing"},
                            Case{"0 jan * * *", "\"jan\" is none of its values"},
                            Case{"0 0 L * *", "?, L, W and # are not known here"},
                            Case{"0 0 15W * *", "?, L, W and # are not known here"},
                            Case{"0 0 ? * *", "?, L, W and # are not known here"},
                            Case{"0 0 * * mon#2", "?, L, W and # are not known here"},
                            Case{"5-1 * * * *", "the range \"5-1\" runs backwards"},
                            Case{"5/10 * * * *", "a step needs * or a range before it, not \"5\""},
                            Case{"*/0 * * * *", "a step is 1 to 60, not \"0\""},
                            Case{"*/61 * * * *", "a step is 1 to 60, not \"61\""},
                            Case{"*/-5 * * * *", "a step is 1 to 60, not \"-5\""},
                            Case{"*/ * * * *", "a step is 1 to 60, not \"\""},
                            Case{"1,,2 * * * *", "an item of the list is empty"},
                            Case{"1, * * * *", "an item of the list is empty"},
                            Case{"+1 * * * *", "\"+1\" is none of its values"},
                            Case{"4294967297 * * * *", "\"4294967297\" is none of its values"},
                            Case{"1-2-3 * * * *", "\"2-3\" is none of its values"},
                            Case{"**  * * * *", "\"**\" is none of its values"},
                            Case{"@reboot", "\"@reboot\" is not known; allowed are @hourly, @daily, @midnight"}}) {
        EXPECT_NE(refusal(one.text).find(one.says), std::string::npos) << refusal(one.text);
    }
    EXPECT_EQ(refusal(std::string(257, '*')), "it has 257 bytes; allowed are 256");
}

}  // namespace
}  // namespace belfry::rules
