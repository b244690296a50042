#include "rules/awareness.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

std::vector<model::Notification> shown_ones(int in_inbox, int in_session) {
    std::vector<model::Notification> shown;
    for (int i = 0; i < in_inbox + in_session; ++i) {
        model::Notification& one = shown.emplace_back();
        one.address = i < in_inbox ? model::Address::user : model::Address::session;
        one.text = "word " + std::to_string(i);
    }
    return shown;
}

TEST(Awareness, tells_each_as_a_fact_and_the_inbox_as_a_sentence) {
    const Awareness told = awareness_of(shown_ones(2, 1), 2, 0);
    ASSERT_EQ(told.seen.size(), 3U);
    EXPECT_NE(told.seen.front().find("word 0"), std::string::npos) << "oldest first";
    EXPECT_NE(told.digest.find("shown 2 notifications"), std::string::npos) << told.digest;
    EXPECT_GT(told.model_tokens, 0);
    EXPECT_TRUE(awareness_of({}, 0, 0).is_empty());
}

TEST(Awareness, takes_half_of_the_budget_and_the_newest_facts_first) {
    const std::vector<model::Notification> shown = shown_ones(0, 10);
    const std::int64_t each = awareness_of(std::span(shown).first(1), 0, 0).model_tokens;
    const Awareness told = awareness_of(shown, 0, each * 6);
    ASSERT_EQ(told.seen.size(), 3U);
    EXPECT_NE(told.seen.back().find("word 9"), std::string::npos);
    EXPECT_LE(told.model_tokens, each * 3);
    EXPECT_TRUE(awareness_of(shown, 0, 1).is_empty());
}

TEST(Awareness, counts_more_than_it_was_given) {
    const Awareness told = awareness_of(shown_ones(30, 0), 700, 0);
    EXPECT_EQ(told.seen.size(), base::limits::seen_facts_max);
    EXPECT_NE(told.digest.find("shown 700 notifications"), std::string::npos) << told.digest;
}

}  // namespace
}  // namespace belfry::rules
