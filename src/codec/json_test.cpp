#include "codec/json.hpp"

#include <gtest/gtest.h>
#include <string>

namespace belfry::codec {
namespace {

using base::Code;

std::string refusal(std::string_view text) {
    auto result = validate(text);
    if (result.ok()) return "accepted: " + result->bytes();
    EXPECT_EQ(result.error().code, Code::malformed);
    return result.error().message;
}

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Validate, keeps_the_bytes_as_they_came) {
    for (const char* text :
         {"{}", "[]", "null", "true", "false", "0", "-0", "1e400", "-12.50E+3", "\"\"", "\"\\u00e4\\/\"",
          R"({"a":[1,2,{"b":null}],"a":"twice inside a value is allowed"})", "\"\xF0\x9F\x94\x94\""}) {
        auto result = validate(text);
        ASSERT_TRUE(result.ok()) << text << ": " << result.error().message;
        EXPECT_EQ(result->bytes(), text);
    }
}

TEST(Validate, removes_white_space_between_tokens_and_never_inside_strings) {
    auto result = validate(" \t\r\n{ \"a b\" : [ 1 , \" x \\\" y \" , { } , [ ] ] }\n ");
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->bytes(), R"({"a b":[1," x \" y ",{},[]]})");
}

TEST(Validate, refuses_what_the_grammar_does_not_have) {
    for (const char* text : {"",
                             " ",
                             "{",
                             "}",
                             "[1,]",
                             "[,1]",
                             "{,}",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{1:1}",
                             "'a'",
                             "NaN",
                             "Infinity",
                             "-",
                             "+1",
                             ".5",
                             "1.",
                             "1e",
                             "1e+",
                             "0x10",
                             "01",
                             "-01",
                             "tru",
                             "nul",
                             "True",
                             "[1 2]",
                             "{\"a\":1 \"b\":2}",
                             "1 2",
                             "{}{}",
                             "[1]]",
                             "// a\n1",
                             "\xEF\xBB\xBF{}",
                             "[1}",
                             "{\"a\":1]",
                             "\"a",
                             "\"\\",
                             "\"\\u12\"",
                             "\"\\x41\"",
                             "\"\\u00g0\"",
                             "\v1"}) {
        EXPECT_FALSE(validate(text).ok()) << text;
    }
    EXPECT_FALSE(validate(std::string_view("1\0", 2)).ok());
}

TEST(Validate, refuses_a_number_with_a_leading_zero_and_says_where) {
    EXPECT_EQ(refusal("{\n  \"a\": 012}"), "line 2, column 9: a number may not begin with 0");
}

TEST(Validate, refuses_control_characters_in_strings) {
    for (int c = 0; c < 0x20; ++c) {
        EXPECT_EQ(refusal(std::string("[\"a") + static_cast<char>(c) + "\"]"),
                  std::string("line 1, column 4: a control character in a string"))
            << c;
    }
    EXPECT_TRUE(validate("\"\x7F\"").ok());
}

TEST(Validate, refuses_bytes_that_are_not_utf8) {
    for (const char* body : {"\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80",
                             "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                             "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xF0\x9F\x94", "\xC3\xC3"}) {
        EXPECT_EQ(refusal("\"" + std::string(body) + "\""), "line 1, column 2: these bytes are not UTF-8");
    }
    for (const char* body : {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
                             "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_TRUE(validate("\"" + std::string(body) + "\"").ok());
    }
}

TEST(Validate, refuses_half_of_a_surrogate_pair) {
    for (const char* body :
         {"\\ud800", "\\udc00", "\\ud800\\ud800", "\\ud800x", "\\ud83d\\n", "\\uDBFF\\u0041", "\\ud83d\\u"}) {
        EXPECT_FALSE(validate("\"" + std::string(body) + "\"").ok()) << body;
    }
    auto bell = validate("\"\\ud83d\\udd14\"");
    ASSERT_TRUE(bell.ok());
    EXPECT_EQ(bell->view().as_text(), "\xF0\x9F\x94\x94");
}

