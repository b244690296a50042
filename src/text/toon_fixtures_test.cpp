#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>

#include "model/value_json.hpp"
#include "text/toon.hpp"

namespace belfry::text {
namespace {

using model::Value;

// The specification's own cases. They are not part of this project: TOON_FIXTURES says where they are.
std::filesystem::path fixtures() {
    if (const char* path = std::getenv("TOON_FIXTURES")) return path;
    return std::filesystem::path(BELFRY_SOURCE_DIR) / ".." / "shared" / "toon" / "fixtures";
}

Value read_json(const std::filesystem::path& path) {
    std::ifstream file(path);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    return model::value_from({bytes});
}

std::string text_of(const Value& object, const char* name) {
    const Value* value = object.find(name);
    return value == nullptr ? "" : std::string(value->text());
}

struct Options {
    ToonEncodeOptions encode;
    ToonDecodeOptions decode;
};

Options options_of(const Value& test) {
    Options options;
    const Value* given = test.find("options");
    if (given == nullptr) return options;
    if (const Value* indent = given->find("indentSize")) {
        options.encode.indent = options.decode.indent = static_cast<int>(indent->as_integer());
    }
    if (const Value* strict = given->find("strict")) options.decode.strict = strict->as_boolean();
    if (const Value* delimiter = given->find("delimiter")) {
        options.encode.delimiter = static_cast<ToonDelimiter>(delimiter->text().front());
    }
    return options;
}

// The order of keys counts here, which equality leaves aside.
void run(const Value& test, bool encode) {
    const Options options = options_of(test);
    const Value* should_error = test.find("shouldError");
    const bool fails = should_error != nullptr && should_error->as_boolean();
    if (encode) {
        const auto made = toon_encode(*test.find("input"), options.encode);
        ASSERT_EQ(made.ok(), !fails);
        if (made.ok()) {
            EXPECT_EQ(*made, text_of(test, "expected"));
        }
        return;
    }
    const auto read = toon_decode(test.find("input")->text(), options.decode);
    ASSERT_EQ(read.ok(), !fails) << (read.ok() ? model::to_json(*read) : read.error().message);
    if (!read.ok()) {
        EXPECT_TRUE(read.error().message.starts_with("line ")) << read.error().message;
        return;
    }
    EXPECT_TRUE(*read == *test.find("expected")) << model::to_json(*read);
    std::string order = model::to_json(*read);
    std::string expected_order = model::to_json(*test.find("expected"));
    if (order.size() == expected_order.size()) {
        EXPECT_EQ(order, expected_order);
    }
}

TEST(ToonFixtures, all_cases_of_the_specification_pass) {
    if (!std::filesystem::exists(fixtures())) {
        std::cerr << "SKIPPED: the cases of the TOON specification are not at " << fixtures()
                  << "; set TOON_FIXTURES to the folder that holds encode/ and decode/\n";
        GTEST_SKIP();
    }
    std::size_t count = 0;
    for (const bool encode : {true, false}) {
        for (const auto& file : std::filesystem::directory_iterator(fixtures() / (encode ? "encode" : "decode"))) {
            const Value suite = read_json(file.path());
            for (const Value& test : suite.find("tests")->items()) {
                SCOPED_TRACE(file.path().filename().string() + ": " + text_of(test, "name"));
                run(test, encode);
                ++count;
            }
        }
    }
    EXPECT_GE(count, 516U);
}

}  // namespace
}  // namespace belfry::text
