#include "rules/wake_input.hpp"

#include <gtest/gtest.h>

namespace belfry::rules {
namespace {

std::string words(std::string input) {
    model::Wake wake;
    wake.session_id = "s";
    wake.reason_id = "r";
    wake.input = model::RawJson::trusted(std::move(input));
    return words_of_input(wake);
}

TEST(WordsOfInput, are_what_the_user_said_after_the_last_answer) {
    EXPECT_EQ(words(R"({"threadId":"s","runId":"r","messages":[{"id":"1","role":"user","content":"Hello"},)"
                    R"({"id":"2","role":"assistant","content":"Hi."},{"id":"3","role":"user","content":"Go on"},)"
                    R"({"id":"4","role":"tool","content":"x"},{"id":"5","role":"user","content":" "},)"
                    R"({"id":"6","role":"user","content":[{"type":"text","text":"please"}]}]})"),
              "Go on\nplease");
    EXPECT_EQ(words(R"({"threadId":"s","runId":"r","messages":[]})"), "");
}

TEST(WordsOfInput, are_the_text_of_any_other_input) {
    EXPECT_EQ(words(R"({"text":"Start","at":1})"), "Start");
    EXPECT_EQ(words(R"({"button":"stop"})"), R"({"button":"stop"})");
    EXPECT_EQ(words("{}"), "");
    const char* const of_another_turn = R"({"threadId":"s","runId":"x","messages":[]})";
    EXPECT_EQ(words(of_another_turn), of_another_turn);
}

}  // namespace
}  // namespace belfry::rules
