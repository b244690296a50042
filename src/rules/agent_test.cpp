#include "rules/agent.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using base::Code;

model::RawJson text_of_bytes(std::size_t bytes) {
    return model::RawJson::trusted('"' + std::string(bytes - 2, 'x') + '"');
}

// The code and the field of an error, or "ok".
template <class Checked>
std::string outcome(const Checked& checked) {
    return checked.ok() ? "ok" : std::string(base::code_name(checked.error().code)) + ' ' + checked.error().field;
}

std::string outcome_of(model::Agent agent) {
    return outcome(check_agent(agent));
}

model::WakeSubscription subscription_to(std::vector<std::string> types) {
    model::WakeSubscription subscription;
    subscription.types = std::move(types);
    return subscription;
}

TEST(CheckAgent, takes_lists_up_to_their_limit) {
    model::Agent agent;
    for (std::size_t i = 0; i < limits::agent_list_max; ++i) agent.capabilities.push_back("c" + std::to_string(i));
    EXPECT_EQ(outcome_of(agent), "ok");
    agent.capabilities.emplace_back("one more");
    EXPECT_EQ(outcome_of(agent), "too_large capabilities");
}

TEST(CheckAgent, needs_a_version_of_the_configuration) {
    model::Agent agent;
    agent.config.schema_version = 1;
    EXPECT_EQ(outcome_of(agent), "ok");
    agent.config.schema_version = 0;
    EXPECT_EQ(outcome_of(agent), "invalid config.schema_version");
}

TEST(CheckAgent, takes_settings_of_a_workflow_up_to_their_limit) {
    model::Agent agent;
    agent.workflow_settings = text_of_bytes(limits::agent_json_bytes_max);
    EXPECT_EQ(outcome_of(agent), "ok");
    agent.workflow_settings = text_of_bytes(limits::agent_json_bytes_max + 1);
    EXPECT_EQ(outcome_of(agent), "too_large workflow.settings");
}

TEST(CheckSlots, takes_open_loops_and_preferences_up_to_their_limit) {
    model::AgentSlots slots;
    slots.open_loop_ids.assign(limits::agent_list_max, "a loop");
    for (std::size_t i = 0; i < limits::agent_list_max; ++i) slots.preferences["p" + std::to_string(i)] = "yes";
    EXPECT_EQ(outcome(check_slots(slots)), "ok");
    slots.preferences["one more"] = "yes";
    EXPECT_EQ(outcome(check_slots(slots)), "too_large slots.preferences");
    slots.open_loop_ids.emplace_back("one more");
    EXPECT_EQ(outcome(check_slots(slots)), "too_large slots.open_loop_ids");
}

TEST(CheckSubscription, takes_types_sources_and_tokens_up_to_their_limit) {
    const std::size_t most = limits::wake_subscription_entries_max;
    EXPECT_EQ(outcome(check_subscription(subscription_to(std::vector<std::string>(most, "ci.failed")))), "ok");
    EXPECT_EQ(outcome(check_subscription(subscription_to(std::vector<std::string>(most + 1, "ci.failed")))),
              "too_large types");
    model::WakeSubscription subscription = subscription_to({"ci.failed"});
    subscription.sources.assign(most + 1, "ci");
    EXPECT_EQ(outcome(check_subscription(subscription)), "too_large sources");
}

TEST(CheckSubscription, takes_priorities_from_minus_100_to_100) {
    model::WakeSubscription subscription = subscription_to({"ci.failed"});
    for (const int priority : {-100, 0, 100}) {
        subscription.priority = priority;
        EXPECT_EQ(outcome(check_subscription(subscription)), "ok") << priority;
    }
    for (const int priority : {-101, 101}) {
        subscription.priority = priority;
        EXPECT_EQ(outcome(check_subscription(subscription)), "invalid priority") << priority;
    }
}

}  // namespace
}  // namespace belfry::rules
