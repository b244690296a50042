// The reader against another one (nlohmann::json): random documents, and random damage to them. Both must accept the
// same texts and see the same values in them.
//
// Known differences, and how they are met here: nlohmann takes a byte order mark at the start and a NUL byte as the
// end (neither is JSON, so its answer counts as no); it refuses numbers beyond a double (nothing is compared then); it
// has no limit of depth (the documents stay below ours).
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "codec/json.hpp"

namespace belfry::codec {
namespace {

using Oracle = nlohmann::json;
using model::JsonKind;
using model::JsonView;
using namespace std::string_view_literals;

class Generator {
public:
    explicit Generator(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

    std::string document() { return space() + value(0) + space(); }

    // One to three bytes changed, cut, doubled or put in.
    std::string damaged(std::string text) {
        static constexpr std::string_view telling =
            "\"\\{}[]:,0123456789-+.eEtrufalsn \t\n\r/ud8DC\x00\x1F\x7F\x80\xBF\xC0\xC2\xE0\xED\xEF\xF0\xF4\xFF"sv;
        for (std::size_t i = below(3) + 1; i > 0; --i) {
            const std::size_t at = below(text.size() + 1);
            const char byte = telling[below(telling.size())];
            switch (below(5)) {
                case 0: text.insert(at, 1, byte); break;
                case 1: text.erase(at, below(3)); break;
                case 2:
                    if (at < text.size()) text[at] = byte;
                    break;
                case 3: text.insert(at, text.substr(at, below(6))); break;
                default: text.resize(at == 0 ? text.size() : at); break;
            }
        }
        return text;
    }

private:
    std::string space() {
        static constexpr std::string_view kinds = " \t\n\r";
        std::string out;
        while (below(6) == 0) out += kinds[below(4)];
        return out;
    }

    std::string string() {
        static const std::vector<std::string> pieces{"a",
                                                     "plain text of some length, more than a word",
                                                     "\\n",
                                                     "\\\"",
                                                     "\\\\",
                                                     "\\/",
                                                     "\\u0041",
                                                     "\\u00e4",
                                                     "\\ud83d\\udd14",
                                                     "\\u0000",
                                                     "\xC3\xA4",
                                                     "\xE2\x82\xAC",
                                                     "\xF0\x9F\x94\x94",
                                                     "\x7F",
                                                     " "};
        std::string out = "\"";
        for (std::size_t i = below(5); i > 0; --i) out += pieces[below(pieces.size())];
        return out + '"';
    }

    std::string digits() {
        std::string out;
        for (std::size_t i = below(12) + 1; i > 0; --i) out += static_cast<char>('0' + below(10));
        return out;
    }

    std::string number() {
        std::string out = below(2) == 0 ? "-" : "";
        if (below(4) == 0) out += "0";
        else out += static_cast<char>('1' + below(9)) + digits();
        if (below(3) == 0) out += "." + digits();
        if (below(3) == 0)
            out += std::string(below(2) == 0 ? "e" : "E") + (below(2) == 0 ? "-" : "") + std::to_string(below(340));
        return out;
    }

    std::string container(bool object, int depth) {
        std::string out = object ? "{" : "[";
        out += space();
        const std::size_t count = below(5);
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) out += ',' + space();
            if (object) out += string() + space() + ':' + space();
            out += value(depth + 1) + space();
        }
        return out + (object ? '}' : ']');
    }

    std::string value(int depth) {
        switch (below(depth < 6 ? 9 : 6)) {
            case 0: return "null";
            case 1: return "true";
            case 2: return "false";
            case 3: return number();
            case 4:
            case 5: return string();
            case 6: return container(false, depth);
            default: return container(true, depth);
        }
    }

    std::mt19937_64 random_;
};

bool same(JsonView ours, const Oracle& theirs);

bool same_object(JsonView ours, const Oracle& theirs) {
    model::JsonWalker walker(ours);
    std::string_view name;
    std::set<std::string> names;
    while (walker.next(&name)) names.insert(JsonView{"\"" + std::string(name) + "\""}.as_text());
    if (names.size() != theirs.size()) return false;
    for (const std::string& each : names) {
        if (!theirs.contains(each) || !same(*ours.member(each), theirs[each])) return false;
    }
    return true;
}

bool same_array(JsonView ours, const Oracle& theirs) {
    model::JsonWalker walker(ours);
    std::size_t i = 0;
    while (auto element = walker.next()) {
        if (i >= theirs.size() || !same(*element, theirs[i++])) return false;
    }
    return i == theirs.size();
}

bool same_number(JsonView ours, const Oracle& theirs) {
    if (!theirs.is_number()) return false;
    const std::string text(ours.text);
    if (theirs.is_number_integer() && JsonReader(text).read_integer().ok()) {
        return *JsonReader(text).read_integer() == theirs.get<std::int64_t>();
    }
    return std::strtod(text.c_str(), nullptr) == theirs.get<double>();
}

bool same(JsonView ours, const Oracle& theirs) {
    switch (ours.kind()) {
        case JsonKind::null: return theirs.is_null();
        case JsonKind::boolean: return theirs.is_boolean() && theirs.get<bool>() == (ours.text == "true");
        case JsonKind::number: return same_number(ours, theirs);
        case JsonKind::string: return theirs.is_string() && theirs.get<std::string>() == ours.as_text();
        case JsonKind::array: return theirs.is_array() && same_array(ours, theirs);
        case JsonKind::object: return theirs.is_object() && same_object(ours, theirs);
    }
    return false;
}

// Whether the other reader accepts, with its known differences levelled.
bool oracle_accepts(const std::string& text, Oracle& value, bool& beyond_double) {
    if (text.starts_with("\xEF") || text.find('\0') != std::string::npos) return false;
    try {
        value = Oracle::parse(text);
        return true;
    } catch (const Oracle::out_of_range&) {
        beyond_double = true;
        return true;
    } catch (const Oracle::exception&) {
        return false;
    }
}

void compare(const std::string& text, std::size_t& accepted) {
    Oracle value;
    bool beyond_double = false;
    const bool theirs = oracle_accepts(text, value, beyond_double);
    const auto ours = validate(text);
    // A number beyond a double ends the other reader before the rest is seen.
    if (beyond_double) return;
    ASSERT_EQ(ours.ok(), theirs) << text << (ours.ok() ? "" : "\n" + ours.error().message);
    if (!theirs) return;
    ++accepted;
    ASSERT_TRUE(same(ours->view(), value)) << text;
    ASSERT_EQ(Oracle::parse(ours->bytes()), value) << text;
    ASSERT_EQ(ours->bytes().find('\n'), std::string::npos);
}

TEST(JsonDifferential, accepts_every_random_document_with_the_same_values) {
    std::size_t accepted = 0;
    for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        compare(Generator(seed).document(), accepted);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(accepted, 4500U);
}

TEST(JsonDifferential, agrees_on_every_damaged_document) {
    std::size_t accepted = 0;
    constexpr std::size_t rounds = 40000;
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Generator generator(seed);
        const std::string text = generator.document();
        compare(generator.damaged(text), accepted);
        if (HasFatalFailure()) return;
    }
    // Both kinds must occur, else the comparison says nothing.
    EXPECT_GT(accepted, rounds / 20);
    EXPECT_LT(accepted, rounds * 19 / 20);
}

}  // namespace
}  // namespace belfry::codec
