#include "rules/memory_settings.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

std::string fault_of(std::string_view json) {
    const auto read = read_memory_settings({json});
    return read.ok() ? "none" : read.error().field + " " + read.error().message;
}

TEST(MemorySettings, are_read) {
    const auto read = read_memory_settings(
        {R"({"budget_tokens":8000,"hot_tokens":8000,"hot_messages":200,"summarizer":"model","base_url":"https://x/v1",)"
         R"("model":"small","key_env":"API_KEY"})"});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(*read,
              (model::MemorySettings{8000, 8000, 200, model::Summarizer::model, "https://x/v1", "small", "API_KEY"}));
}

TEST(MemorySettings, have_defaults_that_fit_the_budget) {
    EXPECT_EQ(*read_memory_settings({"{}"}), model::MemorySettings{});
    EXPECT_EQ(*read_memory_settings({"null"}), model::MemorySettings{});
    EXPECT_EQ(*read_memory_settings({R"({"budget_tokens":null,"model":null})"}), model::MemorySettings{});
    EXPECT_EQ(read_memory_settings({R"({"budget_tokens":1000})"})->hot_tokens, 500);
    EXPECT_EQ(read_memory_settings({R"({"budget_tokens":1000000})"})->hot_tokens, 6000);
}

TEST(MemorySettings, that_are_wrong_are_refused_with_their_name_and_limit) {
    EXPECT_EQ(fault_of("[]"), " must be an object");
    EXPECT_EQ(fault_of(R"({"budget_tokens":499})"), "budget_tokens must be a whole number from 500 to 1000000");
    EXPECT_EQ(fault_of(R"({"budget_tokens":1000001})"), "budget_tokens must be a whole number from 500 to 1000000");
    EXPECT_EQ(fault_of(R"({"budget_tokens":"900"})"), "budget_tokens must be a whole number from 500 to 1000000");
    EXPECT_EQ(fault_of(R"({"hot_tokens":99})"), "hot_tokens must be a whole number from 100 to 1000000");
    EXPECT_EQ(fault_of(R"({"hot_tokens":901,"budget_tokens":900})"),
              "hot_tokens must not be more than budget_tokens, which is 900");
    EXPECT_EQ(fault_of(R"({"hot_messages":0})"), "hot_messages must be a whole number from 1 to 200");
    EXPECT_EQ(fault_of(R"({"hot_messages":1.5})"), "hot_messages must be a whole number from 1 to 200");
    EXPECT_EQ(fault_of(R"({"summarizer":"me"})"), "summarizer must be rules or model");
    EXPECT_EQ(fault_of(R"({"summarizer":1})"), "summarizer must be rules or model");
    EXPECT_EQ(fault_of(R"({"base_url":"ftp://x","model":"m"})"),
              "base_url must be where the server is, as http://127.0.0.1:11434/v1");
    EXPECT_EQ(fault_of(R"({"base_url":"http://x"})"), "model must be given: which of the server's models");
    EXPECT_EQ(fault_of(R"({"model":"m"})").substr(0, 22), "model needs a base_url");
    EXPECT_EQ(fault_of(R"({"key_env":"KEY"})").substr(0, 24), "key_env needs a base_url");
    EXPECT_EQ(fault_of(R"({"base_url":"http://x","model":"m","key_env":"no name"})"),
              "key_env must be the name of an environment variable");
    EXPECT_EQ(fault_of(R"({"base_url":")" + std::string(2001, 'x') + R"("})"), "base_url is longer than 2000 bytes");
    EXPECT_EQ(fault_of(R"({"key":"secret"})"), "key is unknown");
}

}  // namespace
}  // namespace belfry::rules