TEST(Validate, finds_what_ends_a_plain_run_at_every_place_of_a_long_string) {
    for (std::size_t length = 0; length < 70; ++length) {
        const std::string plain(length, 'x');
        EXPECT_TRUE(validate("\"" + plain + "\"").ok());
        EXPECT_TRUE(validate("\"" + plain + "\\n" + plain + "\xC3\xA4\"").ok());
        EXPECT_EQ(refusal("\"" + plain + "\n" + plain + "\"").substr(0, 5), "line ");
        EXPECT_FALSE(validate("\"" + plain + "\xFF" + plain + "\"").ok());
        EXPECT_FALSE(validate("\"" + plain).ok());
    }
}

TEST(Validate, allows_numbers_of_the_limit_and_none_that_are_longer) {
    const std::string digits(base::limits::json_number_chars_max, '9');
    EXPECT_TRUE(validate("[" + digits + "]").ok());
    const std::string why = "line 1, column 2: a number has more than 1024 characters";
    EXPECT_EQ(refusal("[" + digits + "9]"), why);
    EXPECT_EQ(refusal("[-" + digits + "]"), why);
    EXPECT_EQ(refusal("[1." + digits + "]"), why);
    EXPECT_EQ(refusal("[1e" + digits + "]"), why);
}

TEST(Validate, allows_the_depth_of_the_limit_and_no_more) {
    EXPECT_TRUE(validate(nested(base::limits::json_depth_max)).ok());
    EXPECT_EQ(refusal(nested(base::limits::json_depth_max + 1)), "line 1, column 65: nested too deeply");
    EXPECT_FALSE(validate(std::string(5'000'000, '[')).ok());
    EXPECT_FALSE(validate(std::string(1'000'000, '{')).ok());
}

TEST(JsonReader, reads_an_object_field_by_field) {
    JsonReader reader(
        R"( {"name":"a\tb","n":-5,"x":1.5e2,"yes":true,"no":false,"nil":null,"list":["p","q"],"raw":{"k": 1},"skipped":[1]} )");
    ASSERT_TRUE(reader.begin_object().ok());
    std::string_view name;
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_EQ(name, "name");
    EXPECT_EQ(*reader.read_string(), "a\tb");
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_EQ(*reader.read_integer(), -5);
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_EQ(*reader.read_number_text(), "1.5e2");
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_TRUE(*reader.read_bool());
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_FALSE(*reader.read_bool());
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_TRUE(*reader.take_null());
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_FALSE(*reader.take_null());
    ASSERT_TRUE(reader.begin_array().ok());
    ASSERT_TRUE(*reader.next_element());
    EXPECT_EQ(*reader.read_string(), "p");
    ASSERT_TRUE(*reader.next_element());
    ASSERT_FALSE(*reader.next_element());
    ASSERT_TRUE(*reader.next_field(name));
    const JsonSpan raw = *reader.raw_value();
    EXPECT_EQ(raw.text, "{\"k\": 1}");
    EXPECT_EQ(raw.compact().bytes(), "{\"k\":1}");
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_EQ(name, "skipped");
    ASSERT_FALSE(*reader.next_field(name));
    EXPECT_TRUE(reader.finish().ok());
}

TEST(JsonReader, knows_whether_a_value_has_white_space_inside) {
    JsonReader plain(" [1,\" \"] ");
    EXPECT_FALSE(plain.raw_value()->spaced);
    JsonReader spaced("[1, 2]");
    EXPECT_TRUE(spaced.raw_value()->spaced);
}

TEST(JsonReader, resolves_the_escapes_of_names) {
    JsonReader reader("{\"\\u0061\\n\":1}");
    ASSERT_TRUE(reader.begin_object().ok());
    std::string_view name;
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_EQ(name, "a\n");
    EXPECT_EQ(reader.name_token(), "\"\\u0061\\n\"");
}

