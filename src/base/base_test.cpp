#include <array>
#include <gtest/gtest.h>
#include <string_view>

#include "base/hash.hpp"
#include "base/iso_time.hpp"
#include "base/nearest.hpp"
#include "base/time.hpp"
#include "base/uuid.hpp"

namespace belfry::base {
namespace {

TEST(Time, is_written_with_as_many_digits_as_it_needs) {
    EXPECT_EQ(format_timestamp(Timestamp{0}), "1970-01-01T00:00:00Z");
    EXPECT_EQ(format_timestamp(Timestamp{1'772'366'401'500'000}), "2026-03-01T12:00:01.500Z");
    EXPECT_EQ(format_timestamp(Timestamp{1'772'366'401'500'001}), "2026-03-01T12:00:01.500001Z");
    EXPECT_EQ(format_timestamp(Timestamp{951'782'400'000'000}), "2000-02-29T00:00:00Z");
}

TEST(Time, is_read_with_any_offset) {
    EXPECT_EQ(parse_timestamp("2026-03-01T13:00:01.5+01:00"), Timestamp{1'772'366'401'500'000});
    EXPECT_EQ(parse_timestamp("2026-03-01t12:00:01.500000999z"), Timestamp{1'772'366'401'500'000});
    EXPECT_EQ(parse_timestamp("2016-12-31T23:59:60Z"), parse_timestamp("2016-12-31T23:59:59Z"));
    const Timestamp noon{1'772'366'400'000'000};  // 2026-03-01T12:00:00Z, a Sunday
    for (const char* text :
         {"2026-03-01T12:00:00,0Z", "2026-03-01T12:00Z", "2026-03-01T12Z", "2026-03-01T12:00:00+0000",
          "2026-03-01T13+01", "20260301T120000Z", "20260301T1200-0000", "20260301T12:00:00Z", "2026-W09-7T12:00:00Z",
          "2026W097T12Z", "2026-060T12:00Z", "2026060T120000Z"}) {
        EXPECT_EQ(parse_timestamp(text), noon) << text;
    }
    EXPECT_EQ(parse_timestamp("2026-02-28T24:00:00Z"), parse_timestamp("2026-03-01T00:00:00Z"));
    EXPECT_EQ(parse_timestamp("2020-W53-7T00:00Z"), parse_timestamp("2021-01-03T00:00Z"));
    EXPECT_EQ(parse_timestamp("2024-W01-1T00:00Z"), parse_timestamp("2024-01-01T00:00Z"));
    EXPECT_EQ(parse_timestamp("1969-12-31T23:59:59Z"), std::nullopt);
    EXPECT_EQ(parse_timestamp_from(year_one, "1969-12-31T23:59:59.5Z"), Timestamp{-500'000});
    EXPECT_EQ(format_timestamp(*parse_timestamp_from(year_one, "0001-01-01T00:00:00Z")), "0001-01-01T00:00:00Z");
    EXPECT_EQ(parse_timestamp_from(year_one, "0001-01-01T00:00:00+00:01"), std::nullopt);
}

TEST(Time, refuses_what_is_no_instant) {
    for (const char* bad : {"",
                            "2026",
                            "2026-02-29T00:00:00Z",
                            "2026-13-01T00:00:00Z",
                            "2026-01-01T24:00:01Z",
                            "2026-01-01T00:00:00",
                            "2026-01-01T00:00:00Zx",
                            "2026-01-01T00:00:00.Z",
                            "1969-12-31T23:59:59Z",
                            "1970-01-01T00:00:00+01:00",
                            "2026-01-01T00:00:00+24:00",
                            "2026-1117T00:00:00Z",
                            "2026-01-01T00:0000Z",
                            "2026-01-01T0000:00Z",
                            "2026-01-01T00:00:00+1",
                            "2026-01-01T00:00:00+01:",
                            "2026-W54-1T00:00Z",
                            "2026-W00-1T00:00Z",
                            "2026-W01-0T00:00Z",
                            "2025-366T00:00Z",
                            "2026-000T00:00Z",
                            "2026-W011T00:00Z",
                            "0000-01-01T00:00Z",
                            "2026-01-01TZ"}) {
        EXPECT_FALSE(parse_timestamp(bad)) << bad;
    }
}

TEST(Time, knows_the_form_of_rfc_3339) {
    for (const char* text : {"2026-03-01T12:00:00Z", "2026-03-01t12:00:00.5z", "2026-03-01 12:00:00+01:00"}) {
        EXPECT_TRUE(is_rfc3339(text)) << text;
    }
    for (const char* text : {"2026-03-01T12:00Z", "20260301T120000Z", "2026-03-01T12:00:00,5Z",
                             "2026-03-01T12:00:00+0100", "2026-03-01T12:00:00+01", "2026-W09-7T12:00:00Z",
                             "2026-060T12:00:00.0Z", "2026-02-28T24:00:00Z", "", "nonsense"}) {
        EXPECT_FALSE(is_rfc3339(text)) << text;
    }
}

TEST(Time, reads_back_what_it_wrote) {
    for (std::int64_t us = 0; us < 253'402'300'799'000'000; us += 7'654'321'987'654'321) {
        EXPECT_EQ(parse_timestamp(format_timestamp(Timestamp{us})), Timestamp{us});
    }
}

TEST(Duration, has_units) {
    EXPECT_EQ(parse_duration("90s"), seconds(90));
    EXPECT_EQ(parse_duration("15"), seconds(15));
    EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
    EXPECT_EQ(parse_duration("30d"), days(30));
    for (const char* bad : {"", "s", "-1s", "1w", "9223372036854775807d"}) EXPECT_FALSE(parse_duration(bad)) << bad;
    EXPECT_EQ(format_duration(days(30)), "30d");
    EXPECT_EQ(format_duration(milliseconds(1500)), "1500ms");
}

TEST(Uuid, of_version_7_sorts_by_time) {
    const Uuid early = make_uuid7(Timestamp{1'700'000'000'000'000}, ~0ULL, ~0ULL);
    const Uuid late = make_uuid7(Timestamp{1'700'000'000'000'300}, 0, 0);
    EXPECT_LT(early, late);
    EXPECT_EQ(format_uuid(early)[14], '7');
    EXPECT_EQ(parse_uuid(format_uuid(early)), early);
    EXPECT_FALSE(parse_uuid("018bcfe5-6800-7fff-bfff-fffffffffffg"));
    EXPECT_FALSE(parse_uuid("018bcfe568007fffbfffffffffffffff"));
}

TEST(Nearest, finds_what_was_meant_and_guesses_nothing_wild) {
    constexpr std::array<std::string_view, 3> words{"severity", "session", "source"};
    EXPECT_EQ(nearest("sevrity", words), "severity");
    EXPECT_EQ(nearest("esssion", words), "session");
    EXPECT_EQ(nearest("banana", words), "");
    EXPECT_EQ(nearest("", words), "");
}

TEST(Hash, is_sha256) {
    const Sha256 hash = sha256("abc");
    EXPECT_EQ(hex({reinterpret_cast<const char*>(hash.data()), hash.size()}),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(base64url(std::string_view("\xfb\xff\xfe", 3)), "-__-");
    EXPECT_EQ(base64url("a"), "YQ");
    EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
    EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
    EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

TEST(Hash, base64_comes_back_and_has_one_spelling) {
    for (const std::string_view text : {"", "a", "ab", "abc", "\xfb\xff\xfe"}) {
        EXPECT_EQ(parse_base64(base64(text)), text);
    }
    EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
    for (const std::string_view wrong : {"YQ", "YR==", "YQ=", "Y", "-__-", "YQ==x", "Y Q="}) {
        EXPECT_FALSE(parse_base64(wrong)) << wrong;
    }
}

TEST(Hash, an_hmac_is_that_of_rfc_4231) {
    const Sha256 code = hmac_sha256("Jefe", "what do ya want for nothing?");
    EXPECT_EQ(hex({reinterpret_cast<const char*>(code.data()), code.size()}),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace
}  // namespace belfry::base
