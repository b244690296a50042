#include "rules/fit_context.hpp"

#include <gtest/gtest.h>

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

TEST(FitContext, tokens_count_name_content_and_heading) {
    const FittedContext one = fit_context({value("a.a", 10)}, {true, {}}, 0, 0);
    EXPECT_GE(one.model_tokens, estimate_model_tokens(model::context_heading) + estimate_model_tokens("a.a") + 10);
}

}  // namespace
}  // namespace belfry::rules
