#include "text/tokenizer.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace belfry::text {
namespace {

using Words = std::vector<std::string_view>;

// A vocabulary of all bytes and these, ranked in their order.
std::string file_of(const std::vector<std::string>& tokens) {
    std::string file;
    std::size_t rank = 0;
    for (int byte = 0; byte < 256; ++byte) {
        file += base::base64(std::string(1, static_cast<char>(byte))) + " " + std::to_string(rank++) + "\n";
    }
    for (const std::string& token : tokens) file += base::base64(token) + " " + std::to_string(rank++) + "\n";
    return file;
}

Tokenizer tokenizer_of(const std::vector<std::string>& tokens) {
    auto read = Tokenizer::read(file_of(tokens));
    EXPECT_TRUE(read.ok()) << read.error().message;
    return std::move(*read);
}

std::string error_of(std::string_view file) {
    const auto read = Tokenizer::read(file);
    return read.ok() ? "none" : read.error().message;
}

TEST(ATextForTokens, is_split_as_the_pattern_of_cl100k_does) {
    EXPECT_EQ(split_for_tokens("Hello world"), (Words{"Hello", " world"}));
    EXPECT_EQ(split_for_tokens("I'm he'LL don't o'clock"),
              (Words{"I", "'m", " he", "'LL", " don", "'t", " o", "'clock"}));
    EXPECT_EQ(split_for_tokens("12345 67"), (Words{"123", "45", " ", "67"}));
    EXPECT_EQ(split_for_tokens("a,b (c)..."), (Words{"a", ",b", " (", "c", ")..."}));
    EXPECT_EQ(split_for_tokens("x  y"), (Words{"x", " ", " y"}));
    EXPECT_EQ(split_for_tokens("x   \n\n  y"), (Words{"x", "   \n\n", " ", " y"}));
    EXPECT_EQ(split_for_tokens("end;\n\nnext  "), (Words{"end", ";\n\n", "next", "  "}));
    EXPECT_EQ(split_for_tokens("Grüße, 世界!"), (Words{"Grüße", ",", " 世界", "!"}));
    EXPECT_EQ(split_for_tokens("\t\tif"), (Words{"\t", "\tif"}));
    EXPECT_EQ(split_for_tokens("²x½"), (Words{"²", "x", "½"}));
    EXPECT_EQ(split_for_tokens(""), Words{});
}

TEST(ATextForTokens, is_the_same_when_its_words_stand_together) {
    const std::string text = "One 'two'\r\n\t three—4444; 'S \xF0\x9F\x98\x80\xF0\x9F\x98\x80 end \n ";
    std::string all;
    for (const std::string_view word : split_for_tokens(text)) all += word;
    EXPECT_EQ(all, text);
}

TEST(Tokens, are_joined_by_the_lowest_rank_first) {
    const Tokenizer tokenizer = tokenizer_of({"lo", "he", "hel", "low", "ell"});
    EXPECT_EQ(tokenizer.count("hello"), 2) << "lo, then he, then hel";
    EXPECT_EQ(tokenizer.count("ello"), 3) << "lo before ell";
    EXPECT_EQ(tokenizer.count("hel"), 1);
    EXPECT_EQ(tokenizer.count("low"), 1);
    EXPECT_EQ(tokenizer.count("lolo"), 2);
    EXPECT_EQ(tokenizer.count("zzz"), 3);
    EXPECT_EQ(tokenizer.count(""), 0);
    EXPECT_EQ(tokenizer.count("hel low"), 3) << "nothing is joined over the end of a word";
}

TEST(Tokens, of_the_same_rank_are_joined_from_the_left) {
    const Tokenizer tokenizer = tokenizer_of({"aa", "aaaa"});
    EXPECT_EQ(tokenizer.count("aaa"), 2);
    EXPECT_EQ(tokenizer.count("aaaaa"), 2);
    EXPECT_EQ(tokenizer.count("aaaaaaaa"), 2);
}

TEST(Tokens, of_a_long_word_are_counted_soon) {
    const Tokenizer tokenizer = tokenizer_of({"aa", "aaaa", "aaaaaaaa"});
    EXPECT_EQ(tokenizer.count(std::string(1 << 20, 'a')), (1 << 20) / 8);
    EXPECT_EQ(tokenizer.count(std::string(1 << 20, ' ')), 1 << 20);
}

TEST(Tokens, that_the_vocabulary_does_not_have_are_bytes) {
    const auto read = Tokenizer::read("YWI= 0\n");
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->size(), 1U);
    EXPECT_EQ(read->count("ab"), 1);
    EXPECT_EQ(read->count("ax"), 2);
    EXPECT_EQ(read->count("xabx"), 3);
}

TEST(AVocabulary, that_is_wrong_is_refused_with_its_line) {
    EXPECT_EQ(error_of(""), "has no tokens in it");
    EXPECT_EQ(error_of("YQ== 0\nYg==1\n"), "line 2: must be a token in base64, a space and its rank");
    EXPECT_EQ(error_of("YQ== 0\n!!!! 1\n"), "line 2: the token is not base64");
    EXPECT_EQ(error_of("YQ== 0\n 1\n"), "line 2: the token is not base64");
    EXPECT_EQ(error_of("YQ== -1\n"), "line 1: the rank must be a whole number below 4294967295");
    EXPECT_EQ(error_of("YQ== 1x\n"), "line 1: the rank must be a whole number below 4294967295");
    EXPECT_EQ(error_of("YQ== 4294967295\n"), "line 1: the rank must be a whole number below 4294967295");
    EXPECT_EQ(error_of("YQ== 0\nYg== 0\n"), "line 2: another token has this rank already");
    EXPECT_EQ(error_of("YQ== 0\n\nYQ== 1\n"), "line 3: this token has a rank already");
    EXPECT_EQ(error_of(base::base64(std::string(1025, 'a')) + " 0\n"), "line 1: the token is longer than 1024 bytes");
    EXPECT_EQ(error_of("YQ== 0\r\nYg== 1"), "none");
}

}  // namespace
}  // namespace belfry::text
