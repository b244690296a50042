#include "rules/model_tokens.hpp"

#include <gtest/gtest.h>
#include <string>

namespace belfry::rules {
namespace {

TEST(ModelTokens, are_estimated_by_words_digits_signs_and_bytes) {
    const struct {
        const char* text;
        std::int64_t tokens;
    } table[] = {
        {"", 0},          {" ", 1},   {"\n\t", 1}, {"a", 1},    {"search", 1}, {"searches", 2},
        {"two words", 2}, {"123", 1}, {"1234", 2}, {"a1", 2},   {"...", 3},    {"tool_fail: x", 5},
        {"ü", 1},         {"€", 2},   {"日本", 3}, {"\x01", 1},
    };
    for (const auto& [text, tokens] : table) EXPECT_EQ(estimate_model_tokens(text), tokens) << '"' << text << '"';
}

TEST(ModelTokens, of_a_longer_text_are_never_fewer) {
    const std::string text = "tool_fails[3]{tool,error,ts}:\n  vault_search,\"timeout: 5000ms\",2026-01-02 …";
    std::int64_t before = 0;
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const std::int64_t tokens = estimate_model_tokens(std::string_view(text).substr(0, length));
        EXPECT_GE(tokens, before) << length;
        before = tokens;
    }
}

}  // namespace
}  // namespace belfry::rules
