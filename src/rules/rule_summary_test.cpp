#include "rules/rule_summary.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "rules/fold.hpp"
#include "rules/memory_messages_test.hpp"

namespace belfry::rules {
namespace {

namespace limits = base::limits;
using model::AgentMessage;
using model::AgentMessageKind;
using model::MemoryItem;
using model::MemorySummary;
using model::Summarizer;
using Texts = std::vector<std::string>;

Texts texts_of(const std::vector<MemoryItem>& items) {
    Texts texts;
    for (const MemoryItem& item : items) texts.push_back(item.text);
    return texts;
}

MemorySummary summary_of(std::vector<AgentMessage> messages) {
    MemorySummary summary = summarize_messages(messages);
    EXPECT_TRUE(check_memory_summary(summary).ok());
    return summary;
}

MemorySummary join(std::vector<MemorySummary> summaries) {
    std::vector<FoldedSummary> folded;
    for (MemorySummary& summary : summaries) folded.push_back({{}, std::move(summary)});
    MemorySummary sum = summarize_summaries(folded);
    EXPECT_TRUE(check_memory_summary(sum).ok());
    return sum;
}

TEST(RuleSummary, tells_goals_decisions_loops_errors_effects_and_counts) {
    const MemorySummary summary = summary_of({
        said(1, "Hello.\nGoal: run a marathon"),
        said(2, "Decision: on Mondays", AgentMessageKind::thought),
        said(3, "Todo: ask for shoes\nTodo: buy socks", AgentMessageKind::thought),
        done(4, "create_task"),
        answered(5, 4, "out_of_scope"),
        done(6, "create_task"),
        answered(7, 6, "out_of_scope"),
        done(8, "move_task"),
        answered(9, 8, {}, "task-1"),
        done(10, "list_tasks"),
        answered(11, 10),
        said(12, "done: BUY  socks"),
    });
    EXPECT_EQ(summary.goals, std::vector{item_of("run a marathon", 1)});
    EXPECT_EQ(texts_of(summary.decisions), Texts{"on Mondays"});
    EXPECT_EQ(texts_of(summary.open_loops), Texts{"ask for shoes"});
    EXPECT_EQ(summary.errors, (std::vector<model::MemoryEvent>{{"create_task: out_of_scope", 2, numbered_id(7)}}));
    EXPECT_EQ(summary.effects, (std::vector<model::MemoryEvent>{{"move_task", 1, numbered_id(9)}}));
    EXPECT_EQ(summary.messages(), 12);
    EXPECT_EQ(summary.counts.at("tool_result"), 4);
    EXPECT_EQ(summary.from, base::Timestamp{} + base::seconds(1));
    EXPECT_EQ(summary.to, base::Timestamp{} + base::seconds(12));
    EXPECT_EQ(summary.text,
              "12 messages from 1970-01-01T00:00:01Z to 1970-01-01T00:00:12Z: 4 action, 2 thought, 4 tool_result, "
              "2 user.\nFirst said: Hello. Goal: run a marathon\nLast said: done: BUY socks\n"
              "Last thought: Todo: ask for shoes Todo: buy socks");
}

TEST(RuleSummary, of_a_question_is_open_until_it_is_answered) {
    const AgentMessage question = done(1, "", R"({"text":"Which shoes?"})", model::ActionType::ask_user);
    EXPECT_EQ(texts_of(summary_of({question}).open_loops), Texts{"Which shoes?"});
    EXPECT_EQ(texts_of(summary_of({question, answered(2, 1)}).open_loops), Texts{});
    const MemorySummary later = summary_of({said(2, "hm"), answered(3, 1)});
    EXPECT_EQ(texts_of(join({summary_of({question}), later}).open_loops), Texts{}) << "answered in another span";
    const AgentMessage told = done(5, "say", R"({"text":"Todo: call"})");
    EXPECT_EQ(texts_of(summary_of({told, answered(6, 5)}).open_loops), Texts{"call"}) << "said is not done";
}

TEST(JoinedSummaries, close_what_was_opened_before_and_keep_what_is_opened_again) {
    const MemorySummary first = summary_of({said(1, "Todo: a"), said(2, "Todo: b"), said(3, "Goal: g")});
    const MemorySummary second = summary_of({said(4, "Todo: a"), said(5, "Done: A"), said(6, "Done: g")});
    const MemorySummary third = summary_of({said(7, "Done: b\nTodo: b")});
    EXPECT_EQ(texts_of(join({first, second}).open_loops), Texts{"b"}) << "said twice and done once is done";
    EXPECT_EQ(texts_of(join({first, second}).goals), Texts{});
    const MemorySummary all = join({first, second, third});
    EXPECT_EQ(all.open_loops, std::vector{item_of("b", 7)});
    EXPECT_EQ(join({first, join({second, third})}).open_loops, all.open_loops);
}

TEST(JoinedSummaries, know_what_was_closed_last_in_whatever_order_they_come) {
    const MemorySummary opened = summary_of({said(1, "Goal: win"), said(2, "Todo: call")});
    const MemorySummary closed = summary_of({said(3, "Done: win"), said(4, "Done: CALL")});
    const MemorySummary again = summary_of({said(5, "Todo: call")});
    EXPECT_EQ(closed.closed_loops, (std::vector{item_of("win", 3), item_of("CALL", 4)}));
    for (const auto& order :
         {join({closed, opened, again}), join({again, closed, opened}), join({again, opened, closed}),
          join({join({opened, again}), closed}), join({join({again, closed}), opened})}) {
        EXPECT_EQ(texts_of(order.goals), Texts{});
        EXPECT_EQ(texts_of(order.open_loops), Texts{"call"});
        EXPECT_EQ(order.open_loops.front().at, second(5));
        EXPECT_EQ(order.closed_loops, closed.closed_loops) << "where it was closed last, in the order of that";
    }
    EXPECT_EQ(texts_of(join({closed, again, opened, summary_of({said(6, "Done: call")})}).open_loops), Texts{});
}

TEST(JoinedSummaries, know_of_an_answer_that_comes_before_its_question) {
    const MemorySummary asked =
        summary_of({done(1, "", R"({"text":"Which shoes?"})", model::ActionType::ask_user), said(2, "hm")});
    const MemorySummary later = summary_of({answered(3, 1)});
    EXPECT_EQ(texts_of(join({later, asked}).open_loops), Texts{});
    const MemorySummary anew =
        summary_of({done(4, "", R"({"text":"Which shoes?"})", model::ActionType::ask_user), said(5, "hm")});
    EXPECT_EQ(texts_of(join({anew, later, asked}).open_loops), Texts{"Which shoes?"}) << "it is asked again";
}

TEST(AThread, has_its_own_order_whatever_the_clock_was) {
    AgentMessage late = said(9, "Todo: call");
    AgentMessage closing = said(3, "Done: call");  // of another device, say
    EXPECT_EQ(texts_of(summary_of({late, closing}).open_loops), Texts{});
    const MemorySummary both = summary_of({late, closing});
    ASSERT_EQ(both.closed_loops.size(), 1U);
    EXPECT_EQ(both.closed_loops.front().at, second(9));
}

TEST(JoinedSummaries, add_up) {
    const MemorySummary one = summary_of({said(1, "a"), done(2, "t"), answered(3, 2, "bad")});
    const MemorySummary two = summary_of({done(4, "t"), answered(5, 4, "bad"), said(6, "z")});
    const MemorySummary all = join({one, two});
    EXPECT_EQ(all.errors, (std::vector<model::MemoryEvent>{{"t: bad", 2, numbered_id(5)}}));
    EXPECT_EQ(all.counts.at("user"), 2);
    EXPECT_EQ(all.from, one.from);
    EXPECT_EQ(all.to, two.to);
    EXPECT_TRUE(all.text.starts_with("6 messages from ")) << all.text;
    EXPECT_TRUE(all.text.ends_with("First said: a\nFirst said: z")) << all.text;
}

TEST(JoinedSummaries, take_the_text_of_one_that_nobody_can_read_and_of_a_model) {
    MemorySummary by_model = summary_of({said(1, "x")});
    by_model.by = Summarizer::model;
    by_model.text = "They spoke of shoes.";
    const std::vector<FoldedSummary> folded{{said(2, "A worker's own words", AgentMessageKind::summary), std::nullopt},
                                            {{}, by_model}};
    const MemorySummary all = summarize_summaries(folded);
    EXPECT_TRUE(all.text.ends_with("\nA worker's own words\nThey spoke of shoes.")) << all.text;
    EXPECT_EQ(all.messages(), 1);
    const std::vector<FoldedSummary> again{{{}, all}};
    EXPECT_TRUE(summarize_summaries(again).text.ends_with("\nA worker's own words\nThey spoke of shoes."));
}

TEST(JoinedSummaries, share_the_room_of_the_text) {
    std::vector<FoldedSummary> folded;
    for (std::uint64_t i = 0; i < 8; ++i) {
        folded.push_back(
            {said(i, std::to_string(i) + std::string(3000, 'x'), AgentMessageKind::summary), std::nullopt});
    }
    const MemorySummary all = summarize_summaries(folded);
    EXPECT_LE(all.text.size(), limits::summary_text_bytes_max);
    for (char i = '0'; i < '8'; ++i) EXPECT_NE(all.text.find(std::string("\n") + i + "xxx"), std::string::npos) << i;
    folded.assign(10'000, folded.front());
    EXPECT_LE(summarize_summaries(folded).text.size(), limits::summary_text_bytes_max);
}

MemorySummary with_items(std::size_t count, std::size_t bytes, char first) {
    MemorySummary summary;
    summary.text = "x";
    for (std::size_t i = 0; i < count; ++i) {
        std::string text = first + std::to_string(i) + " ";
        text.resize(bytes, first);
        summary.goals.push_back({text, numbered_id(i)});
        summary.decisions.push_back({text, numbered_id(i)});
        summary.open_loops.push_back({text, numbered_id(i)});
    }
    return summary;
}

TEST(TooManyItems, leave_the_oldest_out_and_say_so) {
    const MemorySummary all = join({with_items(150, 20, 'a'), with_items(150, 20, 'b')});
    EXPECT_EQ(all.goals.size(), limits::summary_items_max);
    EXPECT_TRUE(all.goals.front().text.starts_with("a100 ")) << all.goals.front().text;
    EXPECT_TRUE(all.goals.back().text.starts_with("b149 "));
    EXPECT_EQ(all.left_out, 300);
    EXPECT_EQ(join({all, with_items(1, 20, 'c')}).left_out, 303);
}

TEST(TooManyItems, take_decisions_before_goals_and_open_loops) {
    const MemorySummary all = join({with_items(199, limits::summary_item_bytes_max, 'a')});
    EXPECT_LT(all.goals.size(), 199U);
    EXPECT_GT(all.goals.size(), 100U);
    EXPECT_TRUE(all.decisions.empty());
    EXPECT_EQ(all.open_loops.size(), 199U);
    EXPECT_TRUE(all.goals.back().text.starts_with("a198 "));
}

// Closed items are left out first, the oldest of them first.
MemorySummary with_closed(std::size_t count, std::size_t bytes, char first) {
    MemorySummary summary;
    summary.text = "x";
    for (std::size_t i = 0; i < count; ++i) {
        std::string text = first + std::to_string(i) + " ";
        text.resize(bytes, first);
        const base::Timestamp at{(first - 'a') * 1000 + static_cast<std::int64_t>(i)};
        summary.closed_loops.push_back({text, numbered_id(i), Summarizer::rules, at});
    }
    return summary;
}

TEST(TooManyItems, leave_out_what_was_closed_first) {
    const MemorySummary all = join({with_closed(150, 20, 'a'), with_closed(150, 20, 'b')});
    EXPECT_EQ(all.closed_loops.size(), limits::summary_items_max);
    EXPECT_TRUE(all.closed_loops.front().text.starts_with("a100 ")) << all.closed_loops.front().text;
    EXPECT_TRUE(all.closed_loops.back().text.starts_with("b149 "));
}

TEST(TooManyItems, take_what_was_closed_before_goals_and_open_loops) {
    MemorySummary large = with_items(150, limits::summary_item_bytes_max, 'a');
    large.decisions.clear();
    large.closed_loops = with_closed(100, limits::summary_item_bytes_max, 'c').closed_loops;
    const MemorySummary all = join({large});
    EXPECT_EQ(all.goals.size(), 150U);
    EXPECT_EQ(all.open_loops.size(), 150U);
    EXPECT_LT(all.closed_loops.size(), 100U);
    ASSERT_GT(all.closed_loops.size(), 0U);
    EXPECT_TRUE(all.closed_loops.back().text.starts_with("c99 "));
}

TEST(TooManyItems, take_what_a_model_found_before_what_was_marked) {
    MemorySummary marked = with_items(120, 20, 'a');
    MemorySummary lies = with_items(limits::summary_items_max, 20, 'l');
    const MemorySummary told = joined(marked, lies);
    EXPECT_EQ(told.goals.size(), limits::summary_items_max);
    EXPECT_TRUE(told.goals.front().text.starts_with("a0 "));
    EXPECT_EQ(std::ranges::count(told.goals, Summarizer::rules, &MemoryItem::by), 120);
    // And so it stays, however many lies come after it.
    const MemorySummary later =
        join({told, joined(with_items(10, 20, 'b'), lies), joined({}, with_items(200, 20, 'm'))});
    EXPECT_EQ(std::ranges::count(later.goals, Summarizer::rules, &MemoryItem::by), 130);
}

TEST(AModelsSummary, has_the_lists_of_rules_and_its_own_words) {
    const MemorySummary rules =
        summary_of({said(1, "Goal: win\nDone: socks\nTodo: shoes"), done(2, "t"), answered(3, 2, "bad")});
    MemorySummary model;
    model.by = Summarizer::model;
    model.text = "They want to win.";
    model.goals = {{"WIN", numbered_id(3)}, {"sleep", numbered_id(3)}};
    model.open_loops = {{"socks", numbered_id(3)}};
    const MemorySummary both = joined(rules, model);
    EXPECT_EQ(both.by, Summarizer::model);
    EXPECT_EQ(both.text, "They want to win.");
    EXPECT_EQ(both.goals,
              (std::vector<MemoryItem>{item_of("win", 1), {"sleep", numbered_id(3), Summarizer::model, second(3)}}));
    EXPECT_EQ(texts_of(both.open_loops), Texts{"shoes"}) << "what is done is not opened by a model";
    EXPECT_EQ(both.errors, rules.errors);
    EXPECT_EQ(both.counts, rules.counts);
    EXPECT_EQ(both.to, rules.to);
    EXPECT_TRUE(check_memory_summary(both).ok());
}

TEST(Events, that_were_seen_least_go_first) {
    std::vector<AgentMessage> messages;
    for (std::uint64_t i = 0; i < 30; ++i) {
        messages.push_back(done(100 + i * 10, "tool" + std::to_string(i)));
        messages.push_back(answered(101 + i * 10, 100 + i * 10, "bad"));
    }
    messages.push_back(done(1000, "tool0"));
    messages.push_back(answered(1001, 1000, "bad"));
    const MemorySummary summary = summary_of(messages);
    ASSERT_EQ(summary.errors.size(), limits::summary_events_max);
    EXPECT_EQ(summary.errors.front(), (model::MemoryEvent{"tool0: bad", 2, numbered_id(1001)}));
    EXPECT_EQ(summary.errors.back().what, "tool29: bad");
    EXPECT_EQ(summary.left_out, 10);
}

TEST(Numbers, of_others_do_not_run_over) {
    MemorySummary big;
    big.text = "x";
    big.counts["user"] = limits::summary_count_max;
    big.errors = {{"e", limits::summary_count_max, {}}};
    big.left_out = limits::summary_count_max;
    const MemorySummary all = join({big, big, big});
    EXPECT_EQ(all.counts.at("user"), limits::summary_count_max);
    EXPECT_EQ(all.errors.front().times, limits::summary_count_max);
}

}  // namespace
}  // namespace belfry::rules
