#include "base/characters.hpp"

#include <gtest/gtest.h>

namespace belfry::base {
namespace {

TEST(Characters, are_read_from_utf8_whatever_their_length) {
    EXPECT_EQ(first_character("a").code, U'a');
    EXPECT_EQ(first_character("é!").code, U'é');
    EXPECT_EQ(first_character("é!").bytes, 2U);
    EXPECT_EQ(first_character("—x").code, U'—');
    EXPECT_EQ(first_character("😀x").code, U'😀');
    EXPECT_EQ(first_character("😀x").bytes, 4U);
}

TEST(Characters, that_command_turn_around_or_hide_are_harmful) {
    for (const char* text : {"\x1b",   "\x7f",   "\n",     "\u0080",     "\u009b",     "\u00ad",    "\u061c",
                             "\u200b", "\u200e", "\u2028", "\u202e",     "\u2060",     "\u2064",    "\u2066",
                             "\u2069", "\ufeff", "\ufff9", "\U000E0041", "\U000E007F", "\U000E0100"}) {
        EXPECT_TRUE(has_harmful("a" + std::string(text) + "b"));
    }
}

TEST(Characters, that_words_and_emoji_are_made_of_are_not) {
    for (const char* text : {"plain", "žluťoučký", "שלום", "می‌خواهم", "👩‍💻", "❤️", "日本語"})
        EXPECT_FALSE(has_harmful(text));
}

TEST(Characters, that_nobody_sees_make_a_blank_text) {
    for (const char* text : {"", " ", " \t\r\n", "\u00a0\u2003\u3000", "\u200b\u200d\ufeff", "\u2028 \u2029"}) {
        EXPECT_TRUE(is_blank(text)) << text;
    }
    for (const char* text : {".", " x ", "\n-\n", "\u00a0é", "👩‍💻"}) EXPECT_FALSE(is_blank(text)) << text;
}

}  // namespace
}  // namespace belfry::base
