#include "engine/memory_settings.hpp"

#include <gtest/gtest.h>

namespace belfry::engine {
namespace {

std::string fault_of(const model::Agent& agent) {
    const auto checked = check_memory_settings(agent);
    return checked.ok() ? "" : checked.error().field;
}

TEST(MemorySettings, are_in_their_bounds) {
    model::Agent agent;
    EXPECT_EQ(fault_of(agent), "") << "as they are by default";
    agent.memory.budget_tokens = base::limits::memory_budget_tokens_min - 1;
    EXPECT_EQ(fault_of(agent), "memory.budget_tokens");
    agent.memory.budget_tokens = base::limits::memory_budget_tokens_max;
    agent.memory.hot_tokens = base::limits::memory_hot_tokens_min - 1;
    EXPECT_EQ(fault_of(agent), "memory.hot_tokens");
    agent.memory.hot_tokens = agent.memory.budget_tokens + 1;
    EXPECT_EQ(fault_of(agent), "memory.hot_tokens");
    agent.memory.hot_tokens = base::limits::memory_hot_tokens_min;
    agent.memory.hot_messages = base::limits::memory_hot_messages_max + 1;
    EXPECT_EQ(fault_of(agent), "memory.hot_messages");
    agent.memory.hot_messages = 0;
    EXPECT_EQ(fault_of(agent), "memory.hot_messages");
    agent.memory.hot_messages = 1;
    EXPECT_EQ(fault_of(agent), "");
}

TEST(MemorySettings, name_a_model_that_can_be_asked) {
    model::Agent agent;
    agent.memory.summarizer = model::Summarizer::model;
    EXPECT_EQ(fault_of(agent), "memory.base_url") << "the agent has none of its own";
    agent.workflow = model::WorkflowKind::model;
    EXPECT_EQ(fault_of(agent), "");
    agent.memory.base_url = "127.0.0.1:11434";
    EXPECT_EQ(fault_of(agent), "memory.base_url");
    agent.memory.base_url = "http://127.0.0.1:11434/v1";
    EXPECT_EQ(fault_of(agent), "memory.model");
    agent.config.model_id = "small";
    EXPECT_EQ(fault_of(agent), "");
    agent.memory.key_env = "MY KEY";
    EXPECT_EQ(fault_of(agent), "memory.key_env");
    agent.memory.key_env = "MY_KEY";
    EXPECT_EQ(fault_of(agent), "");
    agent.memory.model = std::string(1000, 'x');
    EXPECT_EQ(fault_of(agent), "memory.model");
}

}  // namespace
}  // namespace belfry::engine
