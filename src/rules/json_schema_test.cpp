#include "rules/json_schema.hpp"

#include <gtest/gtest.h>
#include <string>

namespace belfry::rules {
namespace {

// What is wrong with it, or nothing.
std::string fault(std::string_view schema, std::string_view content) {
    const auto checked = check_against({schema}, {content}, "content");
    if (checked.ok()) return "";
    EXPECT_TRUE(checked.error().message.starts_with(checked.error().field + " "));
    return checked.error().message;
}

TEST(JsonSchema, what_is_required_must_be_given_and_nothing_else_where_that_is_said) {
    constexpr std::string_view schema =
        R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false})";
    EXPECT_EQ(fault(schema, R"({"name":"Ada"})"), "");
    EXPECT_EQ(fault(schema, "{}"), "content.name must be given");
    EXPECT_EQ(fault(schema, R"({"name":"Ada","age":1})"), "content.age is not known");
    EXPECT_EQ(fault(R"({"properties":{}})", R"({"age":1})"), "");
}

TEST(JsonSchema, a_number_beyond_all_bounds_is_none_within_them) {
    constexpr std::string_view schema = R"({"properties":{"x":{"minimum":-5,"maximum":5}}})";
    EXPECT_EQ(fault(schema, R"({"x":1e999})"), "content.x must be at most 5");
    EXPECT_EQ(fault(schema, R"({"x":-1e999})"), "content.x must be at least -5");
    EXPECT_EQ(fault(schema, R"({"x":1e-999})"), "");
}

TEST(JsonSchema, a_value_is_of_its_type) {
    const auto of = [](const std::string& type, const std::string& value) {
        return fault(R"({"properties":{"x":{"type":)" + type + "}}}", R"({"x":)" + value + "}");
    };
    EXPECT_EQ(of(R"("string")", "1"), "content.x must be of type string");
    EXPECT_EQ(of(R"("string")", "null"), "content.x must be of type string");
    EXPECT_EQ(of(R"("number")", R"("1")"), "content.x must be of type number");
    EXPECT_EQ(of(R"("number")", "1.5"), "");
    EXPECT_EQ(of(R"("integer")", "1.5"), "content.x must be of type integer");
    EXPECT_EQ(of(R"("integer")", "1e3"), "");
    EXPECT_EQ(of(R"("integer")", "2.0"), "");
    EXPECT_EQ(of(R"("boolean")", "true"), "");
    EXPECT_EQ(of(R"("boolean")", "0"), "content.x must be of type boolean");
    EXPECT_EQ(of(R"(["string","null"])", "null"), "");
    EXPECT_EQ(of(R"(["string","null"])", "[]"), "content.x must be of type string or null");
}

TEST(JsonSchema, a_choice_is_one_of_those_that_there_are) {
    constexpr std::string_view schema = R"({"properties":{"x":{"enum":["a","\u00e4",1]},"y":{"const":true}}})";
    EXPECT_EQ(fault(schema, R"({"x":"ä"})"), "");
    EXPECT_EQ(fault(schema, R"({"x":1.0})"), "");
    EXPECT_EQ(fault(schema, R"({"x":"b"})"), R"(content.x must be one of ["a","\u00e4",1])");
    EXPECT_EQ(fault(schema, R"({"y":false})"), "content.y must be true");
}

TEST(JsonSchema, texts_numbers_and_lists_lie_within_their_bounds) {
    constexpr std::string_view schema =
        R"({"properties":{"t":{"minLength":2,"maxLength":3},"n":{"minimum":1,"maximum":9.5},)"
        R"("m":{"exclusiveMinimum":0,"exclusiveMaximum":1},"l":{"minItems":1,"maxItems":2,"items":{"type":"string"}}}})";
    EXPECT_EQ(fault(schema, R"({"t":"äöü","n":9.5,"m":0.5,"l":["a"]})"), "");
    EXPECT_EQ(fault(schema, R"({"t":"ä"})"), "content.t must have a number of characters of at least 2");
    EXPECT_EQ(fault(schema, R"({"t":"äöüa"})"), "content.t must have a number of characters of at most 3");
    EXPECT_EQ(fault(schema, R"({"n":0})"), "content.n must be at least 1");
    EXPECT_EQ(fault(schema, R"({"n":10})"), "content.n must be at most 9.5");
    EXPECT_EQ(fault(schema, R"({"m":0})"), "content.m must be above 0");
    EXPECT_EQ(fault(schema, R"({"m":1})"), "content.m must be below 1");
    EXPECT_EQ(fault(schema, R"({"l":[]})"), "content.l must have a number of entries of at least 1");
    EXPECT_EQ(fault(schema, R"({"l":["a",2]})"), "content.l[1] must be of type string");
}

TEST(JsonSchema, days_and_times_have_their_format) {
    constexpr std::string_view schema = R"({"properties":{"d":{"format":"date"},"t":{"format":"date-time"}}})";
    EXPECT_EQ(fault(schema, R"({"d":"2026-11-16","t":"2026-11-16T07:00:00+01:00"})"), "");
    EXPECT_EQ(fault(schema, R"({"d":"2026-02-30"})"), "content.d must be a day such as 2026-11-16");
    for (const std::string time : {"2026-11-16", "2026-11-16T07:00:00", "tomorrow"}) {
        EXPECT_EQ(fault(schema, R"({"t":")" + time + "\"}"),
                  "content.t must be a time with its zone, such as 2026-11-16T07:00:00Z");
    }
}

TEST(JsonSchema, a_form_in_a_form_is_looked_at_too_and_words_that_are_not_known_let_everything_pass) {
    constexpr std::string_view schema =
        R"({"properties":{"who":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}}})";
    EXPECT_EQ(fault(schema, R"({"who":{"id":"1"}})"), "content.who.id must be of type integer");
    EXPECT_EQ(fault(schema, R"({"who":{}})"), "content.who.id must be given");
    EXPECT_EQ(
        fault(R"({"properties":{"x":{"pattern":"^a$","format":"email"},"y":7},"anyOf":[false]})", R"({"x":"b","y":1})"),
        "");
}

TEST(JsonSchema, a_schema_says_with_its_words_what_can_be_looked_at) {
    const auto place = [](std::string_view schema) {
        const auto checked = check_schema(model::JsonView{schema}, "schema");
        return checked.ok() ? std::string() : checked.error().field;
    };
    EXPECT_EQ(place("{}"), "");
    EXPECT_EQ(place(R"({"type":["string","null"],"enum":[1],"properties":{"a":{"items":{"type":"integer"}},"b":true},)"
                    R"("required":["a"],"additionalProperties":{"type":"string"},"anyOf":7,"$comment":1})"),
              "");
    EXPECT_EQ(place("[]"), "schema");
    EXPECT_EQ(place(R"({"type":"text"})"), "schema.type");
    EXPECT_EQ(place(R"({"type":["string",1]})"), "schema.type");
    EXPECT_EQ(place(R"({"enum":"a"})"), "schema.enum");
    EXPECT_EQ(place(R"({"required":["a",1]})"), "schema.required");
    EXPECT_EQ(place(R"({"minLength":"1"})"), "schema.minLength");
    EXPECT_EQ(place(R"({"properties":[]})"), "schema.properties");
    EXPECT_EQ(place(R"({"properties":{"a":{"items":{"maximum":true}}}})"), "schema.properties.a.items.maximum");
    std::string deep = "{}";
    for (int i = 0; i < 40; ++i) deep = R"({"items":)" + deep + "}";
    EXPECT_NE(place(deep), "");
}

}  // namespace
}  // namespace belfry::rules
