#include "codec/utf8.hpp"

#include <gtest/gtest.h>

namespace belfry::codec {
namespace {

TEST(Utf8, replaces_only_the_bytes_that_are_none) {
    EXPECT_EQ(to_utf8("a\xC3\xA4z"), "a\xC3\xA4z");
    EXPECT_EQ(to_utf8("a\xC3z\xFF"), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
    EXPECT_TRUE(is_utf8(""));
    EXPECT_FALSE(is_utf8("a\xE2\x82"));
}

}  // namespace
}  // namespace belfry::codec
