#include "rules/provisional_summary.hpp"

#include <gtest/gtest.h>

#include "rules/fold.hpp"
#include "rules/memory_messages_test.hpp"

namespace belfry::rules {
namespace {

TEST(AProvisionalSummary, has_the_words_of_rules_and_the_id_of_the_summary_to_come) {
    const std::vector<model::AgentMessage> span{said(1, "Goal: win"), said(2, "and so on")};
    model::FoldJob job;
    job.agent_id = "coach";
    job.thread_id = "coach:run:k";
    job.start_message_id = numbered_id(1);
    job.end_message_id = numbered_id(2);
    const model::RecalledSummary one = provisional_summary(job, span);
    EXPECT_EQ(one.id, summary_id("coach", "coach:run:k", 1, numbered_id(1), numbered_id(2)));
    EXPECT_EQ(one.thread_id, "coach:run:k");
    EXPECT_EQ(one.depth, 1);
    EXPECT_EQ(one.end_message_id, numbered_id(2));
    EXPECT_EQ(one.summary.goals, std::vector{item_of("win", 1)});
    EXPECT_EQ(one.summary.messages(), 2);
}

}  // namespace
}  // namespace belfry::rules
