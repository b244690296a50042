#include "rules/summary_model.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

TEST(TheModelOfSummaries, is_known_by_its_address_and_its_name) {
    model::Agent agent;
    EXPECT_EQ(summary_model_key(agent), "") << "it has none";
    agent.memory.base_url = "http://127.0.0.1:1/v1";
    agent.memory.model = "small";
    agent.memory.key_env = "KEY";
    const std::string key = summary_model_key(agent);
    agent.memory.key_env = "OTHER_KEY";
    EXPECT_EQ(summary_model_key(agent), key);
    agent.memory.model = "large";
    EXPECT_NE(summary_model_key(agent), key);
    agent.memory.model.clear();
    agent.config.model_id = "small";
    EXPECT_EQ(summary_model_key(agent), key) << "the agent's own name of a model";
    agent.memory.base_url = "http://127.0.0.1:2/v1";
    EXPECT_NE(summary_model_key(agent), key);
    const auto settings = summary_model_settings(agent);
    ASSERT_TRUE(settings.ok());
    EXPECT_EQ(settings->model, "small");
    EXPECT_EQ(settings->key_env, "OTHER_KEY");
}

}  // namespace
}  // namespace belfry::rules