TEST(JsonReader, names_the_path_of_a_value_of_the_wrong_kind_and_goes_on) {
    JsonReader reader(R"({"bounds":{"users":["a",["deep"],"c"],"next":7},"after":1})");
    std::string_view name;
    ASSERT_TRUE(reader.begin_object().ok());
    ASSERT_TRUE(*reader.next_field(name));
    ASSERT_TRUE(reader.begin_object().ok());
    ASSERT_TRUE(*reader.next_field(name));
    ASSERT_TRUE(reader.begin_array().ok());
    ASSERT_TRUE(*reader.next_element());
    ASSERT_TRUE(*reader.next_element());
    auto text = reader.read_string();
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.error(), base::error(Code::invalid, "must be a string, not an array", "bounds.users[1]"));
    ASSERT_TRUE(reader.leave_to(1).ok());
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_EQ(name, "after");
    EXPECT_EQ(*reader.read_integer(), 1);
}

TEST(JsonReader, refuses_a_name_that_stands_twice_however_it_is_written) {
    JsonReader reader(R"({"a":1,"\u0061":2,"b":3})");
    std::string_view name;
    ASSERT_TRUE(reader.begin_object().ok());
    ASSERT_TRUE(*reader.next_field(name));
    auto again = reader.next_field(name);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error(), base::error(Code::invalid, "this name stands twice in one object", "a"));
    ASSERT_TRUE(*reader.next_field(name));
    EXPECT_EQ(name, "b");
}

TEST(JsonReader, finds_a_second_name_among_very_many) {
    std::string text = "{\"in\":{\"n7\":0}";
    for (int i = 0; i < 5000; ++i) text += ",\"n" + std::to_string(i) + "\":{\"n7\":1}";
    text += ",\"n4321\":1}";
    JsonReader reader(text);
    std::string_view name;
    ASSERT_TRUE(reader.begin_object().ok());
    for (int i = 0; i < 5001; ++i) {
        ASSERT_TRUE(reader.next_field(name).ok());
        ASSERT_TRUE(reader.begin_object().ok());
        ASSERT_TRUE(*reader.next_field(name));
        ASSERT_FALSE(*reader.next_field(name));
    }
    EXPECT_EQ(reader.next_field(name).error().field, "n4321");
}

TEST(JsonReader, allows_a_second_name_where_it_is_told_to) {
    JsonReader reader(R"({"a":1,"a":2})");
    std::string_view name;
    ASSERT_TRUE(reader.begin_object(Names::repeated).ok());
    ASSERT_TRUE(*reader.next_field(name));
    ASSERT_TRUE(*reader.next_field(name));
    ASSERT_FALSE(*reader.next_field(name));
}

TEST(JsonReader, reads_whole_numbers_of_64_bits_only) {
    EXPECT_EQ(*JsonReader("-9223372036854775808").read_integer(), INT64_MIN);
    EXPECT_EQ(*JsonReader("9223372036854775807").read_integer(), INT64_MAX);
    for (const char* text : {"9223372036854775808", "1.0", "1e3", "\"1\""}) {
        auto number = JsonReader(text).read_integer();
        ASSERT_FALSE(number.ok()) << text;
        EXPECT_EQ(number.error().code, Code::invalid);
    }
}

TEST(JsonReader, counts_lines_from_where_the_text_begins) {
    JsonReader reader("{\"a\":\n\n x}", {.first_line = 40});
    EXPECT_EQ(reader.skip_value().error().message, "line 42, column 2: this is no value");
}

TEST(JsonReader, counts_the_levels_that_were_opened_one_by_one) {
    const std::string text = nested(base::limits::json_depth_max + 1);
    JsonReader reader(text);
    for (std::size_t i = 0; i < base::limits::json_depth_max; ++i) {
        ASSERT_TRUE(reader.begin_array().ok());
        ASSERT_TRUE(*reader.next_element());
    }
    EXPECT_EQ(reader.begin_array().error().code, Code::malformed);
    EXPECT_EQ(reader.skip_value().error().code, Code::malformed);
}

TEST(JsonReader, refuses_what_follows_the_value) {
    JsonReader reader("{} x");
    EXPECT_EQ(reader.finish().error().message, "line 1, column 4: something follows the value");
}

}  // namespace
}  // namespace belfry::codec
