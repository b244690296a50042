#include "text/script.hpp"

#include <gtest/gtest.h>

#include "model/value_json.hpp"

namespace belfry::text {
namespace {

base::Result<Script> compiled(std::string_view settings) {
    return Script::compile({settings});
}

std::string field_of(std::string_view settings) {
    const auto script = compiled(settings);
    return script.ok() ? "none" : script.error().field;
}

TEST(AScript, calls_the_tools_of_the_steps_whose_condition_holds) {
    const auto script = compiled(
        R"({"steps":[{"if":"n > 1","do":"say","with":{"text":"{{ n }} builds"}},{"if":"n > 9","do":"say","with":{"text":"many"}},{"do":"sleep"}]})");
    ASSERT_TRUE(script.ok()) << script.error().message;
    const auto calls = script->calls(model::value_from({R"({"n":3})"}));
    ASSERT_TRUE(calls.ok()) << calls.error().message;
    EXPECT_EQ(*calls,
              (std::vector<Script::Call>{{"say", model::RawJson::trusted(R"({"text":"3 builds"})")}, {"sleep", {}}}));
}

TEST(AScript, renders_texts_at_any_depth_and_leaves_all_else) {
    const auto script = compiled(
        R"({"steps":[{"do":"emit_event","with":{"payload":{"a":["{{ x }}",1.50,true,null],"b":{"c\n":"\"{{ x }}\""}}}}]})");
    ASSERT_TRUE(script.ok()) << script.error().message;
    const auto calls = script->calls(model::value_from({R"({"x":"\"q\"\n"})"}));
    ASSERT_TRUE(calls.ok());
    EXPECT_EQ(calls->front().arguments.bytes(),
              R"({"payload":{"a":["\"q\"\n",1.50,true,null],"b":{"c\n":"\"\"q\"\n\""}}})");
}

TEST(AScript, that_is_wrong_is_refused_with_the_place) {
    EXPECT_EQ(field_of("{}"), "steps");
    EXPECT_EQ(field_of(R"({"steps":[]})"), "steps");
    EXPECT_EQ(field_of(R"({"stepps":[]})"), "stepps");
    EXPECT_EQ(field_of(R"({"steps":[1]})"), "steps[0]");
    EXPECT_EQ(field_of(R"({"steps":[{"do":"say"},{}]})"), "steps[1].do");
    EXPECT_EQ(field_of(R"({"steps":[{"do":"say"},{"do":"say"},{"do":"say","with":{"text":"{{ x"}}]})"),
              "steps[2].with.text");
    EXPECT_EQ(field_of(R"({"steps":[{"do":"e","with":{"payload":{"a":["{% if %}"]}}}]})"),
              "steps[0].with.payload.a[0]");
    EXPECT_EQ(field_of(R"({"steps":[{"do":"say","if":"a b"}]})"), "steps[0].if");
    EXPECT_EQ(field_of(R"({"steps":[{"do":"say","unless":"a"}]})"), "steps[0].unless");
    EXPECT_EQ(field_of(R"({"steps":[{"do":"say","with":[]}]})"), "steps[0].with");
}

TEST(AScript, has_an_end_to_its_steps_and_to_what_one_may_use) {
    std::string many = R"({"steps":[)";
    for (std::size_t i = 0; i <= Script::steps_max; ++i) many += R"({"do":"say"},)";
    many.back() = ']';
    EXPECT_EQ(field_of(many + "}"), "steps");
    const auto endless =
        compiled(R"({"steps":[{"do":"say","with":{"text":"{% for i in range(90000) %}{{ i }}{% endfor %}"}}]})");
    ASSERT_TRUE(endless.ok());
    const auto calls = endless->calls(model::value_from({"{}"}));
    ASSERT_FALSE(calls.ok());
    EXPECT_NE(calls.error().message.find("steps[0].with.text"), std::string::npos) << calls.error().message;
}

}  // namespace
}  // namespace belfry::text
