#include "codec/tzif.hpp"

#include <gtest/gtest.h>

namespace belfry::codec {
namespace {

std::string big_endian(std::uint64_t number, std::size_t width) {
    std::string bytes;
    for (std::size_t i = width; i-- > 0;)
        bytes += static_cast<char>(i < sizeof(number) ? number >> (8 * i) & 0xFFU : 0U);
    return bytes;
}

// A file of tzdata in its parts.
struct File {
    char version = '2';
    std::uint32_t leaps = 0;
    std::vector<std::pair<std::int64_t, unsigned char>> times{{1000, 1}, {2000, 0}};
    std::vector<std::int32_t> offsets{3600, 7200};
    std::string footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n";

    [[nodiscard]] std::string header(std::size_t time_count, std::size_t type_count, std::size_t letter_count) const {
        return std::string("TZif") + version + std::string(15, '\0') + big_endian(0, 8) + big_endian(leaps, 4) +
               big_endian(time_count, 4) + big_endian(type_count, 4) + big_endian(letter_count, 4);
    }

    [[nodiscard]] std::string bytes() const {
        // The first block is for old readers: one kind of time, and letters for its name.
        std::string text = header(0, 1, 4) + big_endian(0, 6) + std::string("UTC\0", 4) + big_endian(0, leaps * 8);
        text += header(times.size(), offsets.size(), 4);
        for (const auto& [at, type] : times) text += big_endian(static_cast<std::uint64_t>(at), 8);
        for (const auto& [at, type] : times) text += static_cast<char>(type);
        for (const std::int32_t offset : offsets) {
            text += big_endian(static_cast<std::uint32_t>(offset), 4) + big_endian(0, 2);
        }
        return text + std::string("CET\0", 4) + big_endian(0, leaps * 12) + footer;
    }
};

std::string refusal(const std::string& bytes) {
    const auto zone = parse_tzif(bytes, "X");
    EXPECT_FALSE(zone.ok());
    if (zone.ok()) return {};
    EXPECT_EQ(zone.error().code, base::Code::malformed);
    return zone.error().message;
}

TEST(Tzif, has_changes_and_the_rule_behind_them) {
    const model::Zone zone = *parse_tzif(File().bytes(), "Europe/Berlin");
    EXPECT_EQ(zone.name, "Europe/Berlin");
    EXPECT_EQ(zone.first_offset_s, 3600);
    EXPECT_EQ(zone.changes, (std::vector<model::ZoneChange>{{1000, 7200}, {2000, 3600}}));
    ASSERT_TRUE(zone.tail);
    EXPECT_TRUE(zone.tail->summer);
}

TEST(Tzif, may_have_no_rule_and_times_before_1970) {
    File file;
    file.version = '3';
    file.footer = "\n\n";
    file.times = {{-(std::int64_t{1} << 59), 1}, {-5, 0}};
    const model::Zone zone = *parse_tzif(file.bytes(), "X");
    EXPECT_FALSE(zone.tail);
    EXPECT_EQ(zone.changes.size(), 2U);
    EXPECT_EQ(zone.changes[1].at_s, -5);
}

TEST(Tzif, keeps_only_what_moves_the_clocks_and_where_the_rule_begins) {
    File file;
    file.times = {{1, 0}, {2, 1}, {3, 1}, {4, 0}, {5, 0}};
    EXPECT_EQ(parse_tzif(file.bytes(), "X")->changes,
              (std::vector<model::ZoneChange>{{2, 7200}, {4, 3600}, {5, 3600}}));
}

TEST(Tzif, that_is_cut_off_anywhere_is_an_error) {
    const std::string whole = File().bytes();
    for (std::size_t size = 0; size < whole.size(); ++size) refusal(whole.substr(0, size));
    EXPECT_TRUE(parse_tzif(whole, "X").ok());
}

TEST(Tzif, that_is_damaged_says_how) {
    const auto with = [](auto change) {
        File file;
        change(file);
        return refusal(file.bytes());
    };
    EXPECT_NE(refusal("#!/bin/sh").find("it does not begin with TZif"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.version = '\0'; }).find("version 1"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.leaps = 1; }).find("it counts leap seconds"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.times = {{2000, 0}, {1000, 1}}; }).find("not in order"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.times = {{2000, 0}, {2000, 1}}; }).find("not in order"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.times = {{INT64_MAX, 0}}; }).find("not in order"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.times = {{INT64_MIN, 0}}; }).find("not in order"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.times = {{1, 2}}; }).find("a kind that there is not"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.offsets = {}, f.times = {}; }).find("no or too many kinds"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.offsets[0] = 26 * 3600 + 1; }).find("more than a day"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.offsets[0] = INT32_MIN; }).find("more than a day"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.footer = "\nCET-1CEST\n"; }).find("rule for later years"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.footer = "\nUTC0\nmore"; }).find("cut off"), std::string::npos);
    EXPECT_NE(with([](File& f) { f.footer = "UTC0\n"; }).find("cut off"), std::string::npos);
    EXPECT_NE(refusal(File().bytes() + std::string(tzif_bytes_max, 'x')).find("too large"), std::string::npos);
}

TEST(Tzif, that_claims_more_than_it_has_is_cut_off) {
    std::string bytes = File().bytes();
    for (std::size_t at = 20; at < 44; ++at) bytes[at] = '\xFF';
    EXPECT_NE(refusal(bytes).find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace belfry::codec
