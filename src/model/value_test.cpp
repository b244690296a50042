#include "model/value.hpp"

#include <gtest/gtest.h>
#include <string>

#include "model/key_index.hpp"
#include "model/number.hpp"
#include "model/value_json.hpp"

namespace belfry::model {
namespace {

Value from(std::string_view json) {
    return value_from({json});
}
std::string again(std::string_view json) {
    return to_json(from(json));
}

TEST(Value, keeps_strings_short_and_long) {
    for (const std::size_t size : {0U, 1U, 13U, 14U, 15U, 100U, 100000U}) {
        const std::string text(size, 'x');
        Value value = Value::string(text);
        Value copy = value;
        const Value moved = std::move(value);
        EXPECT_EQ(moved.text(), text);
        EXPECT_EQ(copy.text(), text);
        copy = moved;
        EXPECT_EQ(copy.text(), text);
    }
}

TEST(Value, may_be_assigned_a_part_of_itself) {
    Value value = from(R"({"a":{"b":[1,2,"a text that is too long to be held inside"]}})");
    value = Value(*value.find("a")->find("b"));
    EXPECT_EQ(to_json(value), R"([1,2,"a text that is too long to be held inside"])");
    Value list = Value::array();
    list.push(Value::array());
    list.item(0).push(Value::integer(5));
    list = std::move(list.item(0));
    EXPECT_EQ(to_json(list), "[5]");
}

TEST(Value, set_replaces_in_place_and_append_keeps_the_order) {
    Value object = Value::object();
    object.append("b", Value::integer(1));
    object.set("a", Value::integer(2));
    object.set("b", Value::string("three"));
    EXPECT_EQ(to_json(object), R"({"b":"three","a":2})");
}

TEST(Value, a_tree_deeper_than_the_stack_is_taken_apart) {
    Value value;
    for (int i = 0; i < 1'000'000; ++i) {
        Value outer = (i % 2) == 0 ? Value::array() : Value::object();
        if (outer.is_array()) {
            outer.push(std::move(value));
        } else {
            outer.append("a key that does not fit inside", std::move(value));
        }
        value = std::move(outer);
    }
    SUCCEED();
}

TEST(Value, numbers_are_equal_by_what_they_are_worth) {
    EXPECT_TRUE(from("1") == from("1.0"));
    EXPECT_TRUE(from("100") == from("1e2"));
    EXPECT_TRUE(from("9223372036854775808") == from("9.223372036854775808e18"));
    EXPECT_FALSE(from("9007199254740993") == from("9007199254740992.0"));
    EXPECT_TRUE(from("10000000000010000000") == from("10000000000010000000.000"));
    EXPECT_FALSE(from("1234567890123456768") == from("1234567890123456800.0"));
    EXPECT_FALSE(from("1") == from("true"));
    EXPECT_FALSE(from("1") == from("\"1\""));
}

TEST(Value, objects_are_equal_whatever_their_order) {
    EXPECT_TRUE(from(R"({"a":1,"b":[{}]})") == from(R"({"b":[{}],"a":1})"));
    EXPECT_FALSE(from(R"({"a":1,"b":2})") == from(R"({"a":1,"c":2})"));
    EXPECT_FALSE(from(R"({"a":1})") == from(R"({"a":1,"c":2})"));
    std::string forwards = "{";
    std::string backwards = "{";
    for (int i = 0; i < 100; ++i) {
        forwards += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":" + std::to_string(i);
        backwards += (i > 0 ? ",\"" : "\"") + std::to_string(99 - i) + "\":" + std::to_string(99 - i);
    }
    EXPECT_TRUE(from(forwards + "}") == from(backwards + "}"));
}

TEST(Numbers, take_the_kind_that_holds_them) {
    using Kind = Value::Kind;
    EXPECT_EQ(from("-9223372036854775808").kind(), Kind::integer);
    EXPECT_EQ(from("9223372036854775808").kind(), Kind::natural);
    EXPECT_EQ(from("18446744073709551615").kind(), Kind::natural);
    EXPECT_EQ(from("18446744073709551616").kind(), Kind::big);
    EXPECT_EQ(from("-9223372036854775809").kind(), Kind::big);
    EXPECT_EQ(from("0.1").kind(), Kind::real);
    EXPECT_EQ(from("0.30000000000000004").kind(), Kind::real);
    EXPECT_EQ(from("0.300000000000000041").kind(), Kind::big);
    EXPECT_EQ(from("1e400").kind(), Kind::big);
    EXPECT_EQ(from("1e-400").kind(), Kind::big);
    EXPECT_EQ(from("0e400").kind(), Kind::real);
    EXPECT_EQ(from("5e-324").kind(), Kind::real);
    EXPECT_EQ(from("1e999999999999999999999").kind(), Kind::big);
}

TEST(Numbers, are_written_so_that_nothing_is_lost) {
    for (const char* text : {"0", "-1", "9223372036854775807", "18446744073709551615", "18446744073709551616", "0.1",
                             "1.0", "-0.0", "123456789012345678901.125", "1e+400", "2.5e-7", "0.000001", "1e+21",
                             "100000000000000000000.0", "0.300000000000000041"}) {
        EXPECT_EQ(again(text), text);
    }
    EXPECT_EQ(again("1E5"), "100000.0");
    EXPECT_EQ(again("-0"), "0");
    EXPECT_EQ(again("10e20"), "1e+21");
}

TEST(Numbers, of_every_length_have_all_their_digits) {
    for (std::uint64_t power = 1; power < 10'000'000'000'000'000'000U; power *= 10) {
        for (const std::uint64_t value : {power - 1, power, power + 1, power * 7 / 3}) {
            std::string written;
            append_natural(written, value);
            EXPECT_EQ(written, std::to_string(value));
            const auto negative = -static_cast<std::int64_t>(value / 2);
            written.clear();
            append_integer(written, negative);
            EXPECT_EQ(written, std::to_string(negative));
        }
    }
    for (int i = 1; i < 1'000'000; i += 7) {
        std::string digits = std::to_string(i);
        digits.insert(0, 6 - digits.size(), '0');
        while (digits.back() == '0') digits.pop_back();
        std::string written;
        append_real(written, i / 1e6);
        ASSERT_EQ(written, "0." + digits);
    }
}

TEST(Numbers, have_one_canonical_text) {
    EXPECT_EQ(canonical_number("1.5000"), "1.5");
    EXPECT_EQ(canonical_number("-1E+03"), "-1000");
    EXPECT_EQ(canonical_number("0.0000001"), "1e-7");
    EXPECT_EQ(canonical_number("-0e9"), "0");
    EXPECT_EQ(canonical_number("1234567890123456789012e3"), "1.234567890123456789012e+24");
}

TEST(ValueJson, reads_and_writes_what_it_read) {
    const char* text = R"({"a":[1,-2.5,true,false,null,"x\"y\\z\n"],"":{},"b":[[]],"ключ":"😀"})";
    EXPECT_EQ(again(text), text);
    EXPECT_EQ(again(" { \"a\" : [ 1 , 2 ] } "), R"({"a":[1,2]})");
    EXPECT_EQ(again(R"("\u00e9\ud83d\ude00\/")"), "\"é😀/\"");
}

