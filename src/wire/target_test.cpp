#include "wire/target.hpp"

#include <gtest/gtest.h>

namespace belfry::wire {
namespace {

TEST(Target, resolves_percent_signs_and_refuses_broken_ones) {
    EXPECT_EQ(percent_decode("a%20b%2Fc+d", false), "a b/c+d");
    EXPECT_EQ(percent_decode("a+b", true), "a b");
    EXPECT_FALSE(percent_decode("%", false));
    EXPECT_FALSE(percent_decode("%2", false));
    EXPECT_FALSE(percent_decode("%zz", false));
}

TEST(Target, splits_a_query_in_order) {
    const QueryParameters expected{{"type", "a.*"}, {"type", "b"}, {"flag", ""}, {"x", "1=2"}};
    EXPECT_EQ(parse_query("type=a.%2A&type=b&&flag&x=1=2"), expected);
    EXPECT_EQ(parse_query(""), QueryParameters{});
    EXPECT_FALSE(parse_query("a=%"));
}

}  // namespace
}  // namespace belfry::wire
