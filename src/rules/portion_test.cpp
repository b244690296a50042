#include "rules/portion.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "rules/model_tokens.hpp"

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
    const Portion portion = divide(all, 120, 120);
    EXPECT_EQ(portion.whole, (std::vector<std::size_t>{0}));
    EXPECT_EQ(portion.counted, (std::vector<std::size_t>{2}));
    EXPECT_EQ(portion.waiting, (std::vector<std::size_t>{1}));
}

TEST(Portion, what_must_be_answered_and_can_never_fit_is_in_nobodys_way) {
    const std::vector<model::Notification> all{due(500, model::Handler::agent), due(60, model::Handler::agent)};
    const Portion portion = divide(all, 120, 120);
    EXPECT_EQ(portion.waiting, (std::vector<std::size_t>{0}));
    EXPECT_EQ(portion.whole, (std::vector<std::size_t>{1}));
}

TEST(Portion, what_fits_into_the_budget_but_not_into_what_is_left_of_it_waits_and_is_not_overtaken) {
    std::vector<model::Notification> all{due(110, model::Handler::system), due(10, model::Handler::system)};
    for (model::Notification& one : all) one.passed_over = 0;
    EXPECT_EQ(divide(all, 300, 100).waiting, (std::vector<std::size_t>{0, 1}));
    all[0].handler = model::Handler::agent;
    EXPECT_EQ(divide(all, 300, 100).waiting, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(divide(all, 300, 300).whole, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(divide(all, 100, 100).waiting, (std::vector<std::size_t>{0})) << "it can never fit";
    all[0].handler = model::Handler::system;
    all[0].passed_over = base::limits::passed_over_max;
    EXPECT_EQ(divide(all, 300, 100).counted, (std::vector<std::size_t>{0}));
}

TEST(Portion, what_waited_too_long_is_counted_though_others_would_take_all_the_room) {
    std::vector<model::Notification> all{due(38, model::Handler::system), due(38, model::Handler::system),
                                         due(20, model::Handler::system)};
    all[0].passed_over = all[1].passed_over = 0;
    all[0].subscriber_id = all[1].subscriber_id = "urgent";
    EXPECT_EQ(divide(all, 100, 100).whole, (std::vector<std::size_t>{0}));
    EXPECT_EQ(divide(all, 100, 100).counted, (std::vector<std::size_t>{2}));
    EXPECT_EQ(divide(all, 132, 132).whole, (std::vector<std::size_t>{0, 1, 2})) << "no line is kept where all fit";
    all[2].passed_over = base::limits::passed_over_max - 1;
    EXPECT_EQ(divide(all, 100, 100).whole, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(divide(all, 100, 100).waiting, (std::vector<std::size_t>{2}));
}

TEST(Portion, who_was_kept_out_has_the_next_line_and_leaves_half_of_the_room) {
    std::vector<model::Notification> all{due(18, model::Handler::system), due(40, model::Handler::system),
                                         due(40, model::Handler::system)};
    all[0].passed_over = 0;
    all[1].subscriber_id = "before";
    all[2].subscriber_id = "behind";
    Portion portion = divide(all, 60, 60);
    EXPECT_EQ(portion.whole, (std::vector<std::size_t>{0}));
    EXPECT_EQ(portion.counted, (std::vector<std::size_t>{2})) << "the other one would have had the line";
    EXPECT_EQ(portion.waiting, (std::vector<std::size_t>{1}));
    all.assign(5, due(80, model::Handler::system));
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].subscriber_id = "s" + std::to_string(i);
        all[i].passed_over = i == 0 ? 0 : all[i].passed_over + static_cast<std::int64_t>(i);
    }
    all[0].model_tokens = 38;
    portion = divide(all, 100, 100);
    EXPECT_EQ(portion.whole, (std::vector<std::size_t>{0})) << "two lines at the most are kept of 100";
    EXPECT_EQ(portion.counted, (std::vector<std::size_t>{3, 4})) << "for those that waited longest";
    EXPECT_EQ(divide(all, summary_line_tokens - 1, summary_line_tokens - 1).counted.size(), 0U)
        << "there is no room for a line";
}

TEST(Portion, of_a_persons_messages_holds_at_least_one_and_no_more_than_an_answer) {
    std::vector<model::SessionMessage> messages(3);
    messages[0].content = std::string(base::limits::user_messages_pull_bytes_max + 1, ' ');
    messages[1].content = messages[2].content = "Use tabs";
    const std::int64_t each = estimate_model_tokens("Use tabs");
    EXPECT_EQ(keep_messages_that_fit(messages), estimate_model_tokens(messages[0].content));
    EXPECT_EQ(messages.size(), 1U);
    messages.assign(3, {});
    for (model::SessionMessage& message : messages) message.content = "Use tabs";
    EXPECT_EQ(keep_messages_that_fit(messages), 3 * each);
    EXPECT_EQ(messages.size(), 3U);
    messages[1].content = std::string(base::limits::user_messages_pull_bytes_max, ' ');
    EXPECT_EQ(keep_messages_that_fit(messages), each) << "the order stays: none overtakes";
    EXPECT_EQ(messages.size(), 1U);
}

TEST(Portion, leaves_something_of_a_budget_that_was_spent) {
    EXPECT_EQ(budget_left(100, 30), 70);
    EXPECT_EQ(budget_left(100, 300), 1) << "0 would be without limit";
    EXPECT_EQ(budget_left(0, 300), 0);
}

}  // namespace
}  // namespace belfry::rules
