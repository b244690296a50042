#include "cli/work_output.hpp"

#include <gtest/gtest.h>

namespace belfry::cli {
namespace {

TEST(WorkOutput, becomes_events_of_whole_lines) {
    WorkOutput output;
    output.add(WorkStream::out, "one\ntw");
    EXPECT_EQ(output.events(), R"({"event":"worker.output","data":{"stream":"stdout","text":"one\n"}})"
                               "\n");
    output.clear_events();
    output.add(WorkStream::out, "o");
    EXPECT_EQ(output.events(), "");
    output.finish();
    EXPECT_EQ(output.events(), R"({"event":"worker.output","data":{"stream":"stdout","text":"two\n"}})"
                               "\n");
}

TEST(WorkOutput, is_cut_where_it_is_too_much_and_says_so_once) {
    WorkOutput output;
    const std::string line(WorkOutput::event_bytes_max - 1, 'x');
    for (std::size_t i = 0; i < WorkOutput::kept_bytes_max / WorkOutput::event_bytes_max; ++i) {
        output.add(WorkStream::out, line + "\n");
    }
    EXPECT_EQ(output.events().find("\"cut\""), std::string::npos);
    output.clear_events();
    output.add(WorkStream::err, "more\n");
    EXPECT_EQ(output.events(), R"({"event":"worker.output","data":{"stream":"stderr","cut":true}})"
                               "\n");
    output.clear_events();
    output.add(WorkStream::err, "more\n");
    EXPECT_EQ(output.events(), "");
}

TEST(WorkOutput, has_a_result_where_the_last_line_is_a_json_object) {
    const auto result_of = [](std::string_view text) {
        WorkOutput output;
        output.add(WorkStream::out, text);
        output.finish();
        const auto result = output.result();
        return result ? std::string(result->bytes()) : "none";
    };
    EXPECT_EQ(result_of("working\n{\"a\":1}\n\n"), R"({"a":1})");
    EXPECT_EQ(result_of("{\"a\":1}"), R"({"a":1})");
    EXPECT_EQ(result_of("{\"a\":1}\ndone\n"), "none");
    EXPECT_EQ(result_of("[1]\n"), "none");
    EXPECT_EQ(result_of("{\"a\":\n"), "none");
    EXPECT_EQ(result_of(""), "none");
}

TEST(WorkOutput, keeps_the_last_words_of_standard_error_in_letters) {
    WorkOutput output;
    output.add(WorkStream::out, "not this\n");
    output.add(WorkStream::err, std::string(10'000, 'x') + "\nno net\xFFwork\n\n");
    const std::string words = output.last_words();
    EXPECT_LE(words.size(), WorkOutput::tail_bytes_max + 2);
    EXPECT_TRUE(words.ends_with("no net\xEF\xBF\xBDwork")) << words;
}

}  // namespace
}  // namespace belfry::cli
