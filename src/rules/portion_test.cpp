#include "rules/portion.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"

namespace belfry::rules {
namespace {

model::Notification due(std::int64_t tokens, model::Handler handler) {
    model::Notification one;
    one.subscriber_id = "s";
    one.model_tokens = tokens;
    one.handler = handler;
    one.passed_over = base::limits::passed_over_max;
    return one;
}

TEST(Portion, what_an_agent_must_answer_is_never_counted_in_a_summary) {
    const std::vector<model::Notification> all{due(60, model::Handler::system), due(60, model::Handler::agent),
                                               due(60, model::Handler::system)};
    const Portion portion = divide(all, 120);
    EXPECT_EQ(portion.whole, (std::vector<std::size_t>{0}));
    EXPECT_EQ(portion.counted, (std::vector<std::size_t>{2}));
    EXPECT_EQ(portion.waiting, (std::vector<std::size_t>{1}));
}

TEST(Portion, what_must_be_answered_and_can_never_fit_is_in_nobodys_way) {
    const std::vector<model::Notification> all{due(500, model::Handler::agent), due(60, model::Handler::agent)};
    const Portion portion = divide(all, 120);
    EXPECT_EQ(portion.waiting, (std::vector<std::size_t>{0}));
    EXPECT_EQ(portion.whole, (std::vector<std::size_t>{1}));
}

}  // namespace
}  // namespace belfry::rules
