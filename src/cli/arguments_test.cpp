#include "cli/arguments.hpp"

#include <gtest/gtest.h>

namespace belfry::cli {
namespace {

const ArgumentSpec spec{{{"severity", "LEVEL", "how bad"},
                         {"last", "N", "how many", 'n'},
                         {"type", "PATTERN", "which", 't', true},
                         {"json", "", "for programs", 'j'},
                         {"quiet", "", "say less", 'q'}},
                        {{"TYPE", "what"}, {"key=value", "more", PositionalSpec::Count::any}}};

base::Result<Arguments> parse(const std::vector<std::string>& typed) {
    return parse_arguments(spec, typed);
}

std::string refusal(const std::vector<std::string>& typed) {
    const auto arguments = parse(typed);
    return arguments.ok() ? "" : arguments.error().message;
}

TEST(Arguments, reads_options_in_all_their_forms_and_any_order) {
    const auto arguments =
        parse({"--severity=error", "a.b", "-n", "5", "k=v", "--json", "-t", "x", "--type", "y", "-tz"});
    ASSERT_TRUE(arguments.ok()) << arguments.error().message;
    EXPECT_EQ(arguments->value("severity"), "error");
    EXPECT_EQ(arguments->value("last"), "5");
    EXPECT_TRUE(arguments->has("json"));
    EXPECT_FALSE(arguments->has("quiet"));
    EXPECT_EQ(arguments->values("type"), (std::vector<std::string>{"x", "y", "z"}));
    EXPECT_EQ(arguments->positionals(), (std::vector<std::string>{"a.b", "k=v"}));
    EXPECT_EQ(arguments->positional(7), "");
}

TEST(Arguments, joins_letters_and_takes_values_that_look_like_options) {
    const auto arguments = parse({"-jqn5", "a.b", "--severity", "--json"});
    ASSERT_TRUE(arguments.ok()) << arguments.error().message;
    EXPECT_TRUE(arguments->has("json") && arguments->has("quiet"));
    EXPECT_EQ(arguments->value("last"), "5");
    EXPECT_EQ(arguments->value("severity"), "--json");
}

TEST(Arguments, two_dashes_end_the_options_and_one_is_a_positional) {
    const auto arguments = parse({"-", "--", "--json", "-n"});
    ASSERT_TRUE(arguments.ok());
    EXPECT_EQ(arguments->positionals(), (std::vector<std::string>{"-", "--json", "-n"}));
}

TEST(Arguments, know_what_stood_after_two_dashes) {
    EXPECT_EQ(parse({"a.b", "--json", "--", "run", "--json"})->after_dashes(),
              (std::vector<std::string>{"run", "--json"}));
    EXPECT_EQ(parse({"a.b", "--", "x", "--", "y"})->after_dashes(), (std::vector<std::string>{"x", "--", "y"}));
    EXPECT_TRUE(parse({"a.b", "k=v"})->after_dashes().empty());
}

TEST(Arguments, suggests_the_option_that_was_meant) {
    EXPECT_EQ(refusal({"a.b", "--sevrity", "x"}), "there is no option --sevrity; did you mean --severity?");
    EXPECT_EQ(refusal({"a.b", "--banana"}), "there is no option --banana");
    EXPECT_EQ(refusal({"a.b", "-x"}), "there is no option -x");
}

TEST(Arguments, says_what_is_missing_or_too_much) {
    EXPECT_EQ(refusal({}), "TYPE is missing");
    EXPECT_EQ(refusal({"a.b", "--severity"}), "--severity needs a value: LEVEL");
    EXPECT_EQ(refusal({"a.b", "-n"}), "-n needs a value: N");
    EXPECT_EQ(refusal({"a.b", "--json=yes"}), "--json takes no value");
    EXPECT_EQ(refusal({"a.b", "--severity", "x", "--severity=y"}), "--severity stands there twice");
    const auto one = parse_arguments({{}, {{"FILE", ""}}}, std::vector<std::string>{"a", "b"});
    EXPECT_EQ(one.error().message, "\"b\" is one argument too many");
}

TEST(Arguments, checks_numbers_and_times) {
    EXPECT_EQ(parse({"a", "-n", "7"})->integer("last", 0, 10).value(), 7);
    EXPECT_FALSE(parse({"a"})->integer("last", 0, 10).value().has_value());
    EXPECT_EQ(parse({"a", "-n", "11"})->integer("last", 0, 10).error().message,
              "--last must be a whole number from 0 to 10, not \"11\"");
    EXPECT_FALSE(parse({"a", "-n", "7x"})->integer("last", 0, 10).ok());
    EXPECT_EQ(parse({"a", "-n", "15m"})->duration("last").value(), base::minutes(15));
    EXPECT_FALSE(parse({"a", "-n", "soon"})->duration("last").ok());
    EXPECT_FALSE(parse({"a", "-n", "0s"})->duration("last").ok());
}

TEST(Arguments, describes_its_options) {
    EXPECT_EQ(describe_options({{"last", "N", "how many", 'n'}, {"type", "P", "which", 0, true}}),
              "  -n, --last N                  how many\n"
              "      --type P                  which (may repeat)\n");
}

}  // namespace
}  // namespace belfry::cli
