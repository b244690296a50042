#include "rules/wake_facts.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

// The result of a predicate that may ask about whatever such a subscription may ask about.
bool holds(std::string_view text, const model::WakeSubscription& subscription, const PredicateFacts& facts) {
    const auto predicate = Predicate::parse(text, roots_of(subscription));
    EXPECT_TRUE(predicate.ok()) << predicate.error().message;
    return predicate.ok() && predicate->holds(facts);
}

void expect_no_links(const model::WakeSubscription& subscription, const PredicateFacts& facts) {
    EXPECT_FALSE(holds("linked('project')", subscription, facts));
    EXPECT_FALSE(holds("linked('project', 'p-1')", subscription, facts));
    EXPECT_TRUE(holds("not linked('project')", subscription, facts));
}

TEST(WakeFacts, events_have_no_links) {
    model::WakeSubscription subscription;
    subscription.types = {"ci.failed"};
    model::Event event;
    event.type = "ci.failed";
    const EventFacts facts(event);
    EXPECT_TRUE(holds("event.type == 'ci.failed'", subscription, facts));
    expect_no_links(subscription, facts);
}

TEST(WakeFacts, agents_have_no_links) {
    model::WakeSubscription subscription;
    subscription.tokens = {"key:agentChanged"};
    model::AgentRecord record;
    record.agent.id = "fixer";
    const AgentFacts facts(record);
    EXPECT_TRUE(holds("agent.id == 'fixer'", subscription, facts));
    expect_no_links(subscription, facts);
}

}  // namespace
}  // namespace belfry::rules
