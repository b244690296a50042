#include "rules/model_settings.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

base::Result<ModelSettings> settings_of(std::string json, std::string model_id = {}) {
    model::Agent agent;
    agent.config.model_id = std::move(model_id);
    agent.workflow_settings = model::RawJson::trusted(std::move(json));
    return read_model_settings(agent);
}

std::string field_of(const std::string& more) {
    const auto read = settings_of(R"({"base_url":"http://127.0.0.1:1/v1","model":"m",)" + more + "}");
    return read.ok() ? "none" : read.error().field;
}

TEST(ModelSettings, are_read) {
    const auto read = settings_of(
        R"({"base_url":"https://x/v1","model":"m","key_env":"API_KEY","system":"Be {{ agent.kind }}","temperature":0.5,)"
        R"("max_output_tokens":9,"rounds_max":3,"tokens_max":1000,"timeout_s":7,"stream":false})");
    ASSERT_TRUE(read.ok()) << read.error().field << read.error().message;
    EXPECT_EQ(read->key_env, "API_KEY");
    EXPECT_EQ(read->temperature, 0.5);
    EXPECT_EQ(read->output_tokens_max, 9);
    EXPECT_EQ(read->rounds_max, 3);
    EXPECT_EQ(read->tokens_max, 1000);
    EXPECT_EQ(read->timeout, base::seconds(7));
    EXPECT_EQ(read->streaming, model::ChatStreaming::whole);
}

TEST(ModelSettings, have_defaults_and_the_model_of_the_agent) {
    const auto read = settings_of(R"({"base_url":"http://x"})", "big");
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->model, "big");
    EXPECT_EQ(read->rounds_max, 8);
    EXPECT_EQ(read->tokens_max, std::nullopt);
}

TEST(ModelSettings, that_are_wrong_are_refused_with_their_name) {
    EXPECT_EQ(settings_of("{}").error().field, "base_url");
    EXPECT_EQ(settings_of(R"({"base_url":"ftp://x","model":"m"})").error().field, "base_url");
    EXPECT_EQ(settings_of(R"({"base_url":"http://x"})").error().field, "model");
    EXPECT_EQ(field_of(R"("key_env":"no name")"), "key_env");
    EXPECT_EQ(field_of(R"("temperature":3)"), "temperature");
    EXPECT_EQ(field_of(R"("temperature":"1")"), "temperature");
    EXPECT_EQ(field_of(R"("rounds_max":0)"), "rounds_max");
    EXPECT_EQ(field_of(R"("tokens_max":1.5)"), "tokens_max");
    EXPECT_EQ(field_of(R"("timeout_s":601)"), "timeout_s");
    EXPECT_EQ(field_of(R"("stream":1)"), "stream");
    EXPECT_EQ(field_of(R"("key":"secret")"), "key");
}

TEST(ModelSettings, have_texts_up_to_their_limit) {
    const auto system = [](std::size_t bytes) { return R"("system":")" + std::string(bytes, 'x') + '"'; };
    EXPECT_EQ(field_of(system(base::limits::agent_json_bytes_max)), "none");
    EXPECT_EQ(field_of(system(base::limits::agent_json_bytes_max + 1)), "system");
    const auto read = settings_of(R"({"base_url":"http://x","model":")" + std::string(201, 'm') + "\"}");
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, base::Code::too_large);
    EXPECT_EQ(read.error().field, "model");
}

}  // namespace
}  // namespace belfry::rules
