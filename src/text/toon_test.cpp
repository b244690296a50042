#include "text/toon.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <random>

#include "model/number.hpp"
#include "model/value_json.hpp"

namespace belfry::text {
namespace {

using model::Value;

Value json(std::string_view text) {
    return model::value_from({text});
}

std::string encoded(std::string_view text, ToonEncodeOptions options = {}) {
    auto made = toon_encode(json(text), options);
    return made.ok() ? *made : "error: " + made.error().message;
}

std::string decoded(std::string_view document, ToonDecodeOptions options = {}) {
    const auto read = toon_decode(document, options);
    return read.ok() ? model::to_json(*read) : read.error().message;
}

std::string lenient(std::string_view document) {
    ToonDecodeOptions options;
    options.strict = false;
    return decoded(document, options);
}

TEST(ToonEncode, a_table_of_failures_has_one_header) {
    EXPECT_EQ(
        encoded(
            R"({"tool_fails":[{"tool":"vault_search","error":"timeout","ts":"15:30:01"},{"tool":"x","error":"a, b","ts":null}]})"),
        "tool_fails[2]{tool,error,ts}:\n  vault_search,timeout,\"15:30:01\"\n  x,\"a, b\",null");
}

TEST(ToonEncode, hostile_text_is_quoted) {
    for (const char* text : {R"(",")", R"("\n")", R"("\"")", R"("a: b")", R"("[3]{a}:")", R"("- x")", R"("\u0000")",
                             R"("")", R"(" ")", R"("#")", R"("true")", R"("05")"}) {
        const std::string made = encoded(text);
        EXPECT_EQ(made.front(), '"') << text;
        EXPECT_EQ(made.back(), '"') << text;
    }
    EXPECT_EQ(encoded(R"("\u202e\u200b😀")"), "\u202e\u200b😀");
}

TEST(ToonEncode, numbers_stay_what_they_are) {
    EXPECT_EQ(encoded("[18446744073709551615,-9223372036854775808,123456789012345678901234567890,1e400,0.1,1.0,-0.0]"),
              "[7]: 18446744073709551615,-9223372036854775808,1.2345678901234567890123456789e+29,1e+400,0.1,1,0");
}

TEST(ToonEncode, the_delimiter_decides_what_is_quoted) {
    EXPECT_EQ(encoded(R"({"a":["x,y","x|y","x\ty"],"b":"x|y"})", {.delimiter = ToonDelimiter::pipe}),
              "a[3|]: x,y|\"x|y\"|\"x\\ty\"\nb: \"x|y\"");
    EXPECT_EQ(encoded(R"([{"a":1,"b":2}])", {.delimiter = ToonDelimiter::tab}), "[1\t]{a\tb}:\n  1\t2");
}

TEST(ToonEncode, refuses_a_tree_that_is_too_deep_and_leaves_the_text_alone) {
    std::string text(600, '[');
    text.append(600, ']');
    std::string out = "before";
    EXPECT_FALSE(append_toon(out, json(text)).ok());
    EXPECT_EQ(out, "before");
}

// A leaf of a few bytes at the bottom of a deep tree is a line of a kilobyte.
TEST(ToonEncode, gives_up_where_the_text_outgrows_its_limit) {
    std::string leaves = "{\"k\":[";
    for (int i = 0; i < 10000; ++i) leaves += "{\"a\":[1]},";
    leaves += "1]}";
    for (int i = 0; i < 60; ++i) leaves = "{\"d\":" + leaves + "}";
    std::string out = "before";
    const auto made = append_toon(out, json(leaves), {.indent = 16, .bytes_max = 100'000});
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().message, "more than 100000 bytes of TOON");
    EXPECT_EQ(out, "before");
    EXPECT_TRUE(out.capacity() < 300'000) << out.capacity();
    EXPECT_TRUE(toon_encode(json(leaves), {.indent = 16}).ok());
    EXPECT_EQ(*toon_encode(json("[1,2]"), {.bytes_max = 8}), "[2]: 1,2");
    EXPECT_FALSE(toon_encode(json("[1,2]"), {.bytes_max = 7}).ok());
}

TEST(ToonDecode, errors_say_where) {
    EXPECT_EQ(decoded("a: 1\nb: \"x"), "line 2, column 4: a string without its closing quote");
    EXPECT_EQ(decoded("a: 1\n   b: 2"), "line 2, column 4: indented by 3 spaces, not a multiple of 2");
    EXPECT_EQ(decoded("é: 1\nü: \"\\x\""), "line 2, column 5: an escape that TOON does not have");
    EXPECT_EQ(decoded("t[2]{a,b}:\n  1,2\n  3"), "line 3, column 3: fewer cells than fields");
    EXPECT_EQ(decoded("t[1]{a}:\n  1,2"), "line 2, column 5: more cells than the 1 fields");
    EXPECT_EQ(decoded("t[3]: 1,2"), "line 1, column 6: 3 values were declared, 2 are there");
    EXPECT_EQ(decoded("a: 1\n\xff"), "line 2, column 1: bytes that are no UTF-8");
    EXPECT_EQ(decoded("a:\n  b: 1\n  b: 2"), "line 3, column 3: the key \"b\" stands twice");
}

TEST(ToonDecode, numbers_beyond_a_double_keep_their_digits) {
    EXPECT_EQ(decoded("[4]: 18446744073709551615,123456789012345678901,1e400,0.10000000000000000001"),
              "[18446744073709551615,123456789012345678901,1e+400,0.10000000000000000001]");
    EXPECT_EQ(decoded("[5]: 1.0,2.50e1,-0.0,1e21,1E3"), "[1,25,0,1e+21,1000]");
    EXPECT_EQ(decoded("1234567890123456800.0"), "1234567890123456800.0");
}

TEST(ToonDecode, lenient_reading_forgives_what_strict_reading_refuses) {
    EXPECT_EQ(lenient("t[2]{a,b}:\n  1\n  1,2,3\n  4,5"), R"({"t":[{"a":1},{"a":1,"b":2},{"a":4,"b":5}]})");
    EXPECT_EQ(lenient("a:\n\tb: 1"), R"({"a":{"b":1}})");
    EXPECT_EQ(lenient("a:\n      b: 1"), R"({"a":{"b":1}})");
    EXPECT_EQ(lenient("[9]: 1\nmore: 2"), "[1]");
}

// The keys of the sibling before are expected again. What only looks like one of them must not be taken for it.
TEST(ToonDecode, a_sibling_before_changes_no_key) {
    EXPECT_EQ(decoded("a:\n  \"k[1]\": 1\nb:\n  k[1]: 7"), R"({"a":{"k[1]":1},"b":{"k":[7]}})");
    EXPECT_EQ(decoded("a:\n  \"x \": 1\nb:\n  x : 2"), R"({"a":{"x ":1},"b":{"x":2}})");
    EXPECT_EQ(decoded("a:\n  \"k:l\": 1\nb:\n  k:l: 2"), R"({"a":{"k:l":1},"b":{"k":"l: 2"}})");
    EXPECT_EQ(decoded("a[2:]{x}:\n  k[1]: 5\n  l: 6\nb:\n  k[1]: 7"),
              R"({"a":{"k[1]":{"x":5},"l":{"x":6}},"b":{"k":[7]}})");
    EXPECT_EQ(lenient("a:\n  k[z]: 1\nb:\n  k[z]: 2\nc:\n  k[1]: 3"),
              R"({"a":{"k[z]":1},"b":{"k[z]":2},"c":{"k":[3]}})");
    EXPECT_EQ(decoded("[4]:\n  - a: 1\n    b:\n      c: 2\n  - a: 3\n    b:\n      c: 4\n      d: 5\n"
                      "  - a: 6\n    ab: 7\n    b: 8\n  - a:\n    b: []"),
              R"([{"a":1,"b":{"c":2}},{"a":3,"b":{"c":4,"d":5}},{"a":6,"ab":7,"b":8},{"a":{},"b":[]}])");
}

TEST(ToonDecode, a_key_that_stands_twice_is_found_behind_those_of_the_sibling) {
    EXPECT_EQ(decoded("[2]:\n  - a: 1\n    b: 2\n  - a: 3\n    a: 4"), "line 5, column 5: the key \"a\" stands twice");
    EXPECT_EQ(lenient("[2]:\n  - a: 1\n    b: 2\n  - a: 3\n    b: 4\n    a: 5"), R"([{"a":1,"b":2},{"a":5,"b":4}])");
    EXPECT_EQ(decoded("[2]:\n  - a: 1\n    b: 2\n    c: 3\n  - a: 4\n    c: 5\n    c: 6"),
              "line 7, column 5: the key \"c\" stands twice");
    std::string fields;
    for (int i = 0; i < 40; ++i) fields += "  key" + std::to_string(i) + ": 1\n";
    EXPECT_EQ(decoded("a:\n" + fields + "b:\n" + fields + "  key7: 2"),
              "line 83, column 3: the key \"key7\" stands twice");
    EXPECT_EQ(decoded("a:\n" + fields + "b:\n" + fields + "  more: 1\n  other: 2\n  more: 3"),
              "line 85, column 3: the key \"more\" stands twice");
}

// Numbers are read eight characters at a time, also beyond the end of their line.
TEST(ToonDecode, what_follows_a_line_changes_nothing_of_its_numbers) {
    for (const std::string cells :
         {"1,2,", "-1,-", "1,2.", "0,01", "1,-0.5", "1.50,2.0", "1,1234567", "1,12345678", "1,0.1234567",
          "1,0.12345678", "1,9223372036854775807", "1,1e5", "1,2x", "1, 2", "1 ,2", "1,\"2\"", "-,-1", ".5,1."}) {
        const std::string line = "a[2]: " + cells;
        const std::string alone = decoded(line);
        const std::string more = decoded(line + "\nb: 12345678.12345678");
        const std::string spaces = decoded(line + "   \r\n# 12345678901234567890");
        EXPECT_EQ(spaces, alone) << cells;
        EXPECT_EQ(more.substr(0, alone.size() - 1), alone.substr(0, alone.size() - 1)) << cells;
    }
    EXPECT_EQ(decoded("a[4]: 1,-2.5,1.50,-0\nb: 1234567890123456"), R"({"a":[1,-2.5,1.5,0],"b":1234567890123456})");
}

TEST(ToonDecode, a_byte_order_mark_is_passed_over) {
    EXPECT_EQ(decoded("\xEF\xBB\xBF"
                      "a: 1"),
              R"({"a":1})");
}

TEST(ToonDecode, refuses_what_is_too_deep_or_too_large) {
    std::string deep;
    for (int i = 0; i < 400; ++i) deep += std::string(static_cast<std::size_t>(2 * i), ' ') + "a:\n";
    EXPECT_NE(decoded(deep).find("deeper than 256 levels"), std::string::npos);
    ToonDecodeOptions options;
    options.bytes_max = 3;
    EXPECT_EQ(decoded("a: 1", options), "more than 3 bytes");
    std::string groups = "t[1]{";
    for (int i = 0; i < 2000; ++i) groups += "a{";
    EXPECT_NE(decoded(groups + ":").find("line 1"), std::string::npos);
}

// Twice the input, about twice the time: what would be quadratic takes minutes here.
TEST(ToonDecode, hostile_documents_take_linear_time) {
    const auto begin = std::chrono::steady_clock::now();
    const auto repeat = [](std::string_view text, std::size_t times) {
        std::string out;
        for (std::size_t i = 0; i < times; ++i) out += text;
        return out;
    };
    const std::size_t n = 300000;
    std::string keys;
    for (std::size_t i = 0; i < n; ++i) keys += "k" + std::to_string(i) + ": 1\n";
    std::string fields = "t[1]{f";
    for (std::size_t i = 0; i < n; ++i) fields += ",f" + std::to_string(i);
    for (const std::string& document :
         {keys, fields + "}:\n  1", repeat("\n", n), repeat("# x\n", n), repeat("\"", n), "a: " + repeat("\"\\", n),
          "a[" + repeat("9", n) + "]: 1", repeat("[", n), repeat("a:", n), "t[1]{a}:\n" + repeat("  \"a\n", n),
          "x[2]:\n" + repeat("  - \n", n), repeat(" ", n), "a: " + repeat("1", n), "a: 1e" + repeat("9", n)}) {
        (void)toon_decode(document);
        ToonDecodeOptions options;
        options.strict = false;
        (void)toon_decode(document, options);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

// Each of these stood for gigabytes, or for minutes.
TEST(ToonDecode, a_header_is_no_lever) {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t n = 100000;
    std::string fields;
    for (std::size_t i = 0; i < n; ++i) fields += "f" + std::to_string(i) + ",";
    std::string rows;
    for (std::size_t i = 0; i < n; ++i) rows += "\n  1";
    EXPECT_NE(decoded("t[100000]{" + std::string(1 << 20, 'n') + "}:" + rows).find("rows repeat their field names"),
              std::string::npos);
    EXPECT_TRUE(toon_decode("t[100000]{a_name_of_many_letters}:" + rows).ok());
    // One cell a row for many fields, many groups, a field that stands twice.
    EXPECT_EQ(lenient("t[1]{" + fields + "z}:" + rows).substr(0, 24), R"({"t":[{"f0":1},{"f0":1},)");
    EXPECT_EQ(lenient("t[2]{a{b},c{d,e}}:\n  1\n  1,2"), R"({"t":[{"a":{"b":1}},{"a":{"b":1},"c":{"d":2}}]})");
    std::string cells;
    for (std::size_t i = 0; i < n; ++i) cells += "1,";
    EXPECT_EQ(lenient("t[1]{" + fields + "f0}:\n  " + cells + "7").substr(0, 21), R"({"t":[{"f0":7,"f1":1,)");
    // Lengths that nothing follows.
    std::string headers;
    for (std::size_t i = 0; i < n; ++i) headers += "k" + std::to_string(i) + "[65536]{x}:\n";
    EXPECT_EQ(lenient(headers).substr(0, 17), R"({"k0":[],"k1":[],)");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(ToonEncode, hostile_trees_take_linear_time) {
    const auto begin = std::chrono::steady_clock::now();
    // Wide rows whose keys stand in another order each time.
    Value rows = Value::array();
    for (int r = 0; r < 30; ++r) {
        Value row = Value::object();
        for (int i = 0; i < 3000; ++i) row.append("k" + std::to_string(r % 2 == 0 ? i : 2999 - i), Value::integer(i));
        rows.push(std::move(row));
    }
    ASSERT_TRUE(toon_encode(rows).ok());
    // Two halves that are alike down to their last leaf, at every level.
    Value tree = Value::integer(1);
    for (int depth = 0; depth < 16; ++depth) {
        Value pair = Value::object();
        pair.append("a", tree);
        pair.append("b", std::move(tree));
        tree = std::move(pair);
    }
    ASSERT_TRUE(toon_encode(tree).ok());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// A small world of random values, so that the round trip is tried without any other program. The larger one is
// tests/text/toon_differential.mjs.
class RandomValues {
public:
    explicit RandomValues(unsigned seed) : random_(seed) {}

    Value value(int depth) {
        switch (below(depth > 0 ? 8 : 5)) {
            case 0: return number();
            case 1: return Value::boolean(below(2) == 0);
            case 2: return {};
            case 3:
            case 4: return Value::string(text());
            case 5: return table(depth);
            case 6: {
                Value array = Value::array();
                for (int n = below(5); n > 0; --n) array.push(value(depth - 1));
                return array;
            }
            default: {
                Value object = Value::object();
                for (int n = below(5); n > 0; --n) object.set(text(), value(depth - 1));
                return object;
            }
        }
    }

private:
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

    Value number() {
        static constexpr const char* tokens[] = {
            "0", "-1", "1e400", "18446744073709551615", "1e-7", "0.1", "1e21", "123456789012345678901", "-0.0", "3.25"};
        return below(2) == 0 ? Value::integer(below(1000) - 500) : model::number_value(tokens[below(10)]);
    }

    std::string text() {
        static constexpr const char* parts[] = {"a",  "key", " ",   "-",   "#", ":",  ",", "|",    "\t", "\n",
                                                "\"", "\\",  "[1]", "{a}", "é", "👋", "1", "true", ".",  ""};
        std::string made;
        for (int n = below(4); n >= 0; --n) made += parts[below(20)];
        return made;
    }

    Value table(int depth) {
        std::vector<std::string> names;
        for (int n = 1 + below(3); n > 0; --n) names.push_back(text());
        Value rows = below(2) == 0 ? Value::array() : Value::object();
        for (int n = 1 + below(3); n > 0; --n) {
            Value row = Value::object();
            for (const std::string& name : names) row.set(name, below(20) == 0 ? value(depth - 1) : value(0));
            if (rows.is_array()) {
                rows.push(std::move(row));
            } else {
                rows.set(text(), std::move(row));
            }
        }
        return rows;
    }

    std::mt19937 random_;
};

// Numbers have quick ways in and out. What takes them must come out as the slow way has it.
TEST(Toon, numbers_of_any_length_are_read_and_written_alike) {
    std::mt19937 random(7);
    const auto digits = [&](std::size_t count) {
        std::string made;
        while (made.size() < count) made += static_cast<char>('0' + random() % 10);
        return made;
    };
    for (int round = 0; round < 50000; ++round) {
        std::string token = digits(1 + random() % 11);
        token.erase(0, std::min(token.find_first_not_of('0'), token.size() - 1));
        if (random() % 3 > 0) token += "." + digits(1 + random() % 10);
        if (random() % 2 == 0) token.insert(0, 1, '-');
        const std::string canonical = model::canonical_number(token);
        // First with a long rest behind it, then at the line's end.
        const auto read = toon_decode("[3]: " + token + ",xxxxxxxxxxxxxxxxxxxxxxxx," + token);
        ASSERT_TRUE(read.ok()) << token;
        ASSERT_TRUE(read->items()[0] == model::number_value(token)) << token;
        ASSERT_TRUE(read->items()[2] == model::number_value(token)) << token;
        ASSERT_EQ(*toon_encode(*read), "[3]: " + canonical + ",xxxxxxxxxxxxxxxxxxxxxxxx," + canonical);
        ASSERT_EQ(*toon_encode(read->items()[0]), canonical);
    }
    EXPECT_EQ(decoded("[6]: 01,1.,.5,-,-01,1-2,"), "line 1, column 5: 6 values were declared, more are there");
    EXPECT_EQ(decoded("[6]: 01,1.,.5,-,-01,xxxxxxxxxxxxxxxxxxxxxxxx"),
              R"(["01","1.",".5","-","-01","xxxxxxxxxxxxxxxxxxxxxxxx"])");
}

TEST(Toon, what_is_written_is_read_as_the_same_value) {
    for (unsigned seed = 0; seed < 20000; ++seed) {
        RandomValues values(seed);
        const Value value = values.value(4);
        for (const ToonDelimiter delimiter : {ToonDelimiter::comma, ToonDelimiter::tab, ToonDelimiter::pipe}) {
            const auto made = toon_encode(value, {.indent = 1 + static_cast<int>(seed % 4), .delimiter = delimiter});
            ASSERT_TRUE(made.ok());
            ToonDecodeOptions options;
            options.indent = 1 + static_cast<int>(seed % 4);
            const auto read = toon_decode(*made, options);
            ASSERT_TRUE(read.ok()) << seed << ": " << read.error().message << "\n" << *made;
            ASSERT_TRUE(*read == value) << seed << "\n" << *made;
        }
    }
}

}  // namespace
}  // namespace belfry::text
