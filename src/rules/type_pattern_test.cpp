#include "rules/type_pattern.hpp"

#include <gtest/gtest.h>
#include <string>

namespace belfry::rules {
namespace {

TEST(EventType, has_two_or_more_parts_of_plain_characters) {
    for (const char* good : {"a.b", "tool.call.failure", "A-1._x.9", "ci.build-failed"})
        EXPECT_TRUE(is_event_type(good)) << good;
    for (const char* bad : {"", "a", ".a.b", "a..b", "a.b.", "a b.c", "a.b*", "a.*", "ü.b", "a/b.c"})
        EXPECT_FALSE(is_event_type(bad)) << bad;
}

TEST(EventType, has_at_most_200_characters) {
    EXPECT_TRUE(is_event_type("a." + std::string(198, 'b')));
    EXPECT_FALSE(is_event_type("a." + std::string(199, 'b')));
}

TEST(TypePattern, may_end_in_a_star_at_any_depth) {
    for (const char* good : {"tool.*", "tool.call.*", "tool.call.failure"}) EXPECT_TRUE(is_type_pattern(good)) << good;
    for (const char* bad : {"*", ".*", "tool*", "tool.*.x", "*.x", "tool", ""})
        EXPECT_FALSE(is_type_pattern(bad)) << bad;
}

TEST(TypePattern, matches_what_lies_below_and_nothing_beside) {
    EXPECT_TRUE(matches_type("tool.*", "tool.call.failure"));
    EXPECT_TRUE(matches_type("tool.*", "tool.x"));
    EXPECT_FALSE(matches_type("tool.*", "tool"));
    EXPECT_FALSE(matches_type("tool.*", "toolbox.x"));
    EXPECT_TRUE(matches_type("tool.call.failure", "tool.call.failure"));
    EXPECT_FALSE(matches_type("tool.call", "tool.call.failure"));
}

TEST(TypePrefix, is_the_type_itself_or_stands_above_it) {
    for (const char* prefix : {"ci", "ci.", "ci.*"}) {
        EXPECT_TRUE(is_below_prefix(prefix, "ci.failed")) << prefix;
        EXPECT_FALSE(is_below_prefix(prefix, "cinema.failed")) << prefix;
    }
    EXPECT_TRUE(is_below_prefix("ci.failed", "ci.failed"));
    EXPECT_FALSE(is_below_prefix("ci.failed", "ci"));
}

}  // namespace
}  // namespace belfry::rules