TEST(ValueJson, the_last_of_a_repeated_key_stands_at_the_first_place) {
    EXPECT_EQ(again(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
    std::string json = "{";
    for (int i = 0; i < 2000; ++i) json += "\"k" + std::to_string(i % 1000) + "\":" + std::to_string(i) + ",";
    const Value value = from(json + "\"end\":0}");
    EXPECT_EQ(value.size(), 1001U);
    EXPECT_EQ(value.find("k999")->as_integer(), 1999);
    EXPECT_EQ(value.members()[0].key(), "k0");
}

TEST(ValueJson, breaks_lines_when_asked) {
    EXPECT_EQ(to_json(from(R"({"a":[1,2],"b":{}})"), 2), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

TEST(KeyIndex, finds_every_key_of_a_large_object_again) {
    Value object = Value::object();
    KeyIndex index;
    for (int i = 0; i < 5000; ++i) {
        const std::string key = "key " + std::to_string(i);
        ASSERT_EQ(index.find_or_expect(object, Value::string(key)), KeyIndex::none);
        object.append(key, Value::integer(i));
    }
    for (int i = 0; i < 5000; ++i)
        EXPECT_EQ(index.find_or_expect(object, Value::string("key " + std::to_string(i))), static_cast<std::size_t>(i));
}

// Keys of seven bytes whose words differ only in bits that the table's hash loses would fill one slot; whatever the
// hash, a million keys must not take minutes. Chosen collisions are what the tree behind the table is for.
TEST(KeyIndex, is_not_slowed_down_by_keys_of_one_pattern) {
    Value object = Value::object();
    KeyIndex index;
    for (std::uint32_t i = 0; i < 200000; ++i) {
        const std::string key = std::string(64, 'a') + std::to_string(i * 65536U);
        if (index.find_or_expect(object, Value::string(key)) == KeyIndex::none) object.append(key, Value());
    }
    EXPECT_GT(object.size(), 60000U);
}

}  // namespace
}  // namespace belfry::model
