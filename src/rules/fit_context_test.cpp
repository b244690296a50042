#include "rules/fit_context.hpp"

#include <gtest/gtest.h>

#include "base/context_limits.hpp"
#include "rules/model_tokens.hpp"

namespace belfry::rules {
namespace {

using Names = std::vector<std::string>;

model::ContextValue value(const std::string& name, std::size_t words, const std::string& session = {}) {
    model::ContextValue made;
    made.key = {name, {"ada", session, ""}};
    for (std::size_t i = 0; i < words; ++i) made.content += "word ";
    return made;
}

Names names(const std::vector<model::ContextValue>& values) {
    Names all;
    for (const model::ContextValue& one : values) all.push_back(one.key.name);
    return all;
}

const std::vector<model::ContextValue> three{value("a.a", 10), value("b.b", 100), value("c.c", 10)};

TEST(FitContext, nothing_is_returned_to_a_pull_that_asks_for_nothing) {
    const FittedContext fitted = fit_context(three, {}, 0, 0);
    EXPECT_TRUE(fitted.values.empty());
    EXPECT_EQ(fitted.model_tokens, 0);
}

TEST(FitContext, all_values_or_the_named_ones_in_the_order_of_the_names) {
    EXPECT_EQ(names(fit_context(three, {true, {}}, 0, 0).values), (Names{"a.a", "b.b", "c.c"}));
    EXPECT_EQ(names(fit_context(three, {false, {"c.c", "x.x", "a.a", "c.c"}}, 0, 0).values), (Names{"c.c", "a.a"}));
}

TEST(FitContext, one_name_in_several_scopes_is_several_values) {
    const std::vector<model::ContextValue> both{value("a.a", 1), value("a.a", 2, "s1")};
    EXPECT_EQ(fit_context(both, {false, {"a.a"}}, 0, 0).values, both);
}

TEST(FitContext, a_value_that_does_not_fit_is_named_and_a_smaller_one_follows) {
    const FittedContext fitted = fit_context(three, {true, {}}, 100, 0);
    EXPECT_EQ(names(fitted.values), (Names{"a.a", "c.c"}));
    EXPECT_EQ(fitted.left_out, (Names{"b.b"}));
    EXPECT_EQ(fitted.values.front().content, three.front().content) << "whole or not at all";
    EXPECT_LE(fitted.model_tokens, 100);
}

TEST(FitContext, the_budget_is_what_the_rest_of_the_pull_left) {
    const std::int64_t whole = fit_context(three, {true, {}}, 0, 0).model_tokens;
    EXPECT_TRUE(fit_context(three, {true, {}}, whole + 50, 50).left_out.empty());
    const FittedContext short_by_one = fit_context(three, {true, {}}, whole + 50, 51);
    EXPECT_FALSE(short_by_one.left_out.empty());
    EXPECT_LE(short_by_one.model_tokens, whole - 1);
}

TEST(FitContext, the_line_that_counts_the_others_is_there_without_any_room) {
    const FittedContext fitted = fit_context(three, {true, {}}, 100, 100);
    EXPECT_TRUE(fitted.values.empty());
    EXPECT_EQ(fitted.left_out, (Names{"a.a", "b.b", "c.c"}));
    EXPECT_EQ(fitted.model_tokens, estimate_model_tokens(model::context_left_out_line(3)));
}

TEST(FitContext, blanks_line_ends_and_invisible_characters_cost_what_they_are_written_as) {
    const auto cost = [](std::string content) {
        model::ContextValue made = value("a.a", 0);
        made.content = std::move(content);
        return fit_context({made}, {true, {}}, 1'000'000, 0).model_tokens;
    };
    const std::int64_t plain = cost("x");
    EXPECT_GE(cost(std::string(1000, '\n') + "x"), plain + 1000);
    EXPECT_GE(cost(std::string(1000, ' ') + "x"), plain + 200);
    std::string unseen = "x";
    for (int i = 0; i < 100; ++i) unseen += "\u200B";
    EXPECT_GE(cost(unseen), plain + 400);
    EXPECT_EQ(cost("one two"), cost("onx\ttwo")) << "a single blank between words costs nothing";
}

TEST(FitContext, a_pull_without_a_budget_has_the_default_bound) {
    const std::vector<model::ContextValue> many(100, value("a.a", 3000));
    const FittedContext fitted = fit_context(many, {true, {}}, 0, 0);
    EXPECT_FALSE(fitted.values.empty());
    EXPECT_FALSE(fitted.left_out.empty());
    EXPECT_LE(fitted.model_tokens, base::limits::context_tokens_default + 50);
}

TEST(FitContext, tokens_count_name_content_and_heading) {
    const FittedContext one = fit_context({value("a.a", 10)}, {true, {}}, 0, 0);
    EXPECT_GE(one.model_tokens, estimate_model_tokens(model::context_heading) + estimate_model_tokens("a.a") + 10);
}

}  // namespace
}  // namespace belfry::rules
